/** How time changes a reservation, and which start consumes it (OCPP 1.6 §5.13). */
import { describe, expect, it } from "vitest"
import {
  consumedBy,
  consumes,
  keepsTariff,
  type Reservation,
  type ReservationStatus,
  type Start,
  statusAt
} from "../../../src/domain/reservation/Reservation.ts"

const noon = Date.UTC(2026, 4, 20, 12)

const reservation = (more: Partial<Reservation> = {}): Reservation => ({
  commandId: "01900000-0000-7000-8000-000000000001",
  organisationId: "01900000-0000-7000-8000-0000000000ff",
  chargerId: "CP1",
  reservationId: 5,
  evseId: 1,
  tokenUid: "ANNA",
  parentUid: "FAMILY",
  expiresAt: noon,
  status: "Active",
  reason: undefined,
  sessionId: undefined,
  createdAt: noon - 3_600_000,
  updatedAt: noon - 3_600_000,
  ...more
})

const start = (more: Partial<Start> = {}): Start => ({
  reservationId: 5,
  evseId: 1,
  tokenUid: "ANNA",
  parentUid: undefined,
  accepted: true,
  startedAt: noon - 1,
  ...more
})

const statuses: ReadonlyArray<ReservationStatus> = [
  "Pending",
  "Active",
  "Rejected",
  "Used",
  "Cancelled",
  "Expired",
  "Unknown"
]

describe("a reservation", () => {
  it("counts as expired at its time unless it ended otherwise, even if the expiry is not recorded yet", () => {
    expect(statuses.map((status) => statusAt({ status, expiresAt: noon }, noon - 1))).toEqual(statuses)
    expect(statuses.map((status) => statusAt({ status, expiresAt: noon }, noon))).toEqual([
      "Pending",
      "Expired",
      "Rejected",
      "Used",
      "Cancelled",
      "Expired",
      "Expired"
    ])
  })
})

describe("a start that names a reservation", () => {
  it("consumes it with the card that reserved, in any letter case, on any connector", () => {
    expect(consumes(start({ tokenUid: "anna", evseId: 2 }), reservation())).toBe(true)
    expect(consumes(start({ reservationId: 6 }), reservation())).toBe(false)
  })

  it("consumes it with a card of the same group, but no other", () => {
    expect(consumes(start({ tokenUid: "BERT", parentUid: "family" }), reservation())).toBe(true)
    expect(consumes(start({ tokenUid: "BERT", parentUid: "OTHERS" }), reservation())).toBe(false)
    expect(consumes(start({ tokenUid: "BERT" }), reservation({ parentUid: undefined }))).toBe(false)
  })

  it("consumes it while the charger's answer is pending, but not after it ended otherwise", () => {
    const consumed = statuses.filter((status) => consumes(start(), reservation({ status })))
    expect(consumed).toEqual(["Pending", "Active", "Expired", "Unknown"])
  })

  it("must have begun before the expiry, however late it is received", () => {
    expect(consumes(start({ startedAt: noon }), reservation())).toBe(false)
    expect(consumes(start({ startedAt: noon - 1 }), reservation({ status: "Expired" }))).toBe(true)
  })

  it("consumes none when its card was refused", () => {
    expect(consumes(start({ accepted: false }), reservation())).toBe(false)
  })
})

describe("a start that names no reservation", () => {
  const nameless = (more: Partial<Start> = {}) => start({ reservationId: undefined, ...more })

  it("consumes the one for its card on its connector, or on any connector", () => {
    expect(consumes(nameless(), reservation())).toBe(true)
    expect(consumes(nameless({ evseId: 2 }), reservation())).toBe(false)
    expect(consumes(nameless({ evseId: 2 }), reservation({ evseId: 0 }))).toBe(true)
  })

  it("does not consume the one of its group, since the reserving card may still come", () => {
    expect(consumes(nameless({ tokenUid: "BERT", parentUid: "FAMILY" }), reservation())).toBe(false)
  })

  it("does not consume one that the charger may still refuse", () => {
    expect(consumes(nameless(), reservation({ status: "Pending" }))).toBe(false)
  })
})

describe("of several reservations a start consumes", () => {
  const one = (n: number, more: Partial<Reservation> = {}) =>
    reservation({ commandId: `01900000-0000-7000-8000-00000000000${n}`, ...more })
  const taken = (by: Start, ...reservations: ReadonlyArray<Reservation>) =>
    consumedBy(by, reservations)?.commandId.at(-1)

  it("none, if none matches", () => {
    expect(taken(start({ tokenUid: "BERT" }), one(1))).toBeUndefined()
    expect(taken(start())).toBeUndefined()
  })

  it("the one of its connector rather than one of the whole charger", () => {
    expect(taken(start({ reservationId: undefined }), one(1), one(2, { evseId: 0, reservationId: 6 }))).toBe("1")
  })

  it("the latest with its id, whatever the connector", () => {
    expect(taken(start(), one(1, { evseId: 3, status: "Expired" }), one(2))).toBe("2")
  })

  it("the latest for its card on its connector, or for its card on any", () => {
    const nameless = start({ reservationId: undefined })
    expect(taken(nameless, one(1), one(2, { reservationId: 6 }))).toBe("2")
    expect(taken(nameless, one(2, { evseId: 0 }), one(1, { evseId: 0, reservationId: 6 }))).toBe("2")
  })

  it("an accepted one rather than a pending one", () => {
    expect(taken(start(), one(1), one(2, { status: "Pending" }))).toBe("1")
  })
})

describe("a session that replaces its reservation's session", () => {
  it("keeps its tariff on the connector that was reserved, but on no other", () => {
    const keeps = (reserved: number, evseId: number, connectorId: number) =>
      keepsTariff(reservation({ evseId: reserved }), { evseId, connectorId })
    expect([keeps(1, 1, 1), keeps(2, 2, 1), keeps(0, 0, 0)]).toEqual([true, true, true])
    expect([keeps(1, 2, 1), keeps(2, 2, 2), keeps(0, 1, 1), keeps(0, 0, 1)]).toEqual([false, false, false, false])
  })
})
