import { describe, expect, it } from "vitest"
import { stopVerdict } from "../../../src/domain/decide/Stop.ts"
import type { TokenFacts } from "../../../src/domain/token/Token.ts"
import { minute, state, token } from "../../support/events.ts"
import { card, here, now, reserved } from "../token/situations.ts"

const answeredFor = (facts: Partial<TokenFacts>, policy = state().policy) => {
  const known: TokenFacts = { token: undefined, reservations: [], roaming: [], openSessions: [here], ...facts }
  return stopVerdict(state({ policy }), { token: known }, "ANNA", now)
}

const verdict = (status: string, more = {}) => ({
  _tag: "Answer",
  verdict: { status, expiresAt: undefined, parentUid: undefined, ...more }
})
const nothing = { _tag: "Answer", verdict: undefined }

describe("the verdict that a charger gets on the card that stopped a session", () => {
  it("is absent when the stop names no card", () => {
    expect(stopVerdict(state(), {}, undefined, now)).toEqual(nothing)
  })

  it("begins by looking up the organisation's own cards", () => {
    expect(stopVerdict(state(), {}, "ANNA", now)).toMatchObject({ _tag: "Ask", question: { _tag: "FindToken" } })
  })

  it("is the card's current one, even if the session was allowed to start", () => {
    const own = token("ANNA", { status: "Blocked", parentUid: "FAMILY" })
    expect(answeredFor({ token: own })).toEqual(verdict("Blocked", { parentUid: "FAMILY" }))
  })

  it("is the one in a partner's stored token if the whitelist allows that, with the group", () => {
    const roaming = [card(true, "NL-MSP", { whitelist: "ALLOWED", groupUid: "FLEET" })]
    expect(answeredFor({ roaming })).toEqual(verdict("Accepted", { parentUid: "FLEET" }))
    expect(answeredFor({ roaming: [card(false)] })).toEqual(verdict("Blocked"))
  })

  for (const whitelist of ["NEVER", "ALLOWED_OFFLINE"]) {
    it(`is absent for a partner's card with whitelist ${whitelist}: only the partner knows`, () => {
      expect(answeredFor({ roaming: [card(true, "NL-MSP", { whitelist })] })).toEqual(nothing)
    })
  }

  it("is absent for an unknown card about which partners could be asked", () => {
    expect(answeredFor({ askable: ["NL-MSP"] })).toEqual(nothing)
  })

  it("is absent for an unknown card that started by a reservation or a partner's command, which are used up by now", () => {
    for (const source of ["Reservation", "RoamingToken"] as const) {
      expect(answeredFor({ openSessions: [{ ...here, source }] })).toEqual(nothing)
    }
  })

  it("follows the rule for unknown cards in all other cases", () => {
    expect(answeredFor({ openSessions: [{ ...here, source: "LocalToken" }] })).toEqual(verdict("Invalid"))
    expect(answeredFor({ openSessions: [] }, { ...state().policy, unknownTokens: "Accept" })).toEqual(
      verdict("Accepted")
    )
  })

  it("is that of a reservation that is still active for the card, until it expires", () => {
    expect(answeredFor({ reservations: [reserved()] })).toEqual(verdict("Accepted", { expiresAt: minute(30) }))
  })
})
