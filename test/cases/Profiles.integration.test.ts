/** The cases of the smaller profiles: local lists, reservations, remote trigger, smart charging. */
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World()

const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe("OCPP 1.6 LocalAuthListManagement", () => {
  it("TC_042_1 shows that a charger has no local list", async () => {
    const { id, station } = await world.station()
    station.on("GetLocalListVersion", { listVersion: -1 })
    expect(await world.command(id, "GetLocalListVersion")).toMatchObject({
      status: "Accepted",
      result: { listVersion: -1 }
    })
  })

  it("TC_042_2 shows that a charger's local list is empty", async () => {
    const { id, station } = await world.station()
    station.on("GetLocalListVersion", { listVersion: 0 })
    expect(await world.command(id, "GetLocalListVersion")).toMatchObject({
      status: "Accepted",
      result: { listVersion: 0 }
    })
  })

  for (const { answer, id: tc } of [
    { id: "TC_043_1", answer: "NotSupported" },
    { id: "TC_043_3", answer: "Failed" }
  ]) {
    it(`${tc} shows that a local list was answered ${answer}`, async () => {
      const { id, station } = await world.station()
      station.on("SendLocalList", { status: answer })
      const command = await world.command(id, "SendLocalList", {
        listVersion: 1,
        updateType: "Full",
        localAuthorizationList: []
      })
      expect(command).toMatchObject({ status: "Rejected", result: { status: answer } })
    })
  }

  it("TC_043_4 sends the organisation's own cards as a full list", async () => {
    const { id, station } = await world.station()
    const [accepted, blocked] = [await world.card(), await world.card({ status: "Blocked" })]
    station.on("SendLocalList", { status: "Accepted" })
    expect(await world.command(id, "SendLocalList", { listVersion: 7, updateType: "Full" })).toMatchObject({
      status: "Accepted"
    })
    const [sent] = station.asked("SendLocalList")
    expect(sent).toMatchObject({ listVersion: 7, updateType: "Full" })
    const list = sent?.["localAuthorizationList"]
    expect(list).toContainEqual({ idTag: accepted, idTagInfo: { status: "Accepted" } })
    expect(list).toContainEqual({ idTag: blocked, idTagInfo: { status: "Blocked" } })
  })

  it("TC_043_5 sends a differential list that adds one card and removes another", async () => {
    const { id, station } = await world.station()
    station.on("SendLocalList", { status: "Accepted" })
    const localAuthorizationList = [
      { idTag: "NEW", idTagInfo: { status: "Accepted", parentIdTag: "GROUP" } },
      { idTag: "GONE" }
    ]
    const command = await world.command(id, "SendLocalList", {
      listVersion: 8,
      updateType: "Differential",
      localAuthorizationList
    })
    expect(command).toMatchObject({ status: "Accepted" })
    expect(station.asked("SendLocalList")).toEqual([
      { listVersion: 8, updateType: "Differential", localAuthorizationList }
    ])
  })
})

describe("OCPP 1.6 Reservation", () => {
  /** A reservation that the charger accepted. */
  const reserved = async (connectorId = 1, more: Readonly<Record<string, unknown>> = {}) => {
    const made = await world.station()
    const idTag = await world.card()
    made.station.on("ReserveNow", { status: "Accepted" })
    const command = await world.command(made.id, "ReserveNow", { connectorId, idTag, expiryDate: soon(10), ...more })
    expect(command).toMatchObject({ status: "Accepted" })
    const reservationId = Number(made.station.asked("ReserveNow")[0]?.["reservationId"])
    return { ...made, idTag, reservationId }
  }
  const shown = async (chargerId: string) => (await world.items(`reservations?chargerId=${chargerId}`))[0]

  it("TC_046 marks a reservation as used when its card starts", async () => {
    const { id, idTag, reservationId, station } = await reserved()
    expect(await shown(id)).toMatchObject({ reservationId, chargerId: id, connectorId: 1, idTag, status: "Active" })
    await station.status(1, "Reserved")
    expect(await world.connectorStatus(id, 1)).toBe("Reserved")
    const { status } = await station.start(1, idTag, { reservationId })
    expect(status).toBe("Accepted")
    const session = await world.sessionOf(id)
    expect(await shown(id)).toMatchObject({ status: "Used", sessionId: session["id"] })
  })

  it("marks a reservation as used by a start that arrives before the charger's answer to it", async () => {
    const { id, station } = await world.station()
    const idTag = await world.card()
    station.on("ReserveNow", async ({ reservationId }) => {
      await station.start(1, idTag, { reservationId })
      return { status: "Accepted" }
    })
    const command = await world.command(id, "ReserveNow", { connectorId: 1, idTag, expiryDate: soon(10) })
    expect(command).toMatchObject({ status: "Accepted" })
    const session = await world.sessionOf(id)
    expect(await shown(id)).toMatchObject({ status: "Used", reason: null, sessionId: session["id"] })
  })

  it("TC_047 lets a reservation expire", async () => {
    const { id, station } = await reserved(1, { expiryDate: new Date(Date.now() + 3000).toISOString() })
    await station.status(1, "Reserved")
    const expired = await world.eventually("it has expired", `reservations?chargerId=${id}`, ({ items }) =>
      JSON.stringify(items).includes('"Expired"')
    )
    await station.status(1, "Available")
    expect(expired).toMatchObject({ items: [{ status: "Expired" }] })
  })

  for (const { answer, id: tc } of [
    { id: "TC_048_1", answer: "Faulted" },
    { id: "TC_048_2", answer: "Occupied" },
    { id: "TC_048_3", answer: "Unavailable" },
    { id: "TC_048_4", answer: "Rejected" }
  ]) {
    it(`${tc} shows that a reservation was answered ${answer}`, async () => {
      const { id, station } = await world.station()
      station.on("ReserveNow", { status: answer })
      const command = await world.command(id, "ReserveNow", {
        connectorId: 1,
        idTag: await world.card(),
        expiryDate: soon(10)
      })
      expect(command).toMatchObject({ status: "Rejected", result: { status: answer } })
      expect(await shown(id)).toMatchObject({ status: "Rejected" })
    })
  }

  it("TC_049 marks a reservation of the whole charger as used on the connector that the driver chose", async () => {
    const { id, idTag, reservationId, station } = await reserved(0)
    await station.start(2, idTag, { reservationId })
    expect(await shown(id)).toMatchObject({ connectorId: 0, status: "Used" })
  })

  it("TC_051 cancels a reservation", async () => {
    const { id, reservationId, station } = await reserved()
    station.on("CancelReservation", { status: "Accepted" })
    expect(await world.command(id, "CancelReservation", { reservationId })).toMatchObject({ status: "Accepted" })
    expect(station.asked("CancelReservation")).toEqual([{ reservationId }])
    expect(await shown(id)).toMatchObject({ status: "Cancelled" })
  })

  it("TC_052 shows that a charger has no such reservation to cancel", async () => {
    const { id, station } = await world.station()
    station.on("CancelReservation", { status: "Rejected" })
    const command = await world.command(id, "CancelReservation", { reservationId: 99 })
    expect(command).toMatchObject({ status: "Rejected", result: { status: "Rejected" } })
  })

  it("TC_053 marks a reservation as used when another card of the same group starts", async () => {
    const { id, reservationId, station } = await reserved(1, { parentIdTag: "FAMILY" })
    const other = await world.card({ parentUid: "FAMILY" })
    expect(await station.call("Authorize", { idTag: other })).toMatchObject({ idTagInfo: { parentIdTag: "FAMILY" } })
    await station.start(1, other, { reservationId })
    expect(await shown(id)).toMatchObject({ status: "Used" })
  })
})

describe("OCPP 1.6 RemoteTrigger", () => {
  it("TC_054 triggers five kinds of messages", async () => {
    const { id, station } = await world.station()
    station.on("TriggerMessage", { status: "Accepted" })
    const messages = [
      "MeterValues",
      "Heartbeat",
      "StatusNotification",
      "DiagnosticsStatusNotification",
      "FirmwareStatusNotification"
    ]
    for (const requestedMessage of messages) {
      expect(await world.command(id, "TriggerMessage", { requestedMessage, connectorId: 1 })).toMatchObject({
        status: "Accepted"
      })
    }
    expect(station.asked("TriggerMessage").slice(-5)).toEqual(
      messages.map((requestedMessage) => ({ requestedMessage, connectorId: 1 }))
    )
  })

  it("TC_055 shows that a trigger was rejected", async () => {
    const { id, station } = await world.station()
    station.on("TriggerMessage", { status: "Rejected" })
    const command = await world.command(id, "TriggerMessage", { requestedMessage: "MeterValues", connectorId: 1 })
    expect(command).toMatchObject({ status: "Rejected" })
  })
})

describe("OCPP 1.6 SmartCharging", () => {
  const profile = (more: Readonly<Record<string, unknown>> = {}) => ({
    chargingProfileId: 11,
    stackLevel: 1,
    chargingProfilePurpose: "TxDefaultProfile",
    chargingProfileKind: "Absolute",
    chargingSchedule: {
      duration: 86_400,
      startSchedule: "2026-01-01T00:00:00.000Z",
      chargingRateUnit: "A",
      chargingSchedulePeriod: [
        { startPeriod: 0, limit: 16 },
        { startPeriod: 3600, limit: 10.5, numberPhases: 3 }
      ]
    },
    ...more
  })
  const profilesOf = async (chargerId: string) => world.items(`chargers/${chargerId}/charging-profiles`)

  it("TC_056 sets a default profile for transactions, and lists it", async () => {
    const { id, station } = await world.station()
    station.on("SetChargingProfile", { status: "Accepted" })
    const chargingProfile = profile()
    expect(await world.command(id, "SetChargingProfile", { connectorId: 1, chargingProfile })).toMatchObject({
      status: "Accepted"
    })
    expect(station.asked("SetChargingProfile")).toEqual([{ connectorId: 1, csChargingProfiles: chargingProfile }])
    expect(await profilesOf(id)).toMatchObject([{ connectorId: 1, chargingProfile: { chargingProfileId: 11 } }])
  })

  it("TC_057 sets a profile for a running transaction", async () => {
    const { id, station } = await world.station()
    station.on("SetChargingProfile", { status: "Accepted" })
    const { id: transactionId } = await station.start(1, await world.card())
    const chargingProfile = profile({ chargingProfilePurpose: "TxProfile", transactionId })
    expect(await world.command(id, "SetChargingProfile", { connectorId: 1, chargingProfile })).toMatchObject({
      status: "Accepted"
    })
    expect(station.asked("SetChargingProfile")).toEqual([{ connectorId: 1, csChargingProfiles: chargingProfile }])
  })

  it("TC_059 starts a session remotely with a profile of its own", async () => {
    const { id, station } = await world.station()
    station.on("RemoteStartTransaction", { status: "Accepted" })
    const idTag = await world.card()
    const chargingProfile = profile({ chargingProfilePurpose: "TxProfile" })
    expect(await world.command(id, "RemoteStart", { idTag, connectorId: 1, chargingProfile })).toMatchObject({
      status: "Accepted"
    })
    expect(station.asked("RemoteStartTransaction")).toEqual([{ idTag, connectorId: 1, chargingProfile }])
    expect(await profilesOf(id)).toEqual([])
    const { id: transactionId } = await station.start(1, idTag)
    expect(await profilesOf(id)).toMatchObject([
      { connectorId: 1, chargingProfile: { chargingProfileId: 11, chargingProfilePurpose: "TxProfile", transactionId } }
    ])
    await station.stop(transactionId)
    expect(await profilesOf(id)).toEqual([])
  })

  it("TC_066 gets the composite schedule of the charger's profiles", async () => {
    const { id, station } = await world.station()
    const chargingSchedule = {
      duration: 300,
      chargingRateUnit: "A",
      chargingSchedulePeriod: [{ startPeriod: 0, limit: 16 }]
    }
    const answer = { status: "Accepted", connectorId: 1, scheduleStart: new Date().toISOString(), chargingSchedule }
    station.on("SetChargingProfile", { status: "Accepted" }).on("GetCompositeSchedule", answer)
    await world.command(id, "SetChargingProfile", { connectorId: 1, chargingProfile: profile() })
    const command = await world.command(id, "GetCompositeSchedule", {
      connectorId: 1,
      duration: 300,
      chargingRateUnit: "A"
    })
    expect(command).toMatchObject({ status: "Accepted", result: answer })
    expect(station.asked("GetCompositeSchedule")).toEqual([{ connectorId: 1, duration: 300, chargingRateUnit: "A" }])
    expect(await world.get(`chargers/${id}/composite-schedule?connectorId=1&duration=300`)).toMatchObject({
      computed: { chargingRateUnit: "A" }
    })
  })

  it("TC_067 clears a profile by its id and by criteria", async () => {
    const { id, station } = await world.station()
    station.on("SetChargingProfile", { status: "Accepted" }).on("ClearChargingProfile", { status: "Accepted" })
    await world.command(id, "SetChargingProfile", { connectorId: 1, chargingProfile: profile() })
    await world.command(id, "SetChargingProfile", {
      connectorId: 2,
      chargingProfile: profile({ chargingProfileId: 12 })
    })
    expect(await world.command(id, "ClearChargingProfile", { id: 11 })).toMatchObject({ status: "Accepted" })
    expect(await profilesOf(id)).toMatchObject([{ chargingProfile: { chargingProfileId: 12 } }])
    const criteria = { connectorId: 2, chargingProfilePurpose: "TxDefaultProfile", stackLevel: 1 }
    await world.command(id, "ClearChargingProfile", criteria)
    expect(station.asked("ClearChargingProfile")).toEqual([{ id: 11 }, criteria])
    expect(await profilesOf(id)).toEqual([])
    station.on("ClearChargingProfile", { status: "Unknown" })
    expect(await world.command(id, "ClearChargingProfile", { id: 99 })).toMatchObject({ status: "Rejected" })
  })
})
