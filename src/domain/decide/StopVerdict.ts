/**
 * What a charger is answered about the card that stopped a transaction (OCPP 1.6 §6.50). It stops whatever the answer is, and keeps the answer in its
 * authorization cache (§3.5.1): so it is the card's verdict as it is, or none at all.
 */
import type { TokenFacts } from "../token/Token.ts"
import { authorizing } from "./Authorizing.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import type { Answers, Question } from "../charger/Decision.ts"
import type { IdTagVerdict } from "../charger/Reply.ts"
import { verdictOf } from "./Start.ts"

export type StopVerdict =
  | { readonly _tag: "Ask"; readonly question: Question }
  /** Undefined where nothing is to be said. */
  | { readonly _tag: "Answer"; readonly verdict: IdTagVerdict | undefined }

const nothing: StopVerdict = { _tag: "Answer", verdict: undefined }

/** True of an unknown card that something else let charge here: what that was is over with the session, and says nothing of the card. */
const wasLetIn = ({ openSessions }: TokenFacts, chargerId: string): boolean =>
  openSessions.some((open) => open.chargerId === chargerId && ["Reservation", "RoamingToken"].includes(open.source))

/** Of a card on which only a partner could say more nothing is said: a stop waits for no partner. */
export const stopVerdict = (
  state: ChargerState,
  { token }: Answers,
  tokenUid: string | undefined,
  now: number
): StopVerdict => {
  if (tokenUid === undefined) return nothing
  const { chargerId } = state
  // The session that ends entitles to nothing any more.
  const facts = token === undefined ? {} : { token: { ...token, openSessions: [] } }
  const decided = authorizing(state, facts, { _tag: "Asking", tokenUid, chargerId }, now)
  if (decided._tag === "Ask") return decided.question._tag === "AskPartners" ? nothing : decided
  const isNobodys = decided.authorization.source === "UnknownTokenRule"
  if (isNobodys && token !== undefined && wasLetIn(token, chargerId)) return nothing
  return { _tag: "Answer", verdict: verdictOf(decided.authorization) }
}
