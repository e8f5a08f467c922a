/**
 * How registers are read, from the websocket to the record: tolerances of makes, registers that only a stop's readings contain, and signed meter
 * values.
 */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import type { Station } from "./Station.ts"
import { World } from "./World.ts"

const world = new World()

const minute = 60_000
const iso = (at: number) => new Date(at).toISOString()

const meterValue = (at: number, ...sampledValue: ReadonlyArray<object>) => ({ timestamp: iso(at), sampledValue })
const wh = (value: number, more: object = {}) => ({ value: String(value), ...more })

/** A station of a model of its own, with a tariff of 0.50 for each kWh, and a session that began an hour ago. */
const charging = async (model: string, meterStart: number) => {
  const { id, station } = await world.station()
  await station.call("BootNotification", { chargePointVendor: "Cases", chargePointModel: model })
  const energy = { type: "ENERGY", price: 0.5, stepSize: 1 }
  const tariff = await world.post("tariffs", { currency: "EUR", elements: [{ priceComponents: [energy] }] })
  await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
  const startedAt = Math.floor(Date.now() / 1000) * 1000 - 60 * minute
  const { id: transactionId } = await station.start(1, await world.card(), { meterStart, timestamp: iso(startedAt) })
  const session = async () => (await world.items(`sessions?chargerId=${id}`))[0] ?? {}
  const sessionId = String((await session())["id"])
  return { session, sessionId, startedAt, station, transactionId }
}

const readings = (station: Station, transactionId: number, ...values: ReadonlyArray<ReturnType<typeof meterValue>>) =>
  station.call("MeterValues", { connectorId: 1, transactionId, meterValue: values })

const record = async (sessionId: string) => {
  const records = () => world.items(`cdrs?sessionId=${sessionId}`)
  await until(
    () => "there is a record",
    15_000,
    async () => (await records()).length > 0
  )
  const [cdr, ...others] = await records()
  expect(others).toEqual([])
  return cdr ?? {}
}

describe("a register that rolls over", () => {
  const overflowing = async (model: string) => {
    const { session, sessionId, startedAt, station, transactionId } = await charging(model, 99_999_000)
    await readings(station, transactionId, meterValue(startedAt + 15 * minute, wh(99_999_500)))
    await readings(station, transactionId, meterValue(startedAt + 30 * minute, wh(2000)))
    const running = await session()
    await station.stop(transactionId, { meterStop: 4000, timestamp: iso(startedAt + 60 * minute) })
    return { running, sessionId, session }
  }

  it("counts on for a make with that tolerance, and is shown with the values as sent", async () => {
    const tolerances = { registerRollsOverAtWh: 100_000_000 }
    await world.ask("PUT", "quirks", { rules: [{ name: "rolls over", model: "Rolls", tolerances }] })
    const { running, session, sessionId } = await overflowing("Rolls")
    expect(running).toMatchObject({ energyWh: 3000, meterStartWh: 99_999_000 })
    expect(await session()).toMatchObject({ energyWh: 5000, meterStopWh: 100_004_000, heldReason: null })
    const shown = await world.items(`sessions/${sessionId}/meter-values`)
    expect(shown).toMatchObject([
      { energyWh: 99_999_500, samples: [{ value: "99999500" }] },
      { energyWh: 100_002_000, samples: [{ value: "2000" }] }
    ])
    expect(await record(sessionId)).toMatchObject({ totalEnergyKwh: 5, totalCost: { exclVat: 2.5 } })
  })

  it("makes the session held for all other makes", async () => {
    const { session, sessionId } = await overflowing("Other")
    expect(await session()).toMatchObject({ energyWh: 0, meterStopWh: 4000, heldReason: "MeterStopBelowStart" })
    expect(await world.items(`cdrs?sessionId=${sessionId}`)).toEqual([])
  })
})

describe("a charger that knows its registers only when it stops", () => {
  it("is billed by its readings for Transaction.Begin and Transaction.End", async () => {
    const { session, sessionId, startedAt, station, transactionId } = await charging("Late", 0)
    const end = startedAt + 60 * minute
    await station.stop(transactionId, {
      meterStop: 0,
      timestamp: iso(end),
      transactionData: [
        meterValue(startedAt, { value: "1000.000", unit: "kWh", context: "Transaction.Begin" }),
        meterValue(startedAt + 30 * minute, { value: "1004.000", unit: "kWh" }),
        meterValue(end, { value: "1006.250", unit: "kWh", context: "Transaction.End" })
      ]
    })
    const registers = { meterStartWh: 1_000_000, meterStopWh: 1_006_250 }
    expect(await session()).toMatchObject({ ...registers, energyWh: 6250, heldReason: null })
    const cdr = await record(sessionId)
    expect(cdr).toMatchObject({ ...registers, totalEnergyKwh: 6.25, totalCost: { exclVat: 3.125 } })
  })
})

describe("signed meter values", () => {
  it("are copied byte for byte from the charger to the record and its export", async () => {
    const { sessionId, startedAt, station, transactionId } = await charging("Signs", 1000)
    const payload = (tx: string, kwh: number) =>
      JSON.stringify({ FV: "1.0", GI: "Zähler “1”\n", RD: [{ TX: tx, RV: kwh, RI: "1-b:1.8.0", RU: "kWh" }] })
    const ocmf = (tx: string, kwh: number) =>
      `OCMF|${payload(tx, kwh)}|{"SA":"ECDSA-secp256r1-SHA256","SD":"3045 \\u00e4"}`
    const signed = (value: string, context: string) => ({ value, context, format: "SignedData" })
    const large = `OCMF|{"RD":[{"TX":"C"}],"X":"${'😀\\n\\"'.repeat(8000)}"}|{}`
    const [begin, end] = [ocmf("B", 1), ocmf("E", 6)]
    const from = meterValue(startedAt, wh(1000), signed(begin, "Transaction.Begin"))
    await readings(station, transactionId, from)
    await readings(station, transactionId, meterValue(startedAt + 30 * minute, wh(3000), signed(large, "Sample.Clock")))
    const to = meterValue(startedAt + 60 * minute, wh(6000), signed(end, "Transaction.End"))
    // The stop repeats what was sent before.
    await station.stop(transactionId, {
      meterStop: 6000,
      timestamp: iso(startedAt + 60 * minute),
      transactionData: [from, to]
    })
    const shown = await world.items(`sessions/${sessionId}/meter-values`)
    const values = shown.map(({ samples }) => (samples as ReadonlyArray<{ value: string }>)[1]?.value)
    expect(shown.map(({ energyWh }) => energyWh)).toEqual([1000, 3000, 6000])
    expect([values[0], values[2]]).toEqual([begin, end])
    // Too long for a record, but stored with the readings.
    expect(values[1] === large).toBe(true)
    const cdr = await record(sessionId)
    expect(cdr).toMatchObject({ totalEnergyKwh: 5 })
    expect(cdr["signedData"]).toEqual({
      encodingMethod: "OCMF",
      publicKey: null,
      signedValues: [
        { nature: "Start", plainData: payload("B", 1), signedData: begin },
        { nature: "End", plainData: payload("E", 6), signedData: end }
      ]
    })
    const { text } = await world.rest.request("GET", `exports/cdrs.jsonl?sessionId=${sessionId}`)
    expect(JSON.parse(text)).toEqual(cdr)
  })
})
