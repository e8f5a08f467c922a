/** The endpoint of the audit log over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditLog } from "../../domain/ports/AuditLog.ts"
import { Api } from "./Api.ts"
import { organisationId } from "./Caller.ts"
import { listed, pageRequest, PublicUrl } from "./Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "audit-log",
  Effect.fn(function* (handlers) {
    const log = yield* AuditLog
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.audit-log.list")(function* ({ query, request }) {
        const asked = { ...pageRequest(query), subject: query.subject }
        const page = yield* log.list(yield* organisationId, asked)
        return listed(publicUrl, request.url, page, ({ after, before, ...entry }) => ({
          ...entry,
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after })
        }))
      })
    })
  })
)
