/** What happens to a billed session for which messages arrive late, from the websocket to REST. */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { World } from "./World.ts"

const world = new World()

const minute = 60_000
const iso = (at: number) => new Date(at).toISOString()

/** 0.20 for each kWh of the first half hour, and 0.50 for each after it. */
const byHalves = {
  currency: "EUR",
  elements: [
    { priceComponents: [{ type: "ENERGY", price: 0.2, stepSize: 1 }], restrictions: { maxDuration: 1800 } },
    { priceComponents: [{ type: "ENERGY", price: 0.5, stepSize: 1 }] }
  ]
}

/** A session of an hour and 10 kWh that was billed. */
const billed = async () => {
  const { id, station } = await world.station()
  const tariff = await world.post("tariffs", byHalves)
  await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
  const card = await world.card()
  const startedAt = Math.floor(Date.now() / 1000) * 1000 - 120 * minute
  const start = { meterStart: 0, timestamp: iso(startedAt) }
  const { id: transactionId } = await station.start(1, card, start)
  const stop = (more: object = {}) =>
    station.stop(transactionId, { meterStop: 10_000, timestamp: iso(startedAt + 60 * minute), ...more })
  await stop()
  const [{ id: sessionId } = {}] = await world.items(`sessions?chargerId=${id}`)
  const records = () => world.items(`cdrs?sessionId=${String(sessionId)}`)
  await until(
    () => "it is billed",
    15_000,
    async () => (await records()).length === 1
  )
  const session = () => world.get(`sessions/${String(sessionId)}`)
  const listed = async () => (await world.items(`sessions?chargerId=${id}`))[0]
  const found = async () => (await world.items(`sessions?chargerId=${id}&needsCorrection=true`)).length === 1
  return {
    card,
    found,
    id,
    listed,
    path: `sessions/${String(sessionId)}`,
    records,
    session,
    startedAt,
    station,
    stop,
    transactionId
  }
}

describe("a session that was billed", () => {
  it("keeps the cost of its record despite a late reading, and is shown as needing a correction", async () => {
    const { found, listed, path, records, session, startedAt, station, transactionId } = await billed()
    const cost = { currency: "EUR", exclVat: 3.5, inclVat: 3.5 }
    const [record] = await records()
    expect(record).toMatchObject({ totalCost: { exclVat: 3.5 } })
    expect(await session()).toMatchObject({ cost, needsCorrection: false, periods: record?.["periods"] })
    const sampledValue = [{ value: "8000", measurand: "Energy.Active.Import.Register", unit: "Wh" }]
    const meterValue = [{ timestamp: iso(startedAt + 30 * minute), sampledValue }]
    await station.call("MeterValues", { connectorId: 1, transactionId, meterValue })
    expect(await session()).toMatchObject({ cost, needsCorrection: true, periods: record?.["periods"] })
    await until(() => "the list knows it", 15_000, found)
    expect(await listed()).toMatchObject({ cost, needsCorrection: true, periods: record?.["periods"] })
    // 8 kWh at 0.20 and 2 at 0.50, once an operator has corrected it.
    const corrected = await world.post(`${path}/correct`, { reason: "the reading came late" })
    expect(corrected).toMatchObject({ cost: { exclVat: 2.6 }, needsCorrection: false, revision: 1 })
    expect(await listed()).toMatchObject({ cost: { exclVat: 2.6 }, needsCorrection: false })
    expect(await records()).toMatchObject([
      { totalCost: { exclVat: 2.6 }, periods: corrected["periods"] },
      { totalCost: { exclVat: -3.5 } },
      { totalCost: { exclVat: 3.5 } }
    ])
  })

  it("is unchanged by a repeated stop, and needs a correction after a contradicting one", async () => {
    const { found, listed, path, records, session, stop } = await billed()
    await stop()
    expect(await session()).toMatchObject({ needsCorrection: false })
    const bills = await records()
    await stop({ meterStop: 12_000 })
    const unchanged = { cost: { exclVat: 3.5 }, energyWh: 10_000, meterStopWh: 10_000, needsCorrection: true }
    expect(await session()).toMatchObject(unchanged)
    expect(await listed()).toMatchObject(unchanged)
    expect(await found()).toBe(true)
    expect(await records()).toEqual(bills)
    await world.post(`${path}/correct`, { energyWh: 12_000, reason: "the second stop is right" })
    expect(await session()).toMatchObject({ energyWh: 12_000, cost: { exclVat: 4.2 }, needsCorrection: false })
    expect(await found()).toBe(false)
    // Repeated once more, it changes nothing.
    await stop({ meterStop: 12_000 })
    expect(await session()).toMatchObject({ needsCorrection: false })
  })
})

describe("a stop that comes before its start", () => {
  it("adds its readings and its signed values to the session and its record", async () => {
    const { id, station } = await world.station(undefined, { strictMode: false })
    const tariff = await world.post("tariffs", byHalves)
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
    const idTag = await world.card()
    const startedAt = Math.floor(Date.now() / 1000) * 1000 - 120 * minute
    const signed = (which: string) => `OCMF|{"${which}":1}|{"SD":"30"}`
    const meterValue = (minutes: number, wh: number, context: string) => ({
      timestamp: iso(startedAt + minutes * minute),
      sampledValue: [
        { value: String(wh), measurand: "Energy.Active.Import.Register", unit: "Wh", context },
        { value: signed(context), format: "SignedData", context, measurand: "Energy.Active.Import.Register" }
      ]
    })
    await station.call("StopTransaction", {
      transactionId: -1,
      idTag,
      meterStop: 10_000,
      timestamp: iso(startedAt + 60 * minute),
      transactionData: [
        meterValue(0, 0, "Transaction.Begin"),
        meterValue(30, 8000, "Sample.Periodic"),
        meterValue(60, 10_000, "Transaction.End")
      ]
    })
    expect(await world.items(`sessions?chargerId=${id}`)).toEqual([])
    await station.start(1, idTag, { meterStart: 0, timestamp: iso(startedAt) })
    const { id: sessionId } = await world.sessionOf(id)
    const session = await world.get(`sessions/${String(sessionId)}`)
    // 8 kWh at 0.20 and 2 at 0.50, as the times of the readings show.
    expect(session).toMatchObject({ status: "COMPLETED", energyWh: 10_000, heldReason: null, cost: { exclVat: 2.6 } })
    const readings = await world.items(`sessions/${String(sessionId)}/meter-values`)
    expect(readings.map(({ at, energyWh }) => [at, energyWh])).toEqual([
      [iso(startedAt), 0],
      [iso(startedAt + 30 * minute), 8000],
      [iso(startedAt + 60 * minute), 10_000]
    ])
    const { items } = await world.eventually("its record", `cdrs?sessionId=${String(sessionId)}`, (answer) => {
      return (answer["items"] as ReadonlyArray<unknown>).length > 0
    })
    const [record] = items as ReadonlyArray<{ readonly signedData?: { readonly signedValues: ReadonlyArray<unknown> } }>
    expect(record?.signedData?.signedValues).toMatchObject([
      { nature: "Start", signedData: signed("Transaction.Begin") },
      { nature: "Intermediate", signedData: signed("Sample.Periodic") },
      { nature: "End", signedData: signed("Transaction.End") }
    ])
  })
})
