/** Why a card may or may not charge, as REST v2 shows it. */
import { Schema } from "effect"
import { localListStates } from "../../../domain/command/LocalLists.ts"
import { authorizationRules } from "../../../domain/decide/AuthorizationExplanation.ts"
import { authorizationSources, authorizationStatuses } from "../../../domain/token/Authorization.ts"
import { attemptKinds } from "../../../domain/token/Authorizations.ts"
import { Time } from "../../Fields.ts"

const known = Schema.NullOr(Schema.String)

const Card = Schema.Struct({
  partnerId: known,
  partnerName: known,
  type: known,
  status: known,
  valid: Schema.NullOr(Schema.Boolean),
  expiresAt: Schema.NullOr(Time),
  parentUid: known,
  visualNumber: known,
  contractId: known,
  whitelist: known
}).annotate({ identifier: "ExplainedCard" })

const Charger = Schema.Struct({
  chargerId: Schema.String,
  name: Schema.String,
  connected: Schema.Boolean,
  localListState: Schema.Literals(localListStates),
  localListInStep: Schema.Boolean
}).annotate({ identifier: "ExplainedCharger" })

const Check = Schema.Struct({
  rule: Schema.String,
  passed: Schema.Boolean,
  detail: Schema.String
}).annotate({ identifier: "AuthorizationCheck" })

export const Attempt = Schema.Struct({
  at: Time,
  chargerId: Schema.String,
  kind: Schema.Literals(attemptKinds),
  answer: Schema.Literals(authorizationStatuses),
  source: Schema.Literals(authorizationSources)
}).annotate({ identifier: "AuthorizationAttempt" })

const OpenSession = Schema.Struct({
  chargerId: Schema.String,
  startedAt: Time
}).annotate({ identifier: "ExplainedSession" })

export const TokenExplanation = Schema.Struct({
  verdict: Schema.Literals(authorizationStatuses),
  allowed: Schema.Boolean,
  source: Schema.Literals(authorizationSources),
  rule: Schema.Literals(authorizationRules),
  explanation: Schema.String,
  token: Schema.NullOr(Card),
  charger: Schema.NullOr(Charger),
  openSessions: Schema.Array(OpenSession).annotate({ description: "Where the card is charging now" }),
  checks: Schema.Array(Check),
  attempts: Schema.Array(Attempt)
}).annotate({ identifier: "TokenExplanation" })
