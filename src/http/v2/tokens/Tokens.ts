/** The endpoints of drivers' tokens over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Tokens } from "../../../domain/token/Tokens.ts"
import type { Token as DomainToken } from "../../../domain/token/Token.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { tokenExplanation } from "./TokenExplanation.ts"
import type { NewToken, Token } from "./TokensApi.ts"

const toToken = (token: DomainToken): typeof Token.Type => ({
  uid: token.uid,
  type: token.type,
  status: token.status,
  parentUid: token.parentUid ?? null,
  expiresAt: token.expiresAt ?? null,
  visualNumber: token.visualNumber ?? null,
  note: token.note ?? null,
  createdAt: token.createdAt,
  updatedAt: token.updatedAt
})

const toInput = (given: typeof NewToken.Type) => ({
  uid: given.uid,
  type: given.type ?? "RFID",
  status: given.status ?? "Accepted",
  parentUid: given.parentUid ?? undefined,
  expiresAt: given.expiresAt ?? undefined,
  visualNumber: given.visualNumber ?? undefined,
  note: given.note ?? undefined
})

export const layer = HttpApiBuilder.group(
  Api,
  "tokens",
  Effect.fn(function* (handlers) {
    const tokens = yield* Tokens
    const publicUrl = yield* PublicUrl
    const explanation = yield* tokenExplanation
    return handlers.handleAll({
      create: Effect.fn("v2.tokens.create")(function* ({ payload }) {
        const token = yield* tokens.create(toInput(payload), yield* audit)
        return located(publicUrl, `/v2/tokens/${encodeURIComponent(token.uid)}`, toToken(token))
      }),
      list: Effect.fn("v2.tokens.list")(function* ({ query, request }) {
        const filter = { ...pageRequest(query), status: query.status, text: query.q }
        return yield* listed(publicUrl, request.url, yield* tokens.list(yield* organisationId, filter), toToken)
      }),
      get: Effect.fn("v2.tokens.get")(function* ({ params }) {
        return toToken(yield* tokens.get(yield* organisationId, params.uid))
      }),
      explanation: ({ params, query }) => explanation(params.uid, query.chargerId),
      update: Effect.fn("v2.tokens.update")(function* ({ params, payload }) {
        return toToken(yield* tokens.update(params.uid, payload, yield* audit))
      }),
      remove: Effect.fn("v2.tokens.remove")(function* ({ params }) {
        yield* tokens.remove(params.uid, yield* audit)
      })
    })
  })
)
