import { describe, expect, it } from "vitest"
import type { ChargingProfile, SetProfile } from "../../../src/domain/command/ChargingProfile.ts"
import { validateProfile } from "../../../src/domain/command/Profile.ts"
import {
  applied,
  awaited,
  begun,
  cleared,
  profilesKept,
  inForce,
  withoutTransaction
} from "../../../src/domain/command/Stack.ts"

const profile = (profileId: number, more: Partial<ChargingProfile> = {}): ChargingProfile => ({
  profileId,
  stackLevel: 0,
  purpose: "TxDefaultProfile",
  kind: "Absolute",
  schedule: { chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 16 }] },
  ...more
})

const tx = (profileId: number, transactionId: number): ChargingProfile =>
  profile(profileId, { purpose: "TxProfile", transactionId })

/** Profiles set one after the other, and the resulting ids as `evse:id`. */
const applyAll = (...all: ReadonlyArray<readonly [evseId: number, profile: ChargingProfile]>) =>
  all.reduce<ReadonlyArray<SetProfile>>((set, [evseId, one], n) => applied(set, evseId, one, n), [])
const ids = (set: ReadonlyArray<SetProfile>) => set.map((one) => `${one.evseId}:${one.profile.profileId}`)

it("replaces a profile with the same id, wherever it was set (OCPP 1.6 §5.16)", () => {
  expect(ids(applyAll([1, profile(5)], [2, profile(5, { stackLevel: 3 })]))).toEqual(["2:5"])
})

it("replaces a profile of the same purpose and level at the same evse, and no other (OCPP 1.6 §3.13.2)", () => {
  const set = applyAll(
    [1, profile(1)],
    [2, profile(2)],
    [0, profile(3)],
    [1, profile(4, { stackLevel: 1 })],
    [1, profile(6)]
  )
  expect(ids(set)).toEqual(["2:2", "0:3", "1:4", "1:6"])
  expect(set.map((one) => one.setAt)).toEqual([1, 2, 3, 4])
})

it("keeps profiles of different transactions side by side, and drops a transaction's own when it has ended", () => {
  const set = applyAll([1, tx(1, 70)], [1, tx(2, 71)], [1, tx(3, 70)], [1, profile(4)])
  expect(ids(set)).toEqual(["1:2", "1:3", "1:4"])
  expect(ids(withoutTransaction(set, 70))).toEqual(["1:2", "1:4"])
})

describe("the profile of a remote start", () => {
  const mine = profile(7, { purpose: "TxProfile" })
  const place = { evseId: 1, connectorId: 1 }
  const start = (evseId: number, tokenUid: string) => ({ evseId, tokenUid, transactionId: 70, queuedAt: undefined })
  const minutes = 60_000

  it("is in force from its transaction on, and not before", () => {
    const set = awaited([], { place, tokenUid: "Card" }, mine, 0)
    expect(inForce(set)).toEqual([])
    expect(begun(set, start(1, "CARD"), 15 * minutes)).toEqual([
      { evseId: 1, setAt: 15 * minutes, profile: { ...mine, transactionId: 70 } }
    ])
  })

  it("applies only to the token, the evse and the 15 minutes that it was sent for", () => {
    const set = awaited([], { place, tokenUid: "Card" }, mine, 0)
    expect(begun(set, start(1, "OTHER"), 0)).toBeUndefined()
    expect(begun(set, start(2, "CARD"), 0)).toBeUndefined()
    expect(begun(set, start(1, "CARD"), 15 * minutes + 1)).toBeUndefined()
    const anywhere = awaited([], { tokenUid: "Card" }, mine, 0)
    expect(begun(anywhere, start(2, "CARD"), 0)?.map((one) => one.evseId)).toEqual([2])
  })

  it("does not belong to a transaction that began offline long before", () => {
    const set = awaited([], { place, tokenUid: "Card" }, mine, 20 * minutes)
    expect(begun(set, { ...start(1, "CARD"), queuedAt: 4 * minutes }, 21 * minutes)).toBeUndefined()
    expect(begun(set, { ...start(1, "CARD"), queuedAt: 5 * minutes }, 21 * minutes)).toHaveLength(1)
  })

  it("is dropped after that time, and leaves other profiles unchanged", () => {
    const before = awaited(applyAll([1, profile(1)]), { tokenUid: "A" }, mine, 0)
    const set = awaited(before, { tokenUid: "B" }, profile(8, { purpose: "TxProfile" }), 15 * minutes + 1)
    expect(set.map((one) => [one.profile.profileId, one.awaits])).toEqual([
      [1, undefined],
      [8, "B"]
    ])
    expect(ids(inForce(set))).toEqual(["1:1"])
  })
})

it("stores a limit of the whole charger at evse 0", () => {
  const max = (id: number) => profile(id, { purpose: "ChargePointMaxProfile" })
  expect(ids(applyAll([1, max(1)], [0, max(2)]))).toEqual(["0:2"])
})

it("keeps only the newest profiles, up to the limit", () => {
  const many = Array.from({ length: profilesKept + 3 }, (_, n) => [1, profile(n, { stackLevel: n })] as const)
  expect(applyAll(...many)).toHaveLength(profilesKept)
  expect(applyAll(...many).at(-1)?.profile.profileId).toBe(profilesKept + 2)
})

it.each([
  [{ profileId: 2 }, ["0:1", "1:3", "2:4"]],
  // An id alone decides; the other criteria apply only without one.
  [{ profileId: 2, stackLevel: 9 }, ["0:1", "1:3", "2:4"]],
  [{ profileId: 99 }, ["0:1", "1:2", "1:3", "2:4"]],
  [{}, []],
  [{ place: { evseId: 0, connectorId: 0 } }, ["1:2", "1:3", "2:4"]],
  [{ place: { evseId: 1, connectorId: 1 } }, ["0:1", "2:4"]],
  [{ purpose: "TxDefaultProfile" as const }, ["0:1", "1:3"]],
  [{ stackLevel: 0 }, ["1:3"]],
  [{ place: { evseId: 1, connectorId: 1 }, purpose: "TxProfile" as const }, ["0:1", "1:2", "2:4"]]
])("clears the profiles that match %j (OCPP 1.6 §5.5, §6.13)", (criteria, left) => {
  const set = applyAll(
    [0, profile(1, { purpose: "ChargePointMaxProfile" })],
    [1, profile(2)],
    [1, profile(3, { purpose: "TxProfile", stackLevel: 1, transactionId: 7 })],
    [2, profile(4)]
  )
  expect(ids(cleared(set, { _tag: "ClearChargingProfile", ...criteria }))).toEqual(left)
})

const schedule = (
  periods: ReadonlyArray<{ startPeriod: number; limit: number; numberPhases?: number }>,
  more = {}
) => ({
  schedule: { chargingRateUnit: "A" as const, periods, ...more }
})
const setting = { command: "SetChargingProfile", evseId: 1 } as const
const period = "/chargingSchedule/chargingSchedulePeriod"

it.each([
  ["a plain profile", profile(1), setting, []],
  ["a transaction's profile", tx(1, 7), setting, []],
  ["a transaction's profile without its id", profile(1, { purpose: "TxProfile" }), setting, ["/transactionId"]],
  ["a default with a transaction id", profile(1, { transactionId: 7 }), setting, ["/transactionId"]],
  ["a transaction's profile for the whole charger", tx(1, 7), { ...setting, evseId: 0 }, ["/chargingProfilePurpose"]],
  [
    "a charger's limit at one connector",
    profile(1, { purpose: "ChargePointMaxProfile" }),
    setting,
    ["/chargingProfilePurpose"]
  ],
  [
    "a transaction's profile with a remote start",
    profile(1, { purpose: "TxProfile" }),
    { command: "RemoteStart" } as const,
    []
  ],
  ["a default with a remote start", profile(1), { command: "RemoteStart" } as const, ["/chargingProfilePurpose"]],
  ["a transaction id with a remote start", tx(1, 7), { command: "RemoteStart" } as const, ["/transactionId"]],
  [
    "a relative profile with a start",
    profile(1, { kind: "Relative", ...schedule([{ startPeriod: 0, limit: 1 }], { startSchedule: 0 }) }),
    setting,
    ["/chargingSchedule/startSchedule"]
  ],
  [
    "a recurring profile without a recurrency kind or start",
    profile(1, { kind: "Recurring" }),
    setting,
    ["/chargingSchedule/startSchedule", "/recurrencyKind"]
  ],
  [
    "a recurrency kind on a profile that is not recurring",
    profile(1, { recurrency: "Daily" }),
    setting,
    ["/recurrencyKind"]
  ],
  ["no period", profile(1, schedule([])), setting, [period]],
  [
    "a first period that does not start at 0",
    profile(1, schedule([{ startPeriod: 1, limit: 1 }])),
    setting,
    [`${period}/0/startPeriod`]
  ],
  [
    "periods out of order",
    profile(
      1,
      schedule([
        { startPeriod: 0, limit: 1 },
        { startPeriod: 9, limit: 1 },
        { startPeriod: 9, limit: 2 }
      ])
    ),
    setting,
    [`${period}/2/startPeriod`]
  ],
  ["a negative limit", profile(1, schedule([{ startPeriod: 0, limit: -0.1 }])), setting, [`${period}/0/limit`]],
  [
    "a limit with two decimals",
    profile(1, schedule([{ startPeriod: 0, limit: 6.25 }])),
    setting,
    [`${period}/0/limit`]
  ],
  [
    "four phases",
    profile(1, schedule([{ startPeriod: 0, limit: 6, numberPhases: 4 }])),
    setting,
    [`${period}/0/numberPhases`]
  ],
  [
    "a duration of 0",
    profile(1, schedule([{ startPeriod: 0, limit: 6 }], { duration: 0 })),
    setting,
    ["/chargingSchedule/duration"]
  ],
  ["an end that is not after its start", profile(1, { validFrom: 9, validTo: 9 }), setting, ["/validTo"]],
  ["a negative level", profile(1, { stackLevel: -1 }), setting, ["/stackLevel"]]
] as const)("finds what is wrong with %s", (_, given, use, pointers) => {
  expect(validateProfile(given, use).map((finding) => finding.pointer)).toEqual(pointers)
})
