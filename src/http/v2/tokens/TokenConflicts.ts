/** The endpoint of token conflicts over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { RoamingTokens, type TokenConflict as DomainConflict } from "../../../domain/token/RoamingTokens.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { TokenConflict } from "./TokenConflictsApi.ts"

const toConflict = ({ tokens, uid }: DomainConflict): typeof TokenConflict.Type => ({
  uid,
  tokens: tokens.map((token) => ({
    partnerId: token.partnerId,
    countryCode: token.countryCode,
    partyId: token.partyId,
    uid: token.uid,
    contractId: token.contractId,
    issuer: token.issuer,
    visualNumber: token.visualNumber ?? null,
    whitelist: token.whitelist,
    lastUpdated: token.lastUpdated
  }))
})

export const layer = HttpApiBuilder.group(
  Api,
  "token-conflicts",
  Effect.fn(function* (handlers) {
    const tokens = yield* RoamingTokens
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.token-conflicts.list")(function* ({ query, request }) {
        const page = yield* tokens.conflicts(yield* organisationId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toConflict)
      })
    })
  })
)
