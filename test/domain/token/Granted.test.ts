/** A card for which a partner requested a session or reservation: the partner answers for it, so no partner is asked. */
import { describe, expect, it } from "vitest"
import { fitsCharger, type Grant, grantFor } from "../../../src/domain/roaming/TokenGrant.ts"
import { type AuthorizationContext, authorize, partnersToAsk } from "../../../src/domain/decide/Authorize.ts"
import type { TokenFacts } from "../../../src/domain/token/Token.ts"
import { minute, token } from "../../support/events.ts"

const policy = { unknownTokens: "Refuse", concurrentTransactions: "Refuse", heartbeatIntervalSeconds: 300 } as const
const now = minute(0)
const roaming = {
  partnerId: "P",
  countryCode: "DE",
  partyId: "ABC",
  uid: "ANNA",
  type: "APP_USER",
  contractId: "DE-ABC-1",
  authMethod: "COMMAND",
  authorizationReference: "REF"
} as const
const grant = (more: Partial<Grant> = {}): Grant => ({ ...roaming, evseId: 1, expiresAt: minute(20), ...more })
const facts = (more: Partial<TokenFacts> = {}): TokenFacts => ({
  token: undefined,
  reservations: [],
  roaming: [],
  openSessions: [],
  granted: [grant()],
  ...more
})
const asking: AuthorizationContext = { _tag: "Asking", tokenUid: "ANNA", chargerId: "CP-1" }
const starting = (evseId: number): AuthorizationContext => ({
  _tag: "Starting",
  tokenUid: "ANNA",
  chargerId: "CP-1",
  evseId,
  reservationId: undefined,
  at: now
})
const card = {
  partnerId: "Q",
  countryCode: "NL",
  partyId: "MSP",
  uid: "ANNA",
  type: "RFID",
  contractId: "Q-7",
  valid: true,
  groupUid: undefined,
  whitelist: "NEVER"
}

describe("a card that a partner has just requested a session for", () => {
  it("may charge for that partner until the grant expires, and no partner is asked", () => {
    for (const context of [asking, starting(1)]) {
      const decided = authorize(facts(), policy, context, now)
      expect(decided).toMatchObject({ status: "Accepted", source: "RoamingToken", expiresAt: minute(20), roaming })
      expect(partnersToAsk(facts({ roaming: [card] }), context, now)).toEqual([])
    }
  })

  it("takes precedence over other partners' cards and the organisation's own valid card", () => {
    expect(authorize(facts({ roaming: [card, { ...card, partnerId: "R" }] }), policy, starting(1), now)).toMatchObject({
      status: "Accepted",
      roaming
    })
    expect(authorize(facts({ token: token("ANNA") }), policy, starting(1), now)).toMatchObject({
      status: "Accepted",
      roaming
    })
  })

  it("may charge in two places at a time, since its partner requested both", () => {
    const elsewhere = {
      chargerId: "CP-2",
      evseId: 1,
      sessionId: "s",
      startedAt: minute(-5),
      source: "RoamingToken"
    } as const
    expect(authorize(facts({ openSessions: [elsewhere] }), policy, starting(1), now)).toMatchObject({
      status: "Accepted"
    })
    const ungranted = facts({ openSessions: [elsewhere], granted: [], token: token("ANNA") })
    expect(authorize(ungranted, policy, starting(1), now)).toMatchObject({ status: "ConcurrentTx" })
  })

  it("is still refused if the operator has blocked it", () => {
    const decided = authorize(facts({ token: token("ANNA", { status: "Blocked" }) }), policy, starting(1), now)
    expect(decided).toMatchObject({ status: "Blocked" })
    expect(decided.roaming).toBeUndefined()
  })

  it("may charge at the EVSE of the grant and nowhere else", () => {
    expect(authorize(facts(), policy, starting(2), now)).toMatchObject({ status: "Invalid" })
    expect(authorize(facts({ granted: [grant({ evseId: 0 })] }), policy, starting(2), now)).toMatchObject({ roaming })
  })

  it("uses the grant for the exact EVSE, and of several the newest, which comes first", () => {
    const here = grant({ authorizationReference: "here" })
    const anywhere = grant({ authorizationReference: "anywhere", evseId: 0, expiresAt: minute(60) })
    expect(grantFor([anywhere, here], 1)).toBe(here)
    expect(grantFor([anywhere, here], 2)).toBe(anywhere)
    expect(grantFor([here], 2)).toBeUndefined()
    // A reservation is valid for longer than the start that follows it.
    const reservation = grant({ authorizationReference: "reservation", expiresAt: minute(120) })
    expect(grantFor([here, reservation], 1)).toBe(here)
  })
})

describe("a uid", () => {
  it("is sent to a charger unchanged if the charger can hold it", () => {
    expect(["A", "0123456789ABCDEF0123", "a-b_c.d*e"].every(fitsCharger)).toBe(true)
    expect(["", "0123456789ABCDEF01234", "with blank", "ümlaut", "tab\t"].some(fitsCharger)).toBe(false)
  })
})
