/** Who may charge, from the websocket to REST: which source decides, what is stored of the decision, and what happens to refused sessions. */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { World } from "./World.ts"

const world = new World()

const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

const authorized = async (station: Awaited<ReturnType<typeof world.station>>["station"], idTag: string) =>
  (await station.call("Authorize", { idTag }))["idTagInfo"]

describe("the order of the sources of an authorization", () => {
  it("begins with a reservation, even for a card that is otherwise unknown", async () => {
    const { id, station } = await world.station()
    const idTag = `GUEST${id.slice(-8)}`
    expect(await authorized(station, idTag)).toMatchObject({ status: "Invalid" })
    station.on("ReserveNow", { status: "Accepted" })
    const expiryDate = soon(10)
    await world.command(id, "ReserveNow", { connectorId: 1, idTag, expiryDate })
    const reservationId = Number(station.asked("ReserveNow")[0]?.["reservationId"])
    const shown = await authorized(station, idTag.toLowerCase())
    expect(shown).toMatchObject({ status: "Accepted", expiryDate })
    expect((await station.start(2, idTag)).status).toBe("Invalid")
    const { status } = await station.start(1, idTag, { reservationId, meterStart: 7 })
    expect(status).toBe("Accepted")
    const session = await world.sessionOf(id)
    expect(session).toMatchObject({
      status: "ACTIVE",
      authorization: { status: "Accepted", source: "Reservation", decidedAt: expect.any(String) }
    })
    // It may end the session that it was allowed to begin, and is unknown again after that.
    expect(await authorized(station, idTag)).toMatchObject({ status: "Accepted" })
    await station.stop(Number(session["transactionId"]), { meterStop: 7 })
    expect(await authorized(station, idTag)).toMatchObject({ status: "Invalid" })
  })

  it("refuses the organisation's own blocked card despite a reservation", async () => {
    const { id, station } = await world.station()
    const idTag = await world.card()
    station.on("ReserveNow", { status: "Accepted" })
    await world.command(id, "ReserveNow", { connectorId: 1, idTag, expiryDate: soon(10) })
    await world.ask("PATCH", `tokens/${idTag}`, { status: "Blocked" })
    expect((await station.start(1, idTag)).status).toBe("Blocked")
    const session = await world.sessionOf(id)
    expect(session["authorization"]).toMatchObject({ status: "Blocked", source: "LocalToken" })
    expect((await world.items(`reservations?chargerId=${id}`))[0]).toMatchObject({ status: "Active" })
  })
})

describe("what a charger is sent for its authorization cache", () => {
  it("has expiry and group of the card in the answer to a start, and to the same start again", async () => {
    const { id, station } = await world.station()
    const expiryDate = soon(600)
    const idTag = await world.card({ parentUid: "FAMILY", expiresAt: expiryDate })
    const start = { connectorId: 1, idTag, meterStart: 0, timestamp: new Date().toISOString() }
    const first = await station.call("StartTransaction", start)
    expect(first["idTagInfo"]).toEqual({ status: "Accepted", expiryDate, parentIdTag: "FAMILY" })
    expect(await station.call("StartTransaction", start)).toEqual(first)
    await station.close()
    const { station: again } = await world.station(id)
    expect(await again.call("StartTransaction", start)).toEqual(first)
  })

  it("has the card's current authorization in the answer to a stop", async () => {
    const { station } = await world.station()
    const idTag = await world.card({ parentUid: "FAMILY" })
    const stopped = async () => (await station.stop((await station.start(1, idTag)).id, { idTag }))["idTagInfo"]
    expect(await stopped()).toEqual({ status: "Accepted", parentIdTag: "FAMILY" })
    const { id: transactionId } = await station.start(1, idTag)
    await world.ask("PATCH", `tokens/${idTag}`, { status: "Blocked" })
    expect((await station.stop(transactionId, { idTag }))["idTagInfo"]).toEqual({
      status: "Blocked",
      parentIdTag: "FAMILY"
    })
  })
})

describe("a session whose card was refused", () => {
  const refused = async () => {
    const made = await world.station()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [
        {
          priceComponents: [
            { type: "FLAT", price: 1, stepSize: 1 },
            { type: "ENERGY", price: 0.5, stepSize: 1 }
          ]
        }
      ]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: made.id })
    const start = await made.station.start(1, await world.card({ status: "Blocked" }), { meterStart: 1000 })
    expect(start.status).toBe("Blocked")
    return { ...made, transactionId: start.id }
  }

  it("is invalid and costs nothing if the charger delivered no energy", async () => {
    const { id, station, transactionId } = await refused()
    await station.stop(transactionId, { meterStop: 1004, reason: "DeAuthorized" })
    const { id: sessionId } = await world.sessionOf(id)
    expect(await world.get(`sessions/${String(sessionId)}`)).toMatchObject({
      status: "INVALID",
      heldReason: null,
      cost: { exclVat: 0, inclVat: 0 },
      authorization: { status: "Blocked", source: "LocalToken" }
    })
    expect(await world.items(`sessions?chargerId=${id}&status=INVALID`)).toMatchObject([{ id: sessionId }])
    expect(await world.items(`sessions?chargerId=${id}&status=COMPLETED`)).toEqual([])
    await world.post(`sessions/${String(sessionId)}/release`, undefined, 409)
  })

  it("is invalid if the charger stops it with a register of 0", async () => {
    const { id, station, transactionId } = await refused()
    await station.stop(transactionId, { meterStop: 0, reason: "DeAuthorized" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "INVALID", heldReason: null, energyWh: 0 })
    expect(await world.items(`sessions?chargerId=${id}&held=true`)).toEqual([])
  })

  it("is invalid once its connector is available, even without a stop", async () => {
    const { id, station } = await refused()
    expect(await world.sessionOf(id)).toMatchObject({ status: "ACTIVE" })
    await station.status(1, "Available", { timestamp: new Date().toISOString() })
    const session = await world.sessionOf(id)
    expect(session).toMatchObject({ status: "INVALID", heldReason: null, stopReason: "DeAuthorized", energyWh: 0 })
    await world.eventually("it costs nothing", `sessions/${String(session["id"])}`, ({ cost }) => cost !== null)
    expect(await world.get(`sessions/${String(session["id"])}`)).toMatchObject({ cost: { exclVat: 0 } })
    expect(await world.items(`sessions?chargerId=${id}&held=true`)).toEqual([])
  })

  it("is invalid once another start follows on its connector, for each of several in a row", async () => {
    const { id, station } = await refused()
    const blocked = await world.card({ status: "Blocked" })
    for (let n = 0; n < 3; n++) {
      const timestamp = new Date(Date.now() + n * 1000).toISOString()
      expect((await station.start(1, blocked, { meterStart: 1000, timestamp })).status).toBe("Blocked")
    }
    await station.start(1, await world.card(), {
      meterStart: 1000,
      timestamp: new Date(Date.now() + 5000).toISOString()
    })
    const sessions = await world.items(`sessions?chargerId=${id}`)
    expect(sessions.map(({ heldReason, status }) => [status, heldReason])).toEqual([
      ["ACTIVE", null],
      ...Array.from({ length: 4 }, () => ["INVALID", null])
    ])
    expect(await world.items(`sessions?chargerId=${id}&held=true`)).toEqual([])
  })

  it("is held if its connector was available before its stop, and the stop shows energy", async () => {
    const { id, station, transactionId } = await refused()
    await station.status(1, "Available", { timestamp: new Date().toISOString() })
    expect(await world.sessionOf(id)).toMatchObject({ status: "INVALID" })
    await station.stop(transactionId, { meterStop: 5000 })
    const session = { status: "COMPLETED", heldReason: "NotAuthorized", energyWh: 4000, stopReason: "Local" }
    expect(await world.sessionOf(id)).toMatchObject(session)
  })

  it("is held if the next start's register shows that energy was delivered", async () => {
    const { id, station } = await refused()
    await station.start(1, await world.card(), {
      meterStart: 3000,
      timestamp: new Date(Date.now() + 2000).toISOString()
    })
    const sessions = await world.items(`sessions?chargerId=${id}`)
    expect(sessions.map(({ heldReason, status }) => [status, heldReason])).toEqual([
      ["ACTIVE", null],
      ["COMPLETED", "StopMissing"]
    ])
  })

  it("is held if the charger delivered energy nevertheless, and billed once it is released", async () => {
    const { id, station, transactionId } = await refused()
    await station.stop(transactionId, { meterStop: 5000 })
    const { id: sessionId } = await world.sessionOf(id)
    const path = `sessions/${String(sessionId)}`
    expect(await world.get(path)).toMatchObject({ status: "COMPLETED", heldReason: "NotAuthorized" })
    expect(await world.items(`cdrs?sessionId=${String(sessionId)}`)).toEqual([])
    expect(await world.post(`${path}/release`, undefined)).toMatchObject({ heldReason: null, cost: { exclVat: 3 } })
    expect(await world.items(`cdrs?sessionId=${String(sessionId)}`)).toMatchObject([{ totalCost: { exclVat: 3 } }])
  })
})

describe("a reservation with a price", () => {
  const component = (type: string, price: number) => ({ type, price, stepSize: 1 })

  /** A charger whose tariff is 2 and 1 a second for reservations, 2 a second for unused ones, and 0.5 for each kWh. */
  const reserved = async (seconds: number) => {
    const made = await world.station()
    const tariff = await world.post("tariffs", {
      currency: "EUR",
      elements: [
        {
          priceComponents: [component("FLAT", 2), component("TIME", 3600)],
          restrictions: { reservation: "RESERVATION" }
        },
        { priceComponents: [component("TIME", 7200)], restrictions: { reservation: "RESERVATION_EXPIRES" } },
        { priceComponents: [component("ENERGY", 0.5)] }
      ]
    })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: made.id })
    const idTag = await world.card()
    made.station.on("ReserveNow", { status: "Accepted" })
    const command = await world.command(made.id, "ReserveNow", {
      connectorId: 1,
      idTag,
      expiryDate: soon(seconds / 60)
    })
    const reservationId = Number(made.station.asked("ReserveNow")[0]?.["reservationId"])
    return { ...made, tariff, idTag, reservationId, acceptedAt: Date.parse(String(command.completedAt)) }
  }
  const after = (at: number, seconds: number) => new Date(at + seconds * 1000).toISOString()

  /** Waits until the real clock reaches `at`: a charger's clock that is ahead makes a session doubtful. */
  const comes = (at: number) =>
    until(
      () => "it comes",
      15_000,
      () => Promise.resolve(Date.now() >= at)
    )

  /** Periods of records have whole seconds. */
  const inWholeSeconds = (time: string): string => time.replace(/\.\d+Z$/, ".000Z")

  it("is part of the session that used it, and of its record", async () => {
    const { acceptedAt, id, idTag, reservationId, station } = await reserved(3600)
    const before = await world.sessionOf(id)
    expect(before).toMatchObject({
      status: "RESERVATION",
      transactionId: null,
      tokenUid: idTag,
      reservationId,
      startedAt: after(acceptedAt, 0),
      endedAt: null,
      authorization: { status: "Accepted", source: "Reservation" }
    })
    expect(await world.items(`sessions?chargerId=${id}&status=RESERVATION`)).toMatchObject([{ id: before["id"] }])
    await comes(acceptedAt + 3000)
    const start = { reservationId, meterStart: 0, timestamp: after(acceptedAt, 2) }
    const { id: transactionId } = await station.start(1, idTag, start)
    const sessionId = before["id"]
    const path = `sessions/${String(sessionId)}`
    const running = { status: "ACTIVE", transactionId, reservationId, cost: { exclVat: 4 } }
    expect(await world.get(path)).toMatchObject(running)
    expect(await world.items(`sessions?chargerId=${id}`)).toMatchObject([{ id: sessionId, status: "ACTIVE" }])
    expect((await world.items(`reservations?chargerId=${id}`))[0]).toMatchObject({ status: "Used", sessionId })
    // A repeated start is the same transaction.
    expect(await station.start(1, idTag, start)).toMatchObject({ id: transactionId, status: "Accepted" })
    await station.stop(transactionId, { meterStop: 400, timestamp: after(acceptedAt, 3) })
    const session = await world.get(path)
    expect(session).toMatchObject({ status: "COMPLETED", startedAt: after(acceptedAt, 2), cost: { exclVat: 4.2 } })
    const { items } = await world.eventually("its record", `cdrs?sessionId=${String(sessionId)}`, (answer) => {
      return (answer["items"] as ReadonlyArray<unknown>).length > 0
    })
    expect(items).toMatchObject([
      {
        reservationId,
        authorization: { status: "Accepted", source: "Reservation" },
        totalReservationCost: { exclVat: 4 },
        totalEnergyCost: { exclVat: 0.2 },
        totalCost: { exclVat: 4.2 },
        totalTimeHours: 1 / 3600,
        periods: [
          {
            startedAt: inWholeSeconds(after(acceptedAt, 0)),
            endedAt: inWholeSeconds(after(acceptedAt, 2)),
            reserved: true,
            elements: { FLAT: 0, TIME: 0 }
          },
          { startedAt: inWholeSeconds(after(acceptedAt, 2)), energyWh: 400, elements: { ENERGY: 2 } }
        ]
      }
    ])
  })

  it("costs nothing when it is cancelled", async () => {
    const { id, reservationId, station } = await reserved(3600)
    const { id: sessionId } = await world.sessionOf(id)
    station.on("CancelReservation", { status: "Accepted" })
    await world.command(id, "CancelReservation", { reservationId })
    expect(await world.get(`sessions/${String(sessionId)}`)).toMatchObject({
      status: "INVALID",
      cost: { exclVat: 0 },
      reservationId
    })
    expect(await world.items(`cdrs?chargerId=${id}`)).toEqual([])
  })

  it("has a record of its own when it expired unused", async () => {
    const { acceptedAt, id, reservationId, station } = await reserved(3)
    const { id: sessionId } = await world.sessionOf(id)
    const { expiryDate } = station.asked("ReserveNow")[0] ?? {}
    const seconds = (Date.parse(String(expiryDate)) - acceptedAt) / 1000
    const answer = await world.eventually("its record", `cdrs?sessionId=${String(sessionId)}`, ({ items }) => {
      return (items as ReadonlyArray<unknown>).length > 0
    })
    // Two for each second, rounded up, and the fee.
    const exclVat = 2 + Math.ceil(seconds) * 2
    expect(answer["items"]).toMatchObject([
      {
        reservationId,
        totalReservationCost: { exclVat },
        totalCost: { exclVat },
        totalEnergyKwh: 0,
        totalTimeHours: 0,
        periods: [{ endedAt: inWholeSeconds(String(expiryDate)), reserved: true, elements: { FLAT: 0, TIME: 1 } }]
      }
    ])
    expect(await world.get(`sessions/${String(sessionId)}`)).toMatchObject({
      status: "COMPLETED",
      transactionId: null,
      endedAt: expiryDate
    })
    expect((await world.items(`reservations?chargerId=${id}`))[0]).toMatchObject({ status: "Expired", sessionId })
  })
})
