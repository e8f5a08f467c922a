/** Partners' reservations over real HTTP, at real charger sockets: moved to another charger, used by a session, and cancelled. */
import { describe, expect, it } from "vitest"
import { until } from "../../simulation/Wait.ts"
import { Roaming } from "../partner/Roaming.ts"
import type { Json } from "../partner/Wire.ts"
import { bodies } from "./Bodies.ts"
import { Drive, problemsOf } from "./Drive.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

describe("RESERVE_NOW", () => {
  it("for the same reservation at another charger cancels it at the first", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    const { evseUid, station } = await drive.beside(partner, spot)
    for (const one of [spot.station, station]) {
      one.on("ReserveNow", { status: "Accepted" }).on("CancelReservation", { status: "Accepted" })
    }
    const first = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot))
    expect(await partner.result(first.id)).toEqual({ result: "ACCEPTED" })
    const moved = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot, { evse_uid: evseUid }))
    expect(await partner.result(moved.id)).toEqual({ result: "ACCEPTED" })
    const reservationId = spot.station.asked("ReserveNow")[0]?.["reservationId"]
    expect(station.asked("ReserveNow")).toMatchObject([{ connectorId: 1, reservationId }])
    const cancelled = () => Promise.resolve(spot.station.asked("CancelReservation").length === 1)
    await until(() => "the first charger let go", 10_000, cancelled)
    // The cancellation goes to the charger that has the reservation now.
    const cancel = await partner.command("CANCEL_RESERVATION", { reservation_id: "R-7" })
    expect(await partner.result(cancel.id)).toEqual({ result: "ACCEPTED" })
    expect(station.asked("CancelReservation")).toEqual([{ reservationId }])
    expect(partner.results.get(first.id)).toHaveLength(1)
    expect(problemsOf(partner)).toEqual([])
  })

  it("for the same reservation at a charger that is not connected is refused, and changes nothing", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    const { evseUid, station } = await drive.beside(partner, spot)
    spot.station.on("ReserveNow", { status: "Accepted" }).on("CancelReservation", { status: "Accepted" })
    const first = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot))
    expect(await partner.result(first.id)).toEqual({ result: "ACCEPTED" })
    await station.close()
    const path = `/${spot.locationId}/${evseUid}`
    const status = async () => ((await partner.ask("GET", "locations", path)).data as Json)["status"]
    await until(
      () => "the other charger is disconnected",
      10_000,
      async () => (await status()) === "UNKNOWN"
    )
    const moved = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot, { evse_uid: evseUid }))
    expect(moved.answer).toMatchObject({ result: "REJECTED" })
    // Commands reach a charger in their order: this is the first that cancels.
    const cancel = await partner.command("CANCEL_RESERVATION", { reservation_id: "R-7" })
    expect(cancel.answer).toMatchObject({ result: "ACCEPTED" })
    expect(await partner.result(cancel.id)).toEqual({ result: "ACCEPTED" })
    const reservationId = spot.station.asked("ReserveNow")[0]?.["reservationId"]
    expect(spot.station.asked("CancelReservation")).toEqual([{ reservationId }])
    expect(partner.results.get(first.id)).toHaveLength(1)
    expect(problemsOf(partner)).toEqual([])
  })

  it("leaves its authorization_reference to the START_SESSION that follows it", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    spot.station.on("ReserveNow", { status: "Accepted" }).on("RemoteStartTransaction", { status: "Accepted" })
    const of = (reference: string) => ({ token: partner.cards.make("REFERRED"), authorization_reference: reference })
    const reserve = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot, of("R-1")))
    expect(await partner.result(reserve.id)).toEqual({ result: "ACCEPTED" })
    const start = await partner.command("START_SESSION", bodies.START_SESSION(partner, spot, of("S-1")))
    expect(await partner.result(start.id)).toEqual({ result: "ACCEPTED" })
    expect((await spot.station.start(1, "REFERRED")).status).toBe("Accepted")
    const sessions = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
    expect(sessions).toMatchObject([{ status: "ACTIVE", authorization_reference: "S-1" }])
    expect(problemsOf(partner)).toEqual([])
  })

  it("keeps the connector for its driver, whose session it becomes", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    spot.station.on("ReserveNow", { status: "Accepted" })
    const token = partner.cards.make("RESERVER")
    const { id } = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot, { token }))
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    // The card is not valid at another connector.
    expect((await spot.station.start(2, "RESERVER")).status).toBe("Invalid")
    const { status } = await spot.station.start(1, "RESERVER")
    expect(status).toBe("Accepted")
    const sessions = await world.items(`sessions?chargerId=${spot.chargerId}`)
    expect(sessions.find((session) => session["connectorId"] === 1)).toMatchObject({
      tokenUid: "RESERVER",
      status: "ACTIVE"
    })
    const stop = await partner.command("STOP_SESSION", {
      session_id: String(sessions.find((one) => one["evseId"] === 1)?.["id"])
    })
    expect(stop.answer).toMatchObject({ result: "ACCEPTED" })
    expect(problemsOf(partner)).toEqual([])
  })
})

describe("CANCEL_RESERVATION", () => {
  it.each(["2.2", "2.2.1"] as const)(
    "on OCPI %s cancels only the partner's own reservation, by the charger's number",
    async (version) => {
      const { partner } = await roaming.registered(version)
      const other = await roaming.registered(version)
      const spot = await drive.spot(partner)
      spot.station.on("ReserveNow", { status: "Accepted" }).on("CancelReservation", { status: "Accepted" })
      for (const [who, connectorId] of [
        [partner, 1],
        [other.partner, 2]
      ] as const) {
        const { id } = await who.command(
          "RESERVE_NOW",
          bodies.RESERVE_NOW(who, spot, { evse_uid: spot.evse(connectorId) })
        )
        expect(await who.result(id)).toEqual({ result: "ACCEPTED" })
      }
      const first = spot.station.asked("ReserveNow")[0]?.["reservationId"]
      const stranger = await roaming.registered(version)
      const foreign = await stranger.partner.command("CANCEL_RESERVATION", { reservation_id: "R-7" })
      expect(foreign.answer).toMatchObject({ result: "REJECTED" })
      const cancel = await partner.command("CANCEL_RESERVATION", { reservation_id: "r-7" })
      expect(await partner.result(cancel.id)).toEqual({ result: "ACCEPTED" })
      expect(spot.station.asked("CancelReservation")).toEqual([{ reservationId: first }])
      // The partner gets no message about its own cancellation, and nothing is left to cancel.
      expect((await partner.command("CANCEL_RESERVATION", { reservation_id: "R-7" })).answer).toMatchObject({
        result: "REJECTED"
      })
      spot.station.on("CancelReservation", { status: "Rejected" })
      const unknown = await other.partner.command("CANCEL_RESERVATION", { reservation_id: "R-7" })
      expect(await other.partner.result(unknown.id)).toEqual({ result: "UNKNOWN_RESERVATION" })
      expect(problemsOf(partner, other.partner)).toEqual([])
    }
  )

  it("does not exist in OCPI 2.1.1, where partners are not informed of our cancellations either", async () => {
    const { partner } = await roaming.registered("2.1.1")
    const spot = await drive.spot(partner)
    spot.station.on("ReserveNow", { status: "Accepted" }).on("CancelReservation", { status: "Accepted" })
    const { id } = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot))
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    const { answer } = await partner.command("CANCEL_RESERVATION", { reservation_id: 7 })
    expect(answer).toEqual({ result: "NOT_SUPPORTED" })
    const reservationId = spot.station.asked("ReserveNow")[0]?.["reservationId"]
    await world.command(spot.chargerId, "CancelReservation", { reservationId })
    // A result that is posted afterwards shows that none was posted before.
    spot.station.on("UnlockConnector", { status: "Unlocked" })
    const unlock = await partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
    await partner.result(unlock.id)
    expect(partner.results.get(id)).toHaveLength(1)
  })

  it.each(["2.2", "2.2.1"] as const)(
    "by our operator is posted on OCPI %s to the response_url of the RESERVE_NOW",
    async (version) => {
      const { partner } = await roaming.registered(version)
      const spot = await drive.spot(partner)
      spot.station.on("ReserveNow", { status: "Accepted" }).on("CancelReservation", { status: "Accepted" })
      const { id } = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot))
      expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
      const reservationId = spot.station.asked("ReserveNow")[0]?.["reservationId"]
      await world.command(spot.chargerId, "CancelReservation", { reservationId })
      await partner.eventually("the cancellation", () => partner.results.get(id)?.length === 2)
      expect(partner.results.get(id)?.[1]).toEqual({ result: "CANCELED_RESERVATION" })
    }
  )
})
