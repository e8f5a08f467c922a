import { describe, expect, it } from "vitest"
import {
  abilitiesOf,
  brokenLimit,
  entriesOf,
  type KnownList,
  type ListAbilities,
  nextStep,
  nextVersion,
  type TokenChange
} from "../../../src/domain/command/LocalList.ts"

const now = Date.UTC(2026, 4, 20, 12)

const token = (seq: number, uid: string, more: Partial<NonNullable<TokenChange["token"]>> = {}): TokenChange => ({
  seq,
  uid,
  token: { status: "Accepted", expiresAt: undefined, parentUid: undefined, ...more }
})
const gone = (seq: number, uid: string): TokenChange => ({ seq, uid, token: undefined })

describe("local list entries", () => {
  it.each([
    ["an accepted token", token(1, "A"), { status: "Accepted" }],
    ["a blocked token", token(1, "A", { status: "Blocked" }), { status: "Blocked" }],
    ["a token that the operator marked as expired", token(1, "A", { status: "Expired" }), { status: "Expired" }],
    ["a token that will expire", token(1, "A", { expiresAt: now + 1 }), { status: "Accepted", expiresAt: now + 1 }],
    ["a token that has expired", token(1, "A", { expiresAt: now }), { status: "Expired", expiresAt: now }],
    [
      "a blocked token that has expired",
      token(1, "A", { status: "Blocked", expiresAt: now }),
      { status: "Blocked", expiresAt: now }
    ],
    [
      "a token of a group",
      token(1, "A", { parentUid: "P".repeat(20) }),
      { status: "Accepted", parentUid: "P".repeat(20) }
    ],
    ["a deleted token", gone(1, "A"), undefined]
  ])("show the current state of %s", (_, change, authorization) => {
    const entry = authorization === undefined ? { tokenUid: "A" } : { tokenUid: "A", authorization }
    expect(entriesOf([change], "Differential", now)).toEqual({ entries: [entry], losses: [] })
  })

  it("leave out what OCPP 1.6 cannot hold, and report it", () => {
    const changes = [token(1, "L".repeat(21)), token(2, "A", { parentUid: "P".repeat(21) }), gone(3, "M".repeat(21))]
    expect(entriesOf(changes, "Differential", now)).toEqual({
      entries: [{ tokenUid: "A", authorization: { status: "Accepted" } }],
      losses: [
        { uid: "L".repeat(21), what: "UidTooLong" },
        { uid: "A", what: "ParentTooLong" },
        { uid: "M".repeat(21), what: "UidTooLong" }
      ]
    })
  })

  it("contain each uid once, in its last state, whatever the letter case and the order of the changes", () => {
    const changes = [gone(3, "a"), token(1, "A"), token(2, "B"), token(5, "b", { status: "Blocked" })]
    expect(entriesOf(changes, "Differential", now).entries).toEqual([
      { tokenUid: "a" },
      { tokenUid: "b", authorization: { status: "Blocked" } }
    ])
    expect(entriesOf(changes, "Full", now).entries).toEqual([{ tokenUid: "b", authorization: { status: "Blocked" } }])
  })
})

it.each([
  [[], { supported: false, enabled: true, sendMax: 100, listMax: Infinity }],
  [
    [["SupportedFeatureProfiles", "Core,FirmwareManagement"]],
    { supported: false, enabled: true, sendMax: 100, listMax: Infinity }
  ],
  [
    [["supportedfeatureprofiles", "Core, localAuthListManagement ,Reservation"]],
    { supported: true, enabled: true, sendMax: 100, listMax: Infinity }
  ],
  [
    [
      ["SupportedFeatureProfiles", "LocalAuthListManagement"],
      ["LocalAuthListEnabled", "false"]
    ],
    { supported: true, enabled: false, sendMax: 100, listMax: Infinity }
  ],
  [[["LocalAuthListEnabled", "true"]], { supported: true, enabled: true, sendMax: 100, listMax: Infinity }],
  [
    [
      ["localauthlistenabled", " TRUE "],
      ["SendLocalListMaxLength", "20"],
      ["LocalAuthListMaxLength", "50"]
    ],
    { supported: true, enabled: true, sendMax: 20, listMax: 50 }
  ],
  [
    [
      ["SendLocalListMaxLength", "9999"],
      ["LocalAuthListMaxLength", "0"]
    ],
    { supported: true, enabled: true, sendMax: 500, listMax: Infinity }
  ],
  [
    [
      ["SendLocalListMaxLength", "many"],
      ["LocalAuthListEnabled", undefined]
    ],
    { supported: true, enabled: true, sendMax: 100, listMax: Infinity }
  ]
] as ReadonlyArray<[ReadonlyArray<[string, string | undefined]>, ListAbilities]>)(
  "derive the charger's abilities from its configuration %j",
  (keys, abilities) => {
    expect(abilitiesOf(keys.map(([key, value]) => ({ key, value })))).toEqual(abilities)
  }
)

it.each([
  [{}, "Full", 5000, undefined],
  [{ SendLocalListMaxLength: "10" }, "Full", 10, undefined],
  [{ SendLocalListMaxLength: "10" }, "Full", 11, { key: "SendLocalListMaxLength", limit: 10 }],
  [{ SendLocalListMaxLength: "10" }, "Differential", 11, { key: "SendLocalListMaxLength", limit: 10 }],
  [{ LocalAuthListMaxLength: "5" }, "Differential", 6, undefined],
  [
    { LocalAuthListMaxLength: "5", SendLocalListMaxLength: "3" },
    "Full",
    6,
    { key: "LocalAuthListMaxLength", limit: 5 }
  ],
  [{ SendLocalListMaxLength: "0" }, "Full", 6, undefined]
] as const)("for a charger with %j, a %s list of %d entries exceeds %j", (limits, updateType, entries, broken) => {
  const configuration = Object.entries(limits).map(([key, value]) => ({ key, value }))
  expect(brokenLimit(configuration, updateType, entries)).toEqual(broken)
})

describe("the next step of a local list", () => {
  const able: ListAbilities = { supported: true, enabled: true, sendMax: 10, listMax: 100 }
  const list: KnownList = { version: 4, syncedSeq: 50, fillTo: 40, needsFull: false, supported: true, checked: true }
  const step = (more: Partial<KnownList> = {}, { latestSeq = 50, tokens = 30 } = {}, abilities = able) =>
    nextStep({ ...list, ...more }, abilities, { latestSeq, tokens })

  it("is none for a list that is up to date, switched off or not supported", () => {
    expect(step()).toEqual({ _tag: "InStep" })
    expect(step({ checked: false, needsFull: true }, {}, { ...able, enabled: false })).toEqual({ _tag: "Disabled" })
    expect(step({ checked: false, needsFull: true }, {}, { ...able, supported: false })).toEqual({
      _tag: "Unsupported"
    })
    expect(step({ supported: false, needsFull: true })).toEqual({ _tag: "InStep" })
  })

  it("is to query the version after a connection or a boot, before anything is sent", () => {
    expect(step({ checked: false, needsFull: true })).toEqual({ _tag: "AskVersion" })
    expect(step({ checked: false, supported: false })).toEqual({ _tag: "AskVersion" })
  })

  it("is to send what has changed, with the next version", () => {
    expect(step({}, { latestSeq: 55 })).toEqual({
      _tag: "Send",
      updateType: "Differential",
      listVersion: 5,
      newest: undefined,
      after: 50,
      upTo: 55,
      limit: 10,
      fillTo: 55
    })
  })

  it("is to send the whole list if it is out of step, and to continue from there", () => {
    const whole = { updateType: "Full", listVersion: 5, newest: undefined, after: 0, upTo: 50, limit: 10, fillTo: 50 }
    expect(step({ needsFull: true })).toMatchObject(whole)
    // The rest of a list that takes several messages precedes the changes made since it began.
    expect(step({ syncedSeq: 20, fillTo: 50 }, { latestSeq: 60 })).toMatchObject({
      updateType: "Differential",
      after: 20,
      upTo: 50,
      fillTo: 50
    })
  })

  it("is to send the newest tokens the list has room for, and the whole list again after each change", () => {
    expect(step({}, { latestSeq: 55, tokens: 101 })).toMatchObject({ updateType: "Full", newest: 100, after: 0 })
    expect(step({ syncedSeq: 20, fillTo: 50 }, { latestSeq: 50, tokens: 101 })).toMatchObject({
      updateType: "Differential",
      after: 20
    })
    expect(step({}, { tokens: 101 })).toEqual({ _tag: "InStep" })
    expect(step({ needsFull: true }, {}, { ...able, listMax: 3 })).toMatchObject({ newest: 3, limit: 3 })
  })

  it("has a version that increases by one, and restarts with a whole list at the maximum", () => {
    expect([nextVersion(-1), nextVersion(0), nextVersion(7), nextVersion(2 ** 31 - 1)]).toEqual([1, 1, 8, 1])
    expect(step({ version: 2 ** 31 - 1 }, { latestSeq: 51 })).toMatchObject({ updateType: "Full", listVersion: 1 })
  })
})
