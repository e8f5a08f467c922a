/** What a session costs, from the websocket to REST: the tariff in force when it began, and the same amount wherever it is read. */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { World } from "./World.ts"

const world = new World()

const component = (type: string, price: number, more: object = {}) => ({ type, price, stepSize: 1, ...more })
const minute = 60_000
const iso = (at: number) => new Date(at).toISOString()

const register = (at: number, wh: number, ...more: ReadonlyArray<object>) => ({
  timestamp: iso(at),
  sampledValue: [{ value: String(wh), measurand: "Energy.Active.Import.Register", unit: "Wh" }, ...more]
})

describe("the price of a session", () => {
  it("follows the tariff in force when it began, running and ended, and is the same in list, session and record", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [
        { priceComponents: [component("FLAT", 1, { vat: 20 }), component("ENERGY", 0.5, { vat: 10, stepSize: 1000 })] },
        { priceComponents: [component("PARKING_TIME", 6, { stepSize: 600 })] }
      ]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
    const startedAt = Math.floor(Date.now() / 1000) * 1000 - 90 * minute
    const { id: transactionId } = await station.start(1, card, { meterStart: 5000, timestamp: iso(startedAt) })
    await world.ask("PATCH", `tariffs/${String(tariff["id"])}`, {
      elements: [{ priceComponents: [component("FLAT", 99)] }]
    })
    const meter = (at: number, wh: number) =>
      station.call("MeterValues", { connectorId: 1, transactionId, meterValue: [register(at, wh)] })
    await meter(startedAt + 30 * minute, 7500)
    const session = await world.sessionOf(id)
    const read = () => world.get(`sessions/${String(session["id"])}`)
    // 1.00 and 2.5 kWh at 0.50; nothing is rounded up while it runs.
    expect((await read())["cost"]).toEqual({ currency: "EUR", exclVat: 2.25, inclVat: 2.575 })
    expect(await world.get(`sessions/${String(session["id"])}/price`)).toMatchObject({
      lines: [{ kind: "session" }, { kind: "energy", volume: 2.5, billedVolume: 2.5, note: null }],
      total: { exclVat: 2.25, inclVat: 2.575, vat: 0.325 },
      provisional: true
    })
    await meter(startedAt + 60 * minute, 10_200)
    await station.stop(transactionId, { meterStop: 10_200, timestamp: iso(startedAt + 85 * minute) })
    // 5.2 kWh are 6; 25 minutes of parking are 30.
    const cost = { currency: "EUR", exclVat: 7, inclVat: 7.5 }
    const ended = await read()
    expect(ended).toMatchObject({ status: "COMPLETED", energyWh: 5200, cost })
    expect(ended["periods"]).toEqual([
      {
        startedAt: iso(startedAt),
        endedAt: iso(startedAt + 60 * minute),
        energyWh: 5200,
        charging: true,
        evidence: ["Register"],
        elements: { FLAT: 0, ENERGY: 0 }
      },
      {
        startedAt: iso(startedAt + 60 * minute),
        endedAt: iso(startedAt + 85 * minute),
        energyWh: 0,
        charging: false,
        evidence: ["Register"],
        elements: { PARKING_TIME: 1 }
      }
    ])
    const listed = async () => (await world.items(`sessions?chargerId=${id}`))[0]
    await until(
      () => "the list has the price",
      15_000,
      async () => JSON.stringify((await listed())?.["cost"]) === JSON.stringify(cost)
    )
    expect((await listed())?.["periods"]).toEqual(ended["periods"])
    const [cdr, ...others] = await world.items(`cdrs?sessionId=${String(session["id"])}`)
    expect(others).toEqual([])
    const { currency: _, ...total } = cost
    // A new name of the charger does not change the record.
    await world.ask("PATCH", `chargers/${id}`, { name: "Another name" })
    expect(await world.get(`cdrs/${String(cdr?.["id"])}`)).toEqual(cdr)
    expect(cdr).toMatchObject({
      sessionId: session["id"],
      tokenUid: card,
      tokenType: "RFID",
      location: { siteName: "Cases", chargerName: id, city: null, standard: null, maxPowerW: null },
      currency: "EUR",
      totalCost: total,
      totalFixedCost: { exclVat: 1, inclVat: 1.2 },
      totalEnergyCost: { exclVat: 3, inclVat: 3.3 },
      totalParkingCost: { exclVat: 3, inclVat: 3 },
      totalEnergyKwh: 5.2,
      totalParkingTimeHours: 25 / 60,
      tariff: { id: tariff["id"], version: 1 },
      periods: ended["periods"],
      credit: false
    })
    const lines = [
      {
        kind: "session",
        dimension: "FLAT",
        element: 0,
        reservation: false,
        from: iso(startedAt),
        to: iso(startedAt + 60 * minute),
        unit: "once",
        price: 1,
        vat: 20,
        volume: 1,
        billedVolume: 1,
        exclVat: 1,
        inclVat: 1.2,
        restrictions: null,
        note: null
      },
      {
        kind: "energy",
        dimension: "ENERGY",
        element: 0,
        reservation: false,
        from: iso(startedAt),
        to: iso(startedAt + 60 * minute),
        unit: "kWh",
        price: 0.5,
        vat: 10,
        volume: 5.2,
        billedVolume: 6,
        exclVat: 3,
        inclVat: 3.3,
        restrictions: null,
        note: "A step of 1 kWh adds 0.8 kWh"
      },
      {
        kind: "parking",
        dimension: "PARKING_TIME",
        element: 1,
        reservation: false,
        from: iso(startedAt + 60 * minute),
        to: iso(startedAt + 85 * minute),
        unit: "hour",
        price: 6,
        vat: null,
        volume: 25 / 60,
        billedVolume: 0.5,
        exclVat: 3,
        inclVat: 3,
        restrictions: null,
        note: "A step of 10 min adds 5 min"
      }
    ]
    const explanation = {
      currency: "EUR",
      tariff: { id: tariff["id"], name: null, version: 1 },
      lines,
      total: { exclVat: 7, inclVat: 7.5, vat: 0.5 },
      provisional: false,
      held: null
    }
    expect(await world.get(`sessions/${String(session["id"])}/price`)).toEqual(explanation)
    expect(await world.get(`cdrs/${String(cdr?.["id"])}/price`)).toEqual(explanation)
    // A repeated stop and a late reading change neither.
    await station.stop(transactionId, { meterStop: 10_900, timestamp: iso(startedAt + 85 * minute) })
    await meter(startedAt + 45 * minute, 9000)
    const creditPath = `cdrs/${String(cdr?.["id"])}/credit`
    const previewed = await world.get(creditPath)
    const credit = await world.post(creditPath, undefined)
    expect(previewed).toEqual(await world.get(`cdrs/${String(credit["id"])}/price`))
    for (const of of [cdr, credit]) {
      expect((await world.rest.request("GET", `cdrs/${String(of?.["id"])}/credit`)).status).toBe(409)
    }
    expect(credit).toMatchObject({
      credit: true,
      creditReferenceId: cdr?.["id"],
      totalCost: { exclVat: -7, inclVat: -7.5 }
    })
    await world.post(`cdrs/${String(cdr?.["id"])}/credit`, undefined, 409)
    expect(await world.get(`cdrs/${String(cdr?.["id"])}/price`)).toEqual(explanation)
    expect(await world.get(`cdrs/${String(credit["id"])}/price`)).toEqual({
      ...explanation,
      lines: lines.map((line) => ({ ...line, exclVat: -line.exclVat, inclVat: -line.inclVat })),
      total: { exclVat: -7, inclVat: -7.5, vat: -0.5 }
    })
    expect(await world.items(`cdrs?sessionId=${String(session["id"])}`)).toEqual([credit, cdr])
    const exported = async (format: string) => {
      const { text } = await world.rest.request("GET", `exports/cdrs.${format}?chargerId=${id}`)
      return text.split(/\r?\n/).slice(0, -1)
    }
    expect((await exported("jsonl")).map((line) => JSON.parse(line))).toEqual([credit, cdr])
    const csv = await exported("csv")
    expect(csv.map((line) => line.split(",")[0])).toEqual(["number", String(credit["number"]), String(cdr?.["number"])])
  })

  it("depends on power if the tariff does, and is null without a tariff", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    // Over an hour, since energy delivered in no time makes a session held.
    const free = await station.start(2, card, { meterStart: 1000, timestamp: iso(Date.now() - 60 * minute) })
    await station.stop(free.id, { meterStop: 5000, timestamp: iso(Date.now()) })
    const unpriced = await world.sessionOf(id)
    expect(unpriced["cost"]).toBeNull()
    expect(await world.get(`sessions/${String(unpriced["id"])}/price`)).toEqual({
      currency: null,
      tariff: null,
      lines: [],
      total: null,
      provisional: false,
      held: null
    })
    const tariff = await world.post("tariffs", {
      currency: "SEK",
      elements: [
        { priceComponents: [component("ENERGY", 4)], restrictions: { minPower: 20 } },
        { priceComponents: [component("ENERGY", 2)] }
      ]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, {
      connector: { chargerId: id, connectorId: 1 }
    })
    const startedAt = Math.floor(Date.now() / 1000) * 1000 - 60 * minute
    const { id: transactionId } = await station.start(1, card, { meterStart: 0, timestamp: iso(startedAt) })
    const power = (kw: number) => ({ value: String(kw), measurand: "Power.Active.Import", unit: "kW" })
    await station.call("MeterValues", {
      connectorId: 1,
      transactionId,
      meterValue: [
        register(startedAt + 20 * minute, 3000, power(11)),
        register(startedAt + 40 * minute, 9000, power(22))
      ]
    })
    await station.stop(transactionId, { meterStop: 9000, timestamp: iso(startedAt + 40 * minute) })
    const [session] = await world.items(`sessions?chargerId=${id}&limit=1`)
    expect((await world.get(`sessions/${String(session?.["id"])}`))["cost"]).toEqual({
      currency: "SEK",
      exclVat: 3 * 2 + 6 * 4,
      inclVat: 30
    })
  })
})

describe("parking", () => {
  const hour = 60 * minute

  it("follows the status SuspendedEV despite a trickle of energy, and excludes SuspendedEVSE", async () => {
    const { id, station } = await world.station()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [component("ENERGY", 0.4), component("PARKING_TIME", 6)] }]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
    // It ends a minute ago, before the `Available` that the station sent when it connected.
    const startedAt = Math.floor(Date.now() / 1000) * 1000 - 6 * hour - minute
    const { id: transactionId } = await station.start(1, await world.card(), {
      meterStart: 1234,
      timestamp: iso(startedAt)
    })
    const says = (at: number, status: string) => station.status(1, status, { timestamp: iso(at) })
    await says(startedAt + 1000, "Charging")
    await says(startedAt + 20 * minute, "SuspendedEVSE")
    await says(startedAt + 40 * minute, "Charging")
    await says(startedAt + hour, "SuspendedEV")
    const meter = (at: number, wh: number) =>
      station.call("MeterValues", { connectorId: 1, transactionId, meterValue: [register(at, wh)] })
    await meter(startedAt + 20 * minute, 4900)
    await meter(startedAt + 40 * minute, 4900)
    await meter(startedAt + hour, 8567)
    for (let i = 1; i < 20; i++) await meter(startedAt + hour + i * 15 * minute, 8567 + 5 * i)
    await station.stop(transactionId, { meterStop: 8667, timestamp: iso(startedAt + 6 * hour) })
    const session = await world.sessionOf(id)
    const ended = await world.get(`sessions/${String(session["id"])}`)
    expect(ended["cost"]).toEqual({ currency: "EUR", exclVat: 32.9732, inclVat: 32.9732 })
    expect(ended["periods"]).toMatchObject([
      { endedAt: iso(startedAt + hour), charging: true, evidence: ["Status", "Register"] },
      { startedAt: iso(startedAt + hour), charging: false, evidence: ["Status"], energyWh: 100 }
    ])
    const cdrs = `cdrs?sessionId=${String(session["id"])}`
    await world.eventually("its record", cdrs, ({ items }) => (items as ReadonlyArray<unknown>).length === 1)
    const [cdr] = await world.items(cdrs)
    expect(cdr).toMatchObject({
      totalParkingCost: { exclVat: 30 },
      totalParkingTimeHours: 5,
      periods: ended["periods"]
    })
  })

  it("causes a warning at the tariff if the charger's meter is too coarse to detect it", async () => {
    const { id, station } = await world.station()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [component("PARKING_TIME", 6)] }]
    })
    const assignments = `tariffs/${String(tariff["id"])}/assignments`
    expect(await world.ask("PUT", assignments, { chargerId: id })).toMatchObject({ warnings: [] })
    const charge = async (connectorId: number, ...more: ReadonlyArray<object>) => {
      const startedAt = Math.floor(Date.now() / 1000) * 1000 - hour - minute
      const start = { meterStart: 1234, timestamp: iso(startedAt) }
      const { id: transactionId } = await station.start(connectorId, await world.card(), start)
      const meterValue = Array.from({ length: 10 }, (_, i) =>
        register(startedAt + i * 6 * minute, 1000 + i * 1000, ...more)
      )
      await station.call("MeterValues", { connectorId, transactionId, meterValue })
      await station.stop(transactionId, { meterStop: 11_234, timestamp: iso(startedAt + hour) })
    }
    await charge(1)
    const warned = await world.eventually("a warning", assignments, ({ warnings }) => String(warnings) !== "")
    expect(warned["warnings"]).toEqual([
      {
        pointer: "/elements/0/priceComponents/0",
        detail: expect.stringMatching(`^The meter of ${id}, EVSE 1, connector 1 counts in steps of 1000 Wh: .*10 hours`)
      }
    ])
    // Once it reports power, it is a meter like any other.
    await charge(1, { value: "10", measurand: "Power.Active.Import", unit: "kW" })
    await world.eventually("no warning", assignments, ({ warnings }) => String(warnings) === "")
  })

  it("uses the organisation's own limit of standby power", async () => {
    const { id, station } = await world.station()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [component("PARKING_TIME", 6)] }]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
    const startedAt = Math.floor(Date.now() / 1000) * 1000 - 2 * hour - minute
    const { id: transactionId } = await station.start(1, await world.card(), {
      meterStart: 1,
      timestamp: iso(startedAt)
    })
    await station.stop(transactionId, { meterStop: 301, timestamp: iso(startedAt + 2 * hour) })
    const session = await world.sessionOf(id)
    const cost = async () => (await world.get(`sessions/${String(session["id"])}`))["cost"]
    const cdrs = `cdrs?sessionId=${String(session["id"])}`
    await world.eventually("its record", cdrs, ({ items }) => (items as ReadonlyArray<unknown>).length === 1)
    expect(await cost()).toMatchObject({ exclVat: 0 })
    expect(await world.ask("PATCH", "organisation", { standbyPowerW: 200 })).toMatchObject({ standbyPowerW: 200 })
    await world.ask("PATCH", "organisation", { standbyPowerW: 0 }, 400)
    const corrected = await world.post(`sessions/${String(session["id"])}/correct`, {
      energyWh: 299,
      reason: "read again"
    })
    expect(corrected["cost"]).toMatchObject({ exclVat: 12 })
    await world.ask("PATCH", "organisation", { standbyPowerW: 100 })
  })
})

describe("a session with implausible energy", () => {
  const hour = 60 * minute

  const phantom = async () => {
    const { id, station } = await world.station()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [component("ENERGY", 0.5)] }]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
    const startedAt = Math.floor(Date.now() / 1000) * 1000 - 2 * hour
    const { id: transactionId } = await station.start(1, await world.card(), {
      meterStart: 0,
      timestamp: iso(startedAt)
    })
    // An impossible register: a megawatt-hour for each minute.
    await station.stop(transactionId, { meterStop: 60_000_000, timestamp: iso(startedAt + hour) })
    const [{ id: sessionId } = {}] = await world.items(`sessions?chargerId=${id}`)
    const session = () => world.get(`sessions/${String(sessionId)}`)
    await until(
      () => "it is held",
      15_000,
      async () => (await session())["heldReason"] !== null
    )
    const records = () => world.items(`cdrs?sessionId=${String(sessionId)}`)
    const fits = async (filter: string) => (await world.items(`sessions?chargerId=${id}&${filter}`)).length === 1
    expect([await fits("held=true"), await fits("held=false")]).toEqual([true, false])
    return { fits, path: `sessions/${String(sessionId)}`, records, session, startedAt }
  }

  it("is held and not billed until it is released unchanged", async () => {
    const { fits, path, records, session } = await phantom()
    expect(await session()).toMatchObject({ heldReason: "EnergyImplausible", cost: { exclVat: 30_000 } })
    expect(await records()).toEqual([])
    expect(await world.get(`${path}/price`)).toMatchObject({ held: "EnergyImplausible", total: { exclVat: 30_000 } })
    expect(await world.post(`${path}/release`, undefined)).toMatchObject({ heldReason: null, revision: 0 })
    const bills = await records()
    expect(bills).toMatchObject([{ totalCost: { exclVat: 30_000 }, credit: false }])
    await world.post(`${path}/release`, undefined, 409)
    expect(await session()).toMatchObject({ heldReason: null, needsCorrection: false })
    expect([await fits("held=true"), await fits("held=false&needsCorrection=false")]).toEqual([false, true])
  })

  it("is billed as corrected, and a correction of a billed session also credits its earlier record", async () => {
    const { fits, path, records, startedAt } = await phantom()
    const first = await world.post(`${path}/correct`, { energyWh: 60_000, reason: "kWh as Wh" })
    expect(first).toMatchObject({ energyWh: 60_000, heldReason: null, revision: 1, cost: { exclVat: 30 } })
    expect((await records()).map(({ credit, totalCost }) => [credit, totalCost])).toEqual([
      [false, { exclVat: 30, inclVat: 30 }]
    ])
    await world.post(`${path}/correct`, { endedAt: iso(startedAt - 1), reason: "backwards" }, 400)
    const second = await world.post(`${path}/correct`, {
      energyWh: 20_000,
      endedAt: iso(startedAt + hour / 2),
      reason: "read it there"
    })
    expect(second).toMatchObject({ revision: 2, endedAt: iso(startedAt + hour / 2), needsCorrection: false })
    const bills = await records()
    expect(bills.map(({ credit, totalCost }) => [credit, totalCost])).toEqual([
      [false, { exclVat: 10, inclVat: 10 }],
      [true, { exclVat: -30, inclVat: -30 }],
      [false, { exclVat: 30, inclVat: 30 }]
    ])
    expect(bills[1]?.["creditReferenceId"]).toBe(bills[2]?.["id"])
    // At once, since the price is stored together with the record.
    expect(await fits("held=false&needsCorrection=false")).toBe(true)
    expect(await fits("needsCorrection=true")).toBe(false)
  })

  it("is held as well if its start has no register", async () => {
    const { id, station } = await world.station(undefined, { strictMode: false })
    const answer = await station.call("StartTransaction", {
      connectorId: 1,
      idTag: await world.card(),
      timestamp: iso(Date.now())
    })
    await station.stop(Number(answer["transactionId"]), { meterStop: 1000, timestamp: iso(Date.now()) })
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", heldReason: "MeterStartMissing" })
  })
})
