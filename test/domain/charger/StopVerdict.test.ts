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

describe("what a charger is answered about the card that stopped", () => {
  it("is nothing where it names none", () => {
    expect(stopVerdict(state(), {}, undefined, now)).toEqual(nothing)
  })

  it("is asked of the organisation's cards first", () => {
    expect(stopVerdict(state(), {}, "ANNA", now)).toMatchObject({ _tag: "Ask", question: { _tag: "FindToken" } })
  })

  it("is what the card may, though the session was let begin", () => {
    const own = token("ANNA", { status: "Blocked", parentUid: "FAMILY" })
    expect(answeredFor({ token: own })).toEqual(verdict("Blocked", { parentUid: "FAMILY" }))
  })

  it("is a partner's word of before where that is enough, with the group", () => {
    const roaming = [card(true, "NL-MSP", { whitelist: "ALLOWED", groupUid: "FLEET" })]
    expect(answeredFor({ roaming })).toEqual(verdict("Accepted", { parentUid: "FLEET" }))
    expect(answeredFor({ roaming: [card(false)] })).toEqual(verdict("Blocked"))
  })

  for (const whitelist of ["NEVER", "ALLOWED_OFFLINE"]) {
    it(`is nothing of a partner's card with whitelist ${whitelist}: only the partner knows`, () => {
      expect(answeredFor({ roaming: [card(true, "NL-MSP", { whitelist })] })).toEqual(nothing)
    })
  }

  it("is nothing of a stranger's card of which partners could be asked", () => {
    expect(answeredFor({ askable: ["NL-MSP"] })).toEqual(nothing)
  })

  it("is nothing of an unknown card that its reservation or a partner's command let begin, which are used by now", () => {
    for (const source of ["Reservation", "RoamingToken"] as const) {
      expect(answeredFor({ openSessions: [{ ...here, source }] })).toEqual(nothing)
    }
  })

  it("is the rule for unknown cards of any other", () => {
    expect(answeredFor({ openSessions: [{ ...here, source: "LocalToken" }] })).toEqual(verdict("Invalid"))
    expect(answeredFor({ openSessions: [] }, { ...state().policy, unknownTokens: "Accept" })).toEqual(
      verdict("Accepted")
    )
  })

  it("is a reservation that is still active for it, until that ends", () => {
    expect(answeredFor({ reservations: [reserved()] })).toEqual(verdict("Accepted", { expiresAt: minute(30) }))
  })
})
