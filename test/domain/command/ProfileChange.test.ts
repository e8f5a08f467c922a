import { assert, it } from "@effect/vitest"
import {
  type PartnerProfile,
  type ProfileChange,
  profilesChangedBy
} from "../../../src/domain/command/ProfileChange.ts"

const change = (more: Partial<ProfileChange> = {}): ProfileChange => ({
  commandId: "m",
  organisationId: "o",
  chargerId: "c",
  type: "SetChargingProfile",
  status: "Accepted",
  by: "key:1",
  sentAt: 1,
  sentEpoch: 1,
  completedAt: 2,
  answer: undefined,
  errorCode: undefined,
  evseId: 1,
  ...more
})

const profile = (commandId: string, more: Partial<PartnerProfile> = {}): PartnerProfile => ({
  commandId,
  organisationId: "o",
  chargerId: "c",
  evseId: 1,
  partnerId: "p",
  sessionId: "s",
  ...more
})

const heard = (made: ProfileChange, ...profiles: ReadonlyArray<PartnerProfile>) =>
  profilesChangedBy(made, profiles).map(({ commandId }) => commandId)

it("a profile change concerns the profiles at its EVSE, or all of its charger", () => {
  const profiles = [
    profile("1"),
    profile("2", { evseId: 2, sessionId: "t" }),
    profile("3", { chargerId: "d", sessionId: "u" }),
    profile("4", { organisationId: "q", sessionId: "v" })
  ]
  assert.deepStrictEqual(heard(change(), ...profiles), ["1"])
  assert.deepStrictEqual(heard(change({ evseId: 0 }), ...profiles), ["1", "2"])
  assert.deepStrictEqual(heard(change({ evseId: undefined }), ...profiles), ["1", "2"])
  assert.deepStrictEqual(heard(change({ status: "Rejected" }), ...profiles), [])
})

it("a profile change is not reported to the partner that made it", () => {
  const profiles = [profile("1"), profile("2", { partnerId: "q" })]
  assert.deepStrictEqual(heard(change({ by: "partner:p" }), ...profiles), ["2"])
})

it("a profile change is reported for the newest profile of each partner and session", () => {
  const profiles = [
    profile("1"),
    profile("3"),
    profile("2"),
    profile("4", { sessionId: "t" }),
    profile("5", { partnerId: "q" })
  ]
  assert.deepStrictEqual(heard(change(), ...profiles), ["3", "4", "5"])
})
