/** Why a card may charge, or may not: the verdict equals the one a charger gets, and the rule says what it is based on. */
import { describe, expect, it } from "vitest"
import { authorize, partnersToAsk } from "../../../src/domain/decide/Authorize.ts"
import { type AuthorizationRule, explainAuthorization } from "../../../src/domain/decide/AuthorizationExplanation.ts"
import { silent } from "../../../src/domain/token/RealTime.ts"
import type { TokenFacts } from "../../../src/domain/token/Token.ts"
import { minute, token } from "../../support/events.ts"
import { asking, card, elsewhere, here, now, policy, reserved, starting } from "./situations.ts"

const partnerNames = new Map([
  ["NL-MSP", "Greenway"],
  ["DE-MSP", "Ladewerk"]
])
const wanted = { tokenUid: "ANNA", chargerId: "CP-1" }
const grant = {
  partnerId: "NL-MSP",
  countryCode: "NL",
  partyId: "MSP",
  uid: "ANNA",
  type: "RFID",
  contractId: "C",
  authMethod: "COMMAND",
  evseId: 1,
  expiresAt: now + 1
} as const

const facts = (more: Partial<TokenFacts>): TokenFacts => ({
  token: undefined,
  reservations: [],
  roaming: [],
  openSessions: [],
  ...more
})

interface Case {
  readonly rule: AuthorizationRule
  readonly verdict: string
  readonly known: Partial<TokenFacts>
  readonly accepts?: true
  readonly says: RegExp
}

const own = (more: Parameters<typeof token>[1] = {}) => ({ token: token("ANNA", more) })

const cases: ReadonlyArray<Case> = [
  { rule: "own_token", verdict: "Accepted", known: own(), says: /yours and may charge/ },
  { rule: "own_token_blocked", verdict: "Blocked", known: own({ status: "Blocked" }), says: /Set its status/ },
  { rule: "own_token_expired", verdict: "Expired", known: own({ status: "Expired" }), says: /is marked as expired/ },
  {
    rule: "own_token_expired",
    verdict: "Expired",
    known: own({ expiresAt: now }),
    says: new RegExp(`expired at ${new Date(now).toISOString()}`)
  },
  { rule: "reservation", verdict: "Accepted", known: { reservations: [reserved()] }, says: /reservation/ },
  { rule: "partner_request", verdict: "Accepted", known: { granted: [grant] }, says: /requested this session/ },
  { rule: "partner_token", verdict: "Accepted", known: { roaming: [card(true)] }, says: /\(Greenway\)/ },
  {
    rule: "partner_token_refused",
    verdict: "Blocked",
    known: { roaming: [card(false)] },
    says: /Greenway.* contact that partner/
  },
  {
    rule: "partner_conflict",
    verdict: "Invalid",
    known: { roaming: [card(true), card(true, "DE-MSP")] },
    says: /Greenway, Ladewerk/
  },
  {
    rule: "partner_asked",
    verdict: "Invalid",
    known: { roaming: [card(true, "NL-MSP", { whitelist: "NEVER" })] },
    says: /answer of Greenway decides.*Invalid/
  },
  {
    rule: "partner_asked",
    verdict: "Accepted",
    known: { roaming: [card(true, "NL-MSP", { whitelist: "ALLOWED_OFFLINE" })] },
    says: /Greenway decides.*Accepted/
  },
  { rule: "partner_asked", verdict: "Invalid", known: { askable: ["DE-MSP"] }, says: /Ladewerk decides/ },
  { rule: "unknown_token_refused", verdict: "Invalid", known: {}, says: /Add it as a token/ },
  { rule: "unknown_token_accepted", verdict: "Accepted", known: {}, accepts: true, says: /setting/ },
  {
    rule: "charging_here",
    verdict: "Accepted",
    known: { openSessions: [{ ...here, source: "UnknownTokenRule" }] },
    says: /may therefore stop its session/
  },
  {
    rule: "charging_already",
    verdict: "ConcurrentTx",
    known: { ...own(), openSessions: [elsewhere] },
    says: /at CP-2 since 20/
  }
]

const policyOf = ({ accepts }: Case) => ({ ...policy, unknownTokens: accepts === true ? "Accept" : "Refuse" }) as const

describe("the explanation of a card", () => {
  it.each(cases)("has the rule $rule when the verdict is $verdict", (one) => {
    const evidence = { facts: facts(one.known), policy: policyOf(one), partnerNames }
    const { authorization, explanation, rule } = explainAuthorization(evidence, wanted, now)
    expect([rule, authorization.status]).toEqual([one.rule, one.verdict])
    expect(explanation).toMatch(one.says)
    expect(explanation).toMatch(/\.$/)
  })

  it.each(cases)("has the same verdict that a charger gets: $rule, $verdict", (one) => {
    const known = facts(one.known)
    const asked = { ...known, partnerAnswers: partnersToAsk(known, asking, now).map(silent) }
    const charger = [asking, starting].map((context) => authorize(asked, policyOf(one), context, now).status)
    const { authorization } = explainAuthorization({ facts: known, policy: policyOf(one), partnerNames }, wanted, now)
    expect(charger).toContain(authorization.status)
    expect(authorization.status === "ConcurrentTx" ? charger[1] : charger[0]).toBe(authorization.status)
  })

  it("lists the checks that the decision is based on", () => {
    const known = facts({ ...own({ status: "Blocked", expiresAt: minute(-1) }), openSessions: [elsewhere] })
    const { checks } = explainAuthorization({ facts: known, policy, partnerNames }, wanted, now)
    expect(checks.map(({ passed, rule }) => [rule, passed])).toEqual([
      ["known", true],
      ["status", false],
      ["expiry", true],
      ["not_charging", false]
    ])
  })
})
