/** The endpoint of authorizations, the verdicts for presented cards, over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Authorizations, type ListedAttempt as DomainAttempt } from "../../../domain/token/Authorizations.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { ListedAttempt } from "./AuthorizationsApi.ts"

const shown = ({ status, ...attempt }: DomainAttempt): typeof ListedAttempt.Type => ({ ...attempt, answer: status })

export const layer = HttpApiBuilder.group(
  Api,
  "authorizations",
  Effect.fn(function* (handlers) {
    const authorizations = yield* Authorizations
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.authorizations.list")(function* ({ query, request }) {
        const page = { ...pageRequest(query), refused: query.refused === true }
        return yield* listed(publicUrl, request.url, yield* authorizations.list(yield* organisationId, page), shown)
      })
    })
  })
)
