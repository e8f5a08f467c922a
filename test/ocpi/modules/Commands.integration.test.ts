/** Commands of partners over real HTTP, to a real charger socket, in every version: the answer at once and the result posted afterwards. */
import { describe, expect, it } from "vitest"
import { until } from "../../simulation/Wait.ts"
import type { Partner } from "../partner/Partner.ts"
import { Roaming } from "../partner/Roaming.ts"
import { itInCommon, usualVersions } from "../partner/Usual.ts"
import type { Json } from "../partner/Wire.ts"
import { bodies } from "./Bodies.ts"
import { Drive, problemsOf, type Spot } from "./Drive.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

type Name = keyof typeof bodies

const actions = {
  START_SESSION: "RemoteStartTransaction",
  RESERVE_NOW: "ReserveNow",
  UNLOCK_CONNECTOR: "UnlockConnector"
} as const

/** The charger's answer, and the result for the partner in 2.2 and in 2.1.1. */
const said: ReadonlyArray<readonly [Name, string, string, string]> = [
  ["START_SESSION", "Accepted", "ACCEPTED", "ACCEPTED"],
  ["START_SESSION", "Rejected", "REJECTED", "REJECTED"],
  ["RESERVE_NOW", "Accepted", "ACCEPTED", "ACCEPTED"],
  ["RESERVE_NOW", "Rejected", "REJECTED", "REJECTED"],
  ["RESERVE_NOW", "Occupied", "EVSE_OCCUPIED", "REJECTED"],
  ["RESERVE_NOW", "Faulted", "EVSE_INOPERATIVE", "REJECTED"],
  ["RESERVE_NOW", "Unavailable", "EVSE_INOPERATIVE", "REJECTED"],
  ["UNLOCK_CONNECTOR", "Unlocked", "ACCEPTED", "ACCEPTED"],
  ["UNLOCK_CONNECTOR", "UnlockFailed", "FAILED", "REJECTED"],
  ["UNLOCK_CONNECTOR", "NotSupported", "NOT_SUPPORTED", "NOT_SUPPORTED"]
]

describe.each(usualVersions)("commands on OCPI %s", (version) => {
  const common = itInCommon(version)

  const byVersion = (modern: string, old: string) => (version === "2.1.1" ? old : modern)
  const accepted = version === "2.1.1" ? { result: "ACCEPTED" } : { result: "ACCEPTED", timeout: 90 }

  it("are sent to the charger, and its answer is posted in the version's terms", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    for (const [name, status, modern, old] of said) {
      spot.station.on(actions[name], { status })
      const { answer, id } = await partner.command(name, bodies[name](partner, spot))
      expect(answer, name).toEqual(accepted)
      expect(await partner.result(id), `${name} ${status}`).toEqual({ result: byVersion(modern, old) })
    }
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([
      { idTag: "UID1", connectorId: 1 },
      { idTag: "UID1", connectorId: 1 }
    ])
    expect(spot.station.asked("UnlockConnector")[0]).toEqual({ connectorId: 1 })
    expect(problemsOf(partner)).toEqual([])
  })

  it("report when the charger does not support a command, fails, or disconnects", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    const { answer, id } = await partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
    expect(answer).toEqual(accepted)
    expect(await partner.result(id)).toEqual({ result: "NOT_SUPPORTED" })
    spot.station.on("UnlockConnector", () => {
      throw new Error("broken")
    })
    const failed = await partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
    expect(await partner.result(failed.id)).toEqual({ result: byVersion("FAILED", "REJECTED") })
    spot.station.on("UnlockConnector", async () => {
      await spot.station.close()
      return { status: "Unlocked" }
    })
    const lost = await partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
    expect(await partner.result(lost.id)).toEqual({ result: byVersion("FAILED", "REJECTED") })
    // The charger is disconnected now. The answer says so at once, and no result follows.
    const offline = await partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
    expect(offline.answer).toMatchObject({ result: "REJECTED" })
    expect(problemsOf(partner)).toEqual([])
  })

  it("start a session that belongs to the partner, and stop it", async () => {
    const { id: partnerId, partner } = await roaming.registered(version)
    const other = await roaming.registered(version)
    const spot = await drive.spot(partner)
    spot.station.on("RemoteStartTransaction", { status: "Accepted" })
    const reference = version === "2.1.1" ? {} : { authorization_reference: "REF-1" }
    const body = bodies.START_SESSION(partner, spot, { token: partner.cards.make("DRIVER1"), ...reference })
    const { id } = await partner.command("START_SESSION", body)
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    // The charger sends Authorize before it begins, as many do.
    expect(await spot.station.call("Authorize", { idTag: "DRIVER1" })).toMatchObject({
      idTagInfo: { status: "Accepted" }
    })
    const { id: transactionId, status } = await spot.station.start(1, "DRIVER1")
    expect(status).toBe("Accepted")
    const session = await world.sessionOf(spot.chargerId)
    const sessionId = String(session["id"])
    const command = (await world.items(`commands?chargerId=${spot.chargerId}`))[0]
    expect(command).toMatchObject({ issuedBy: `partner:${partnerId}`, sessionId, type: "RemoteStart" })
    const audit = await world.items(`audit-log?limit=20`)
    expect(audit.map((entry) => entry["actor"])).toContain(`partner:${partnerId}`)

    spot.station.on("RemoteStopTransaction", { status: "Accepted" })
    const foreign = await other.partner.command("STOP_SESSION", { session_id: sessionId })
    expect(foreign.answer).toMatchObject({ result: "UNKNOWN_SESSION" })
    const unknown = await partner.command("STOP_SESSION", { session_id: "nothing" })
    expect(unknown.answer).toMatchObject({ result: "UNKNOWN_SESSION" })
    expect(spot.station.asked("RemoteStopTransaction")).toEqual([])
    const stop = await partner.command("STOP_SESSION", { session_id: sessionId.toUpperCase() })
    expect(stop.answer).toEqual(accepted)
    expect(await partner.result(stop.id)).toEqual({ result: "ACCEPTED" })
    expect(spot.station.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    await spot.station.stop(transactionId, { reason: "Remote" })
    const over = await partner.command("STOP_SESSION", { session_id: sessionId })
    expect(over.answer).toMatchObject({ result: "REJECTED" })
    // The command allowed the card for one start: it was never pushed as a token.
    expect((await spot.station.start(1, "DRIVER1")).status).toBe("Invalid")
    expect(problemsOf(partner, other.partner)).toEqual([])
  })

  common(
    "that a charger never answers end as TIMEOUT, and a session that starts later still belongs to the partner",
    async () => {
      const tolerances = { callTimeoutSeconds: 5 }
      await world.ask("PUT", "quirks", { rules: [{ name: "short timeout", vendor: "*", tolerances }] })
      const { id: partnerId, partner } = await roaming.registered(version)
      const spot = await drive.spot(partner)
      spot.station.on("RemoteStartTransaction", () => new Promise<Json>(() => undefined))
      const body = bodies.START_SESSION(partner, spot, { token: partner.cards.make("LATE1") })
      const { answer, id } = await partner.command("START_SESSION", body)
      expect(answer).toEqual(accepted)
      expect(await partner.result(id)).toEqual({ result: "TIMEOUT" })
      await world.ask("PUT", "quirks", { rules: [] })
      expect(spot.station.asked("RemoteStartTransaction")).toHaveLength(1)
      expect((await spot.station.start(1, "LATE1")).status).toBe("Accepted")
      expect(await world.sessionOf(spot.chargerId)).toMatchObject({ roaming: { partnerId } })
      expect(partner.results.get(id)).toHaveLength(1)
      expect(problemsOf(partner)).toEqual([])
    }
  )

  common("refuse to unlock a connector at which another partner's driver charges", async () => {
    const { partner } = await roaming.registered(version)
    const other = await roaming.registered(version)
    const spot = await drive.spot(partner)
    spot.station.on("UnlockConnector", { status: "Unlocked" })
    await drive.session(partner, spot)
    const foreign = await other.partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
    expect(foreign.answer).toMatchObject({ result: "REJECTED" })
    expect(spot.station.asked("UnlockConnector")).toEqual([])
    const beside = { ...bodies.UNLOCK_CONNECTOR(partner, spot), evse_uid: spot.evse(2) }
    for (const [who, body] of [
      [other.partner, beside],
      [partner, bodies.UNLOCK_CONNECTOR(partner, spot)]
    ] as const) {
      const { answer, id } = await who.command("UNLOCK_CONNECTOR", body)
      expect(answer).toEqual(accepted)
      expect(await who.result(id)).toEqual({ result: "ACCEPTED" })
    }
    expect(problemsOf(partner, other.partner)).toEqual([])
  })

  common("replace a long uid by a short one, the same for the reservation and for the start", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    spot.station.on("RemoteStartTransaction", { status: "Accepted" }).on("ReserveNow", { status: "Accepted" })
    const token = partner.cards.make("0123456789-0123456789-0123456789")
    const reserve = await partner.command("RESERVE_NOW", bodies.RESERVE_NOW(partner, spot, { token }))
    expect(await partner.result(reserve.id)).toEqual({ result: "ACCEPTED" })
    const start = await partner.command("START_SESSION", bodies.START_SESSION(partner, spot, { token }))
    expect(await partner.result(start.id)).toEqual({ result: "ACCEPTED" })
    const idTag = String(spot.station.asked("RemoteStartTransaction")[0]?.["idTag"])
    expect(idTag).toMatch(/^VL[0-9A-F]{16}$/)
    expect(spot.station.asked("ReserveNow")[0]?.["idTag"]).toBe(idTag)
    expect((await spot.station.start(1, idTag)).status).toBe("Accepted")
    expect(problemsOf(partner)).toEqual([])
  })

  common("send a driver without a chosen EVSE to a free one", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    spot.station.on("RemoteStartTransaction", { status: "Accepted" })
    await spot.station.status(1, "Charging")
    const { evse_uid: _, ...body } = bodies.START_SESSION(partner, spot)
    const { id } = await partner.command("START_SESSION", body)
    expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([{ idTag: "UID1", connectorId: 2 }])
    await spot.station.status(2, "Faulted")
    const full = await partner.command("START_SESSION", body)
    expect(full.answer).toMatchObject({ result: "REJECTED" })
    expect(problemsOf(partner)).toEqual([])
  })

  common("report that a start failed because of the connector's status", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    spot.station.on("RemoteStartTransaction", { status: "Rejected" })
    await spot.station.status(1, "Charging")
    const occupied = await partner.command("START_SESSION", bodies.START_SESSION(partner, spot))
    expect(await partner.result(occupied.id)).toEqual({ result: byVersion("EVSE_OCCUPIED", "REJECTED") })
    await spot.station.status(1, "Faulted")
    const faulted = await partner.command("START_SESSION", bodies.START_SESSION(partner, spot))
    expect(await partner.result(faulted.id)).toEqual({ result: byVersion("EVSE_INOPERATIVE", "REJECTED") })
  })

  common(
    "use the same reservation number at the charger for the same reservation, and another for another partner's",
    async () => {
      const { partner } = await roaming.registered(version)
      const other = await roaming.registered(version)
      const spot = await drive.spot(partner)
      spot.station.on("ReserveNow", { status: "Accepted" }).on("CancelReservation", { status: "Accepted" })
      const reserve = async (who: Partner, connectorId: number) => {
        const more = { evse_uid: spot.evse(connectorId) }
        const { id } = await who.command("RESERVE_NOW", bodies.RESERVE_NOW(who, spot, more))
        return who.result(id)
      }
      expect(await reserve(partner, 1)).toEqual({ result: "ACCEPTED" })
      expect(await reserve(partner, 1)).toEqual({ result: "ACCEPTED" })
      expect(await reserve(other.partner, 2)).toEqual({ result: "ACCEPTED" })
      const [first, again, theirs] = spot.station.asked("ReserveNow").map((asked) => asked["reservationId"])
      expect(again).toBe(first)
      expect(theirs).not.toBe(first)
      const gone = await partner.command(
        "RESERVE_NOW",
        bodies.RESERVE_NOW(partner, spot, { expiry_date: "2020-01-01T00:00:00Z" })
      )
      expect(gone.answer).toMatchObject({ result: "REJECTED" })
      const inHours = (hours: number) => ({ expiry_date: partner.time(Date.now() + hours * 3_600_000) })
      const year = bodies.RESERVE_NOW(partner, spot, inHours(365 * 24))
      expect((await partner.command("RESERVE_NOW", year)).answer).toMatchObject({ result: "REJECTED" })
      expect(spot.station.asked("ReserveNow")).toHaveLength(3)
      const day = bodies.RESERVE_NOW(partner, spot, inHours(23))
      expect((await partner.command("RESERVE_NOW", day)).answer).toMatchObject({ result: "ACCEPTED" })
      expect(problemsOf(partner, other.partner)).toEqual([])
    }
  )

  common("for what is unknown, foreign or invalid are refused without calling the charger", async () => {
    const { partner } = await roaming.registered(version)
    const spot = await drive.spot(partner)
    const rejected = async (name: string, body: Json) =>
      expect((await partner.command(name, body)).answer, JSON.stringify(body)).toMatchObject({ result: "REJECTED" })
    await rejected("START_SESSION", bodies.START_SESSION(partner, spot, { location_id: "nowhere" }))
    await rejected("START_SESSION", bodies.START_SESSION(partner, spot, { evse_uid: "none" }))
    await rejected("UNLOCK_CONNECTOR", { ...bodies.UNLOCK_CONNECTOR(partner, spot), connector_id: "9" })
    expect((await partner.command("OPEN_SESAME", {})).answer).toMatchObject({ result: "NOT_SUPPORTED" })
    const post = (body: unknown) => partner.ask("POST", "commands", "/START_SESSION", body)
    const full: Json = { response_url: `${partner.url("commands")}/x`, ...bodies.START_SESSION(partner, spot) }
    const { token: __, ...without } = full
    const longReference = version === "2.1.1" ? [] : [{ ...full, authorization_reference: "r".repeat(37) }]
    for (const body of [
      without,
      ...longReference,
      { ...full, token: { ...(full["token"] as Json), uid: "" } },
      { ...full, response_url: "no url" },
      { ...full, response_url: "file:///etc/passwd" },
      []
    ]) {
      expect(await post(body), JSON.stringify(body)).toMatchObject({ http: 200, code: 2001 })
    }
    // Tokens of 2.1.1 name no party: they belong to the partner that sends them.
    const token = { ...(full["token"] as Json), party_id: "XXX" }
    const code = version === "2.1.1" ? 1000 : 2001
    expect(await post({ ...full, location_id: "nowhere", token })).toMatchObject({ http: 200, code: 1000 })
    spot.station.on("RemoteStartTransaction", { status: "Accepted" })
    expect(await post({ ...full, token })).toMatchObject({ http: 200, code })
    const starts = version === "2.1.1" ? 1 : 0
    const asked = () => spot.station.asked("RemoteStartTransaction").length
    await until(
      () => "the charger heard of what was taken alone",
      10_000,
      () => Promise.resolve(asked() === starts)
    )
  })

  common(
    "have their result posted again to a partner that was unavailable, with the request's correlation id",
    async () => {
      const { partner } = await roaming.registered(version)
      const spot = await drive.spot(partner)
      spot.station.on("UnlockConnector", { status: "Unlocked" })
      partner.server.faults.plan({ module: "commands", fault: { does: "status", http: 503 }, times: 1 })
      partner.server.faults.plan({ module: "commands", fault: { does: "hangUp" }, times: 1 })
      const { id } = await partner.command("UNLOCK_CONNECTOR", bodies.UNLOCK_CONNECTOR(partner, spot))
      expect(await partner.result(id)).toEqual({ result: "ACCEPTED" })
      const heard = partner.server.heard.filter(({ module }) => module === "commands")
      expect(heard).toHaveLength(3)
      expect(new Set(heard.map(({ headers }) => headers["x-correlation-id"])).size).toBe(1)
      const { headers } = heard[2] ?? { headers: {} as Record<string, string> }
      expect([headers["ocpi-from-party-id"], headers["ocpi-to-party-id"]]).toEqual(
        version === "2.1.1" ? [undefined, undefined] : [world.organisation.partyId, partner.party.party_id]
      )
      expect(problemsOf(partner)).toEqual([])
    }
  )
})

describe("START_SESSION", () => {
  it("is not sent to the charger twice if it is repeated with the same authorization_reference", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    spot.station.on("RemoteStartTransaction", { status: "Accepted" })
    const body = bodies.START_SESSION(partner, spot, { authorization_reference: "REF-2" })
    const first = await partner.command("START_SESSION", body)
    expect(await partner.result(first.id)).toEqual({ result: "ACCEPTED" })
    const again = await partner.command("START_SESSION", body)
    expect(again.answer).toMatchObject({ result: "ACCEPTED" })
    expect(await partner.result(again.id)).toEqual({ result: "ACCEPTED" })
    expect(spot.station.asked("RemoteStartTransaction")).toHaveLength(1)
    const another = await partner.command("START_SESSION", { ...body, authorization_reference: "REF-3" })
    expect(await partner.result(another.id)).toEqual({ result: "ACCEPTED" })
    expect(spot.station.asked("RemoteStartTransaction")).toHaveLength(2)
    expect(problemsOf(partner)).toEqual([])
  })

  it.each<readonly [string, (spot: Spot) => Promise<unknown>]>([
    ["has been plugged in", ({ station }) => station.status(1, "Preparing")],
    [
      "has begun to charge",
      async ({ station }) => {
        await station.start(1, "UID1")
        await station.status(1, "Charging")
      }
    ]
  ])("without a chosen EVSE is not sent to another one if it is repeated when the car %s", async (_, arrive) => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    spot.station.on("RemoteStartTransaction", { status: "Accepted" })
    const more = { authorization_reference: "REF-4", evse_uid: undefined }
    const body = bodies.START_SESSION(partner, spot, more)
    const first = await partner.command("START_SESSION", body)
    expect(await partner.result(first.id)).toEqual({ result: "ACCEPTED" })
    await arrive(spot)
    const again = await partner.command("START_SESSION", body)
    expect(again.answer).toMatchObject({ result: "ACCEPTED" })
    expect(await partner.result(again.id)).toEqual({ result: "ACCEPTED" })
    expect(spot.station.asked("RemoteStartTransaction")).toEqual([{ idTag: "UID1", connectorId: 1 }])
    // Without the second command the card is not valid at the other EVSE.
    expect((await spot.station.start(2, "UID1")).status).toBe("Invalid")
    expect(problemsOf(partner)).toEqual([])
  })
})
