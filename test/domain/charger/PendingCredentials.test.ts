/** Passwords and profiles that were sent by command: which are pending, in force or dropped. */
import { assert, it } from "@effect/vitest"
import {
  credentialsAfter,
  type PendingCredential,
  sentCredentials,
  settlement
} from "../../../src/domain/charger/PendingCredentials.ts"
import type { CommandEnd } from "../../../src/domain/command/CommandEnd.ts"

const password = { _tag: "Password" } as const
const profile = { _tag: "SecurityProfile", profile: 2 } as const

it("recognises the keys and values that are credentials", () => {
  const table = [
    [true, "AuthorizationKey", "", password],
    [false, " SecurityProfile ", "2", profile],
    [false, "securityprofile", "3", { _tag: "SecurityProfile", profile: 3 }],
    [false, "SecurityProfile", "1", { _tag: "SecurityProfile", profile: 1 }],
    [false, "SecurityProfile", "0", undefined],
    [false, "SecurityProfile", "4", undefined],
    [false, "SecurityProfile", " 2", undefined],
    [false, "HeartbeatInterval", "2", undefined],
    [false, undefined, undefined, undefined]
  ] as const
  for (const [isPassword, key, value, expected] of table) {
    assert.deepStrictEqual(sentCredentials({ isPassword, key, value }), expected, `${key} ${value}`)
  }
})

it("trusts a clear acceptance or refusal, and leaves any other outcome unknown", () => {
  const table: ReadonlyArray<readonly [Partial<CommandEnd>, string, string]> = [
    [{ answer: "Accepted" }, "InForce", "Unknown"],
    [{ answer: "aCCepted" }, "InForce", "Unknown"],
    [{ answer: "RebootRequired" }, "Unknown", "Unknown"],
    [{}, "Unknown", "Unknown"],
    [{ status: "Rejected", answer: "Rejected" }, "Refused", "Refused"],
    [{ status: "Rejected", answer: "NotSupported" }, "Refused", "Refused"],
    [{ status: "Failed", errorCode: "InternalError" }, "Unknown", "Unknown"],
    [{ status: "Failed", errorCode: "ConnectionLost" }, "Unknown", "Unknown"],
    [{ status: "Failed", errorCode: "TooManyCommands" }, "Refused", "Refused"],
    [{ status: "Failed", errorCode: "NotAccepted" }, "Refused", "Refused"],
    [{ status: "TimedOut", errorCode: "Timeout" }, "Unknown", "Unknown"]
  ]
  for (const [how, ofPassword, ofProfile] of table) {
    const end: CommandEnd = {
      commandId: "m",
      organisationId: "o",
      chargerId: "c",
      status: "Accepted",
      by: "key:1",
      sentAt: 1,
      sentEpoch: 1,
      completedAt: 2,
      answer: undefined,
      errorCode: undefined,
      ...how
    }
    const known = [credentialsAfter(password, end), credentialsAfter(profile, end)]
    assert.deepStrictEqual(known, [ofPassword, ofProfile], JSON.stringify(how))
  }
})

const pendingPassword = (turn: number, isUsed = false): PendingCredential => ({
  commandId: `p${turn}`,
  turn,
  isPassword: true,
  isUsed,
  securityProfile: undefined
})
const pendingProfile = (turn: number, securityProfile: number): PendingCredential => ({
  commandId: `s${turn}`,
  turn,
  isPassword: false,
  isUsed: false,
  securityProfile
})

it("drops the passwords sent up to the one that was used, and nothing when the old one was used", () => {
  const pending = [pendingPassword(1), pendingPassword(2, true), pendingPassword(3), pendingProfile(1, 2)]
  assert.deepStrictEqual(settlement({ hasPassword: true, securityProfile: undefined }, 1, pending), {
    isNewPassword: true,
    securityProfile: 1,
    dropped: ["p1", "p2"],
    isRecorded: true
  })
  const old = pending.filter(({ isUsed }) => !isUsed)
  assert.deepStrictEqual(settlement({ hasPassword: true, securityProfile: undefined }, 1, old), {
    isNewPassword: false,
    securityProfile: 1,
    dropped: [],
    isRecorded: false
  })
  const twice = [pendingPassword(1, true), pendingPassword(2), pendingPassword(3, true), pendingPassword(4)]
  assert.deepStrictEqual(settlement({ hasPassword: true, securityProfile: undefined }, 1, twice).dropped, [
    "p1",
    "p2",
    "p3"
  ])
})

it("drops the pending profiles up to the one in use, and never lowers the profile", () => {
  const pending = [pendingPassword(1), pendingProfile(2, 1), pendingProfile(3, 2), pendingProfile(4, 3)]
  assert.deepStrictEqual(settlement({ hasPassword: false, securityProfile: 2 }, 1, pending), {
    isNewPassword: false,
    securityProfile: 2,
    dropped: ["s2", "s3"],
    isRecorded: true
  })
  assert.strictEqual(settlement({ hasPassword: false, securityProfile: 1 }, 2, pending).securityProfile, 2)
  assert.deepStrictEqual(settlement({ hasPassword: false, securityProfile: undefined }, 2, pending), {
    isNewPassword: false,
    securityProfile: 2,
    dropped: [],
    isRecorded: false
  })
})
