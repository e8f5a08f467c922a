/** The endpoint that explains the decision on a card, over the domain's ports. */
import { Clock, Effect } from "effect"
import type { Charger } from "../../../domain/charger/Charger.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { type LocalListStatus, LocalLists } from "../../../domain/command/LocalLists.ts"
import { explainAuthorization } from "../../../domain/decide/AuthorizationExplanation.ts"
import { Authorizations, type CardEvidence } from "../../../domain/token/Authorizations.ts"
import { organisationId } from "../requests/Caller.ts"
import type { TokenExplanation } from "./ExplanationSchema.ts"

/** How many of the newest attempts are shown. */
const attemptsShown = 20

const cardOf = ({ facts, partnerNames }: CardEvidence): (typeof TokenExplanation.Type)["token"] => {
  const { roaming, token } = facts
  const [theirs] = roaming
  if (token !== undefined) {
    return {
      partnerId: null,
      partnerName: null,
      type: token.type,
      status: token.status,
      valid: null,
      expiresAt: token.expiresAt ?? null,
      parentUid: token.parentUid ?? null,
      visualNumber: token.visualNumber ?? null,
      contractId: null,
      whitelist: null
    }
  }
  if (theirs === undefined) return null
  return {
    partnerId: theirs.partnerId,
    partnerName: partnerNames.get(theirs.partnerId) ?? null,
    type: theirs.type,
    status: null,
    valid: theirs.valid,
    expiresAt: null,
    parentUid: theirs.groupUid ?? null,
    visualNumber: null,
    contractId: theirs.contractId,
    whitelist: theirs.whitelist
  }
}

const chargerOf = ({ chargerId, connected, name }: Charger, { inStep, state }: LocalListStatus) => ({
  chargerId,
  name,
  connected,
  localListState: state,
  localListInStep: inStep
})

/** Explains the decision on a card, at a charger or anywhere. */
export const tokenExplanation = Effect.gen(function* () {
  const authorizations = yield* Authorizations
  const chargers = yield* Chargers
  const lists = yield* LocalLists
  return Effect.fn("v2.tokens.explanation")(function* (tokenUid: string, chargerId: string | undefined) {
    const organisation = yield* organisationId
    const now = yield* Clock.currentTimeMillis
    const charger =
      chargerId === undefined
        ? null
        : chargerOf(yield* chargers.get(organisation, chargerId), yield* lists.status(organisation, chargerId))
    const wanted = { tokenUid, chargerId }
    const evidence = yield* authorizations.evidence(organisation, wanted, now)
    const { authorization, checks, explanation, rule } = explainAuthorization(evidence, wanted, now)
    const attempts = yield* authorizations.attempts(organisation, wanted, attemptsShown)
    const answer: typeof TokenExplanation.Type = {
      verdict: authorization.status,
      allowed: authorization.status === "Accepted",
      source: authorization.source,
      rule,
      explanation,
      token: cardOf(evidence),
      charger,
      openSessions: evidence.facts.openSessions.map(({ chargerId: at, startedAt }) => ({ chargerId: at, startedAt })),
      checks,
      attempts: attempts.map(({ status, ...attempt }) => ({ ...attempt, answer: status }))
    }
    return answer
  })
})
