/** What commands and time do to reservations, as tables (OCPP 1.6 §5.2, §5.13). */
import { assert, describe, it } from "@effect/vitest"
import {
  beginsSession,
  type Change,
  changesBy,
  endsSession,
  expiryWaits,
  hearsOfCancellation,
  isCancellation,
  type ReservationEnd,
  sessionEnd,
  type StoredReservation,
  unused
} from "../../../src/domain/command/ReservationEnd.ts"
import type { ReservationStatus } from "../../../src/domain/reservation/Reservation.ts"
import { chargesForReservations } from "../../../src/domain/tariff/Tariff.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const minute = 60_000

const stored = (more: Partial<StoredReservation> = {}): StoredReservation => ({
  commandId: "m-1",
  organisationId: "o",
  chargerId: "c",
  reservationId: 5,
  evseId: 1,
  tokenUid: "ANNA",
  parentUid: undefined,
  expiresAt: noon + 30 * minute,
  status: "Pending",
  reason: undefined,
  sessionId: undefined,
  acceptedAt: undefined,
  createdAt: noon - minute,
  updatedAt: noon - minute,
  ...more
})

const end = (more: Partial<ReservationEnd> = {}): ReservationEnd => ({
  commandId: "m-1",
  organisationId: "o",
  chargerId: "c",
  type: "ReserveNow",
  reservationId: 5,
  status: "Accepted",
  by: "key:1",
  sentAt: noon - minute,
  sentEpoch: 1,
  completedAt: noon,
  answer: undefined,
  errorCode: undefined,
  ...more
})

const statuses: ReadonlyArray<ReservationStatus> = [
  "Pending",
  "Active",
  "Rejected",
  "Failed",
  "Used",
  "Cancelled",
  "Expired",
  "Unknown"
]

const after = (changes: ReadonlyArray<Change>) => changes.map((change) => change.after)
const open: ReadonlySet<string> = new Set(["Active", "Unknown"])

describe("a ReserveNow", () => {
  const answers: ReadonlyArray<readonly [Partial<ReservationEnd>, ReservationStatus, string | undefined]> = [
    [{ status: "Accepted", answer: "Accepted" }, "Active", undefined],
    [{ status: "Rejected", answer: "Occupied" }, "Rejected", "Occupied"],
    [{ status: "TimedOut", errorCode: "Timeout" }, "Unknown", "Timeout"],
    [{ status: "Failed", errorCode: "ConnectionLost" }, "Unknown", "ConnectionLost"],
    [{ status: "Failed", errorCode: "UnreadableAnswer", sentAt: undefined }, "Unknown", "UnreadableAnswer"],
    [{ status: "Failed", errorCode: "NotConnected", sentAt: undefined }, "Failed", "NotConnected"],
    [{ status: "Expired", errorCode: "Expired", sentAt: undefined }, "Failed", "Expired"],
    [{ status: "Failed", errorCode: "TooManyCommands" }, "Failed", "TooManyCommands"],
    [{ status: "Failed", errorCode: "NotAccepted" }, "Failed", "NotAccepted"],
    [{ status: "Failed", errorCode: "NotSupported" }, "Rejected", "NotSupported"]
  ]
  for (const [how, status, reason] of answers) {
    it(`that ends ${how.status} ${reason ?? ""} makes its reservation ${status}`, () => {
      const before = stored()
      assert.deepStrictEqual(after(changesBy(end(how), [before])), [
        { ...before, status, reason, updatedAt: noon, acceptedAt: status === "Active" ? noon : undefined }
      ])
    })
  }

  it("changes its reservation only while the reservation is Pending", () => {
    const kept = statuses.filter((status) => changesBy(end(), [stored({ status })]).length === 0)
    assert.deepStrictEqual(
      kept,
      statuses.filter((status) => status !== "Pending")
    )
  })

  it("that is accepted replaces open reservations with the same number at its charger", () => {
    const others = statuses.map((status) => stored({ commandId: `m-${status}`, status }))
    const strangers = [
      stored({ commandId: "m-n", status: "Active", reservationId: 6 }),
      stored({ commandId: "m-c", status: "Active", chargerId: "d" }),
      stored({ commandId: "m-o", status: "Active", organisationId: "p" })
    ]
    const known = [stored(), ...others, ...strangers]
    assert.deepStrictEqual(
      changesBy(end(), known).map((change) => [change.after.commandId, change.after.status, change.after.reason]),
      [
        ["m-1", "Active", undefined],
        ["m-Active", "Cancelled", "Replaced"],
        ["m-Unknown", "Cancelled", "Replaced"]
      ]
    )
    assert.lengthOf(changesBy(end({ status: "Rejected" }), known), 1)
  })
})

describe("a CancelReservation", () => {
  const cancel = (more: Partial<ReservationEnd> = {}) => end({ type: "CancelReservation", commandId: "m-2", ...more })

  it("ends a reservation that the charger may have, and no other", () => {
    for (const status of statuses) {
      assert.lengthOf(changesBy(cancel(), [stored({ status })]), open.has(status) ? 1 : 0, status)
    }
  })

  it("ends it when it was accepted, or when the charger knows no such reservation", () => {
    const active = stored({ status: "Active", reason: "as before", acceptedAt: noon - minute })
    const changed = { ...active, updatedAt: noon }
    const table: ReadonlyArray<
      readonly [Partial<ReservationEnd>, StoredReservation, ReadonlyArray<StoredReservation>]
    > = [
      [{}, active, [{ ...changed, status: "Cancelled", reason: undefined }]],
      [{}, { ...active, expiresAt: noon }, [{ ...changed, expiresAt: noon, status: "Cancelled", reason: undefined }]],
      [{ status: "Rejected" }, active, [{ ...changed, status: "Cancelled", reason: "NotAtCharger" }]],
      [
        { status: "Rejected" },
        { ...active, expiresAt: noon },
        [{ ...changed, expiresAt: noon, status: "Expired", reason: "NotAtCharger" }]
      ],
      [{ status: "TimedOut" }, active, []],
      [{ status: "Failed", errorCode: "ConnectionLost" }, active, []],
      [{ status: "Expired" }, active, []]
    ]
    for (const [how, before, expected] of table) {
      assert.deepStrictEqual(after(changesBy(cancel(how), [before])), expected, JSON.stringify(how))
    }
  })
})

describe("a reservation that is charged for", () => {
  const active = stored({ status: "Active", acceptedAt: noon, sessionId: "m-1", updatedAt: noon })

  it("begins its session when the charger accepts, if it has not yet expired", () => {
    const accepted = { before: stored(), after: active }
    assert.isTrue(beginsSession(accepted))
    assert.isTrue(beginsSession({ ...accepted, before: stored({ status: "Unknown" }) }))
    assert.isFalse(beginsSession({ ...accepted, after: { ...active, expiresAt: noon } }))
    assert.isFalse(beginsSession({ ...accepted, after: { ...active, status: "Rejected" } }))
    assert.isFalse(beginsSession({ before: active, after: active }))
  })

  it("ends its session when the reservation ends, but never the session of a start", () => {
    const gone = { ...active, status: "Cancelled" as const }
    assert.isTrue(endsSession({ before: active, after: gone }))
    assert.isFalse(endsSession({ before: { ...active, sessionId: undefined }, after: gone }))
    assert.isFalse(endsSession({ before: { ...active, sessionId: "s" }, after: gone }))
    assert.isFalse(endsSession({ before: active, after: active }))
  })

  it("is billed for its whole time when it expires, and for nothing when it ends otherwise", () => {
    const over = { ...active, updatedAt: noon + 60 * minute }
    const table = [
      [{ ...over, status: "Expired" }, "COMPLETED", over.expiresAt],
      [{ ...over, status: "Cancelled" }, "INVALID", over.expiresAt],
      [{ ...over, status: "Cancelled", updatedAt: noon + minute }, "INVALID", noon + minute],
      [{ ...over, status: "Used", updatedAt: noon - minute }, "INVALID", noon]
    ] as const
    for (const [one, status, endedAt] of table) assert.deepStrictEqual(sessionEnd(one), { status, endedAt })
  })

  it("expires once the charger had time to report a start, and is cancelled if the charger was removed", () => {
    const before = { ...active, reason: "as before" }
    assert.deepStrictEqual(unused(before, true, noon + 1).after, { ...before, status: "Expired", updatedAt: noon + 1 })
    assert.deepStrictEqual(unused(before, false, noon + 1).after, {
      ...before,
      status: "Cancelled",
      reason: "ChargerRemoved",
      updatedAt: noon + 1
    })
    assert.deepStrictEqual(expiryWaits, { connected: 10_000, returned: 600_000, away: 86_400_000 })
  })

  it("is one whose tariff has an element for reservations", () => {
    const component = { type: "TIME", price: 6, stepSize: 1 } as const
    const plain = { priceComponents: [component] }
    const dayly = { ...plain, restrictions: { startTime: "08:00" } }
    const reserved = { ...plain, restrictions: { reservation: "RESERVATION_EXPIRES" as const } }
    assert.deepStrictEqual(
      [[plain, dayly], [plain, reserved], []].map((elements) => chargesForReservations(elements)),
      [false, true, false]
    )
  })
})

describe("a partner that made a reservation", () => {
  it("is notified when an open reservation is cancelled, but not when it is replaced", () => {
    for (const status of statuses) {
      const before = stored({ status })
      const cancelled = { ...before, status: "Cancelled" as const }
      assert.strictEqual(isCancellation({ before, after: cancelled }), open.has(status), status)
      assert.isFalse(isCancellation({ before, after: { ...cancelled, reason: "Replaced" } }))
      assert.isFalse(isCancellation({ before, after: { ...before, status: "Expired" } }))
    }
    const gone = { ...stored({ status: "Cancelled" }), reason: "ChargerRemoved" }
    assert.isTrue(isCancellation({ before: stored({ status: "Active" }), after: gone }))
  })

  it("is not notified of its own cancellation", () => {
    assert.isTrue(hearsOfCancellation("p", []))
    assert.isTrue(hearsOfCancellation("p", ["key:1", "partner:q"]))
    assert.isFalse(hearsOfCancellation("p", ["key:1", "partner:p"]))
  })
})
