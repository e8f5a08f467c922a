/** The Core cases: booting, charging by card, going offline and reconnecting, failed authorization, and data of vendors. */
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World()

describe("OCPP 1.6 Core, charging", () => {
  it("TC_001 accepts a cold boot and shows the charger and its connectors", async () => {
    const { id, station } = await world.station()
    expect(await station.boot()).toMatchObject({ status: "Accepted", interval: 300 })
    expect(await station.call("Heartbeat", {})).toHaveProperty("currentTime")
    const charger = await world.get(`chargers/${id}`)
    expect(charger).toMatchObject({
      manufacturer: "Cases",
      chargerModel: "One",
      firmwareVersion: "1.0",
      activeConnection: true
    })
    expect(await world.connectorStatus(id, 1)).toBe("Available")
  })

  it("TC_003 runs a session that begins with the plug", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    await station.status(1, "Preparing")
    expect(await station.call("Authorize", { idTag: card })).toMatchObject({ idTagInfo: { status: "Accepted" } })
    const { id: transactionId, status } = await station.start(1, card)
    expect(status).toBe("Accepted")
    await station.status(1, "Charging")
    await station.meter(1, transactionId, 600)
    expect(await world.sessionOf(id)).toMatchObject({ status: "ACTIVE", tokenUid: card, energyWh: 500 })
    await station.stop(transactionId, { idTag: card, reason: "Local" })
    await station.status(1, "Finishing")
    await station.status(1, "Available")
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", energyWh: 1000, stopReason: "Local" })
  })

  it("TC_004_1 runs a session that begins with the card", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    expect(await station.call("Authorize", { idTag: card })).toMatchObject({ idTagInfo: { status: "Accepted" } })
    await station.status(1, "Preparing")
    const { id: transactionId } = await station.start(1, card)
    await station.stop(transactionId)
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", energyWh: 1000 })
  })

  it("TC_004_2 leaves no session when no plug follows the card", async () => {
    const { id, station } = await world.station()
    await station.call("Authorize", { idTag: await world.card() })
    await station.status(1, "Preparing")
    await station.status(1, "Available")
    expect(await world.connectorStatus(id, 1)).toBe("Available")
    expect(await world.items(`sessions?chargerId=${id}`)).toEqual([])
  })

  it("TC_005_1 ends a session that was unplugged at the vehicle", async () => {
    const { id, station } = await world.station()
    const { id: transactionId } = await station.start(1, await world.card())
    await station.status(1, "SuspendedEV")
    await station.stop(transactionId, { reason: "EVDisconnected" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", stopReason: "EVDisconnected" })
  })

  it("TC_007 accepts a start whose card the charger knew from its cache", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    await station.status(1, "Preparing")
    expect(await station.start(1, card)).toMatchObject({ status: "Accepted" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "ACTIVE", tokenUid: card })
    expect(await world.messages(id, "Authorize")).toEqual([])
  })

  const refused = [
    { id: "TC_023_1", what: "is unknown", status: "Invalid", token: undefined },
    { id: "TC_023_2", what: "has expired", status: "Expired", token: { status: "Expired" } },
    { id: "TC_023_3", what: "is blocked", status: "Blocked", token: { status: "Blocked" } }
  ]
  for (const { id: tc, status, token, what } of refused) {
    it(`${tc} refuses a card that ${what}`, async () => {
      const { station } = await world.station()
      const idTag = token === undefined ? "UNKNOWN-CARD" : await world.card(token)
      expect(await station.call("Authorize", { idTag })).toMatchObject({ idTagInfo: { status } })
    })
  }

  it("TC_024 shows a connector whose lock failed", async () => {
    const { id, station } = await world.station()
    await station.call("Authorize", { idTag: await world.card() })
    await station.status(1, "Faulted", { errorCode: "ConnectorLockFailure" })
    expect(await world.connectorStatus(id, 1)).toBe("Faulted")
  })

  it("TC_032_1 accepts the stop of a session that a power failure ended", async () => {
    const { id, station } = await world.station()
    const { id: transactionId } = await station.start(1, await world.card())
    await station.close()
    const { station: again } = await world.station(id)
    await again.stop(transactionId, { reason: "PowerLoss" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", stopReason: "PowerLoss" })
  })

  it("TC_037_1 accepts a start that was made offline with a valid card", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    await station.close()
    const { station: again } = await world.station(id)
    const timestamp = new Date(Date.now() - 600_000).toISOString()
    expect(await again.start(1, card, { timestamp })).toMatchObject({ status: "Accepted" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "ACTIVE", startedAt: timestamp })
  })

  it("TC_037_3 answers an offline start with an invalid card Invalid, and accepts the stop that follows", async () => {
    const { id, station } = await world.station()
    const timestamp = new Date(Date.now() - 600_000).toISOString()
    const { id: transactionId, status } = await station.start(1, "UNKNOWN-OFFLINE", { timestamp })
    expect(status).toBe("Invalid")
    await station.stop(transactionId, { reason: "DeAuthorized" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", stopReason: "DeAuthorized" })
  })

  it("TC_039 accepts a whole transaction that happened offline", async () => {
    const { id, station } = await world.station()
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const { id: transactionId } = await station.start(1, await world.card(), { timestamp: at(30) })
    const stoppedAt = at(10)
    await station.stop(transactionId, { timestamp: stoppedAt, reason: "Local" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", energyWh: 1000, endedAt: stoppedAt })
  })

  it("TC_064 answers a DataTransfer of an unknown vendor", async () => {
    const { station } = await world.station()
    const answer = await station.call("DataTransfer", { vendorId: "com.example", messageId: "hello", data: "{}" })
    expect(answer).toEqual({ status: "UnknownVendorId" })
  })

  it("answers a DataTransfer of 900 KiB, and shows the operator a large answer up to the stored length", async () => {
    const { id, station } = await world.station()
    const large = { vendorId: "com.example", data: "x".repeat(900 * 1024) }
    expect(await station.call("DataTransfer", large)).toEqual({ status: "UnknownVendorId" })
    station.on("DataTransfer", { status: "Accepted", data: "y".repeat(100_000) })
    const { result, status } = await world.command(id, "DataTransfer", { vendorId: "com.example", data: "{}" })
    expect(status).toBe("Accepted")
    expect(result).toMatchObject({ status: "Accepted", data: expect.stringMatching(/^y{65000,65536}…$/) as unknown })
    // Charging works as before.
    const { id: transactionId } = await station.start(1, await world.card())
    await station.stop(transactionId)
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", energyWh: 1000 })
  })
})
