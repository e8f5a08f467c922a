/** The tariff, reservation and RemoteStart that a start's fact names, as known when it was decided. */
import { describe, expect, it } from "vitest"
import { startWanted } from "../../../src/domain/decide/Start.ts"
import { at, evse, minute, started, token } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const service = () => {
  const made = new ModelService()
  made.journal.tokens.set("anna", token("Anna"))
  return made
}

describe("the tariff of a start", () => {
  const valid = { startsAt: minute(10), endsAt: minute(20) }
  const none = { startsAt: undefined, endsAt: undefined }
  const tariffs = [
    { tariffId: "wide", version: 3, assignment: { scope: "organisation" as const }, ...none },
    {
      tariffId: "narrow",
      version: 7,
      assignment: { scope: "connector" as const, chargerId: "CP-1", ...evse(2) },
      ...valid
    }
  ]

  it("is the one of its connector at its start time, with its version and the site's time zone", () => {
    const made = service()
    made.journal.start = { ...made.journal.start, timeZone: "Europe/Berlin", tariffs }
    const charger = made.charger({ chargerId: "CP-1" })
    const tariffAt = (evseId: number, time: number) => {
      charger.now = minute(30)
      charger.start(started({ place: evse(evseId), time: at(minute(time)) }))
      return charger.sessions.at(-1)?.start.body.tariff
    }
    const wide = { tariffId: "wide", version: 3, timeZone: "Europe/Berlin" }
    expect(tariffAt(2, 15)).toEqual({ tariffId: "narrow", version: 7, timeZone: "Europe/Berlin" })
    expect(tariffAt(2, 20)).toEqual(wide)
    expect(tariffAt(1, 15)).toEqual(wide)
  })

  it("is chosen also when the card was refused, and is none when none is assigned", () => {
    const made = service()
    const charger = made.charger({ chargerId: "CP-1" })
    charger.start(started())
    made.journal.start = { ...made.journal.start, tariffs }
    charger.start(started({ tokenUid: "STRANGER", time: at(minute(5)), meterStartWh: 5 }))
    expect(charger.sessions.map(({ start }) => start.body.tariff?.tariffId)).toEqual([undefined, "wide"])
  })
})

describe("the reservation of a start", () => {
  const commandId = "01900000-0000-7000-8000-000000000001"
  const reservation = {
    commandId,
    reservationId: 5,
    evseId: 1,
    tokenUid: "GUEST",
    parentUid: undefined,
    expiresAt: minute(30),
    status: "Active" as const,
    sessionId: undefined as string | undefined,
    createdAt: minute(-10)
  }
  const startedWith = (reserved: Partial<typeof reservation>, event: Parameters<typeof started>[0] = {}) => {
    const made = service()
    made.journal.reservations.push({ ...reservation, ...reserved })
    const charger = made.charger()
    charger.start(started({ tokenUid: "guest", ...event }))
    return charger.sessions[0]?.start.body
  }

  it("is stored as the command that made it, whether or not it has a session of its own", () => {
    expect(startedWith({})).toMatchObject({ consumes: commandId, keepsTariff: undefined })
    const body = startedWith({ sessionId: commandId })
    expect(body).toMatchObject({ consumes: commandId, sessionId: commandId, reserved: true, keepsTariff: true })
  })

  it("does not set the tariff when the reservation was not for this connector", () => {
    const body = startedWith({ sessionId: commandId, evseId: 0 })
    expect(body).toMatchObject({ consumes: commandId, sessionId: commandId, reserved: true, keepsTariff: undefined })
  })

  it.each([
    ["one that has expired when the session starts", {}, { time: at(minute(30)) }],
    ["one of another card", { tokenUid: "BERT" }, {}],
    ["one of another connector", { evseId: 2 }, {}],
    ["one with another id than the start names", {}, { reservationId: 6 }]
  ] as const)("is not %s", (_, reserved, event) => {
    expect(startedWith(reserved, event)?.consumes).toBeUndefined()
  })

  it("is found by card when the id cannot be one of ours, and is none when the card is refused", () => {
    for (const reservationId of [0, 2 ** 31, -(2 ** 31) - 1]) {
      expect(startedWith({}, { reservationId })?.consumes).toBe(commandId)
    }
    for (const reservationId of [2 ** 31 - 1, -1]) {
      expect(startedWith({}, { reservationId })?.consumes).toBeUndefined()
    }
    const made = service()
    made.journal.reservations.push({ ...reservation, tokenUid: "Anna" })
    made.journal.tokens.set("anna", token("Anna", { status: "Blocked" }))
    const charger = made.charger()
    charger.start(started())
    expect(charger.sessions[0]?.start.body).toMatchObject({ authorization: { status: "Blocked" }, consumes: undefined })
  })
})

describe("the RemoteStart that a start follows", () => {
  it("is one sent at most 15 minutes before the start was received, whatever the charger's clock on that connection", () => {
    const made = service()
    const charger = made.charger()
    const command = { commandId: "c", status: "Sent" as const, errorCode: undefined, tokenUid: "anna", evseId: 2 }
    const followed = (sentAt: number, evseId = 2) => {
      made.journal.start = { ...made.journal.start, remoteStarts: [{ ...command, sentAt }] }
      const meterStartWh = 1000 * charger.sessions.length
      charger.start(started({ place: evse(evseId), time: at(minute(-100 + charger.sessions.length)), meterStartWh }))
      return charger.sessions.at(-1)?.start.body.follows
    }
    charger.now = minute(100)
    expect(followed(minute(86))).toBe("c")
    expect(followed(minute(84))).toBeUndefined()
    expect(followed(minute(99), 1)).toBeUndefined()
  })

  it("is none that was sent long after an offline start", () => {
    const made = service()
    const charger = made.charger()
    const command = { commandId: "c", status: "Sent" as const, errorCode: undefined, tokenUid: "anna", evseId: 2 }
    made.journal.start = { ...made.journal.start, remoteStarts: [{ ...command, sentAt: minute(59) }] }
    charger.now = minute(60)
    charger.reconnect()
    charger.start(started({ place: evse(2), time: at(minute(20)) }))
    expect(charger.sessions.at(-1)?.start.body.follows).toBeUndefined()
    charger.start(started({ place: evse(2), time: at(minute(61)), meterStartWh: 2000 }))
    expect(charger.sessions.at(-1)?.start.body.follows).toBe("c")
  })

  it("is looked up from 15 minutes before that time", () => {
    expect(startWanted({ place: evse(2) }, minute(100))).toEqual({ place: evse(2), sentSince: minute(85) })
  })
})
