/** Deciding on a token takes up to two questions: what is known of it, and, where that says so, what its partners say at this moment. */
import type { Authorization } from "../token/Authorization.ts"
import { type AuthorizationContext, authorize, partnersToAsk } from "./Authorize.ts"
import type { TokenFacts } from "../token/Token.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import type { Answers, Question } from "../charger/Decision.ts"

export type Authorizing =
  | { readonly _tag: "Ask"; readonly question: Question }
  | { readonly _tag: "Decided"; readonly authorization: Authorization; readonly facts: TokenFacts }

export const authorizing = (
  { policy }: Pick<ChargerState, "policy">,
  { token, partnerAnswers }: Answers,
  context: AuthorizationContext,
  now: number
): Authorizing => {
  const { tokenUid } = context
  const starting = context._tag === "Starting" ? context : undefined
  if (token === undefined) return { _tag: "Ask", question: { _tag: "FindToken", tokenUid, at: starting?.at ?? now } }
  const facts: TokenFacts = { ...token, partnerAnswers }
  const partners = partnersToAsk(facts, context, now)
  if (partners.length > 0) {
    return { _tag: "Ask", question: { _tag: "AskPartners", tokenUid, evseId: starting?.evseId, partners } }
  }
  return { _tag: "Decided", authorization: authorize(facts, policy, context, now), facts }
}
