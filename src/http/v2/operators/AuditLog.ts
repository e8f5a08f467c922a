/** The endpoint of the audit log over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditLog } from "../../../domain/operator/AuditLog.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

/** The largest ms value that a Date can have (ECMA-262 §21.4.1.1). */
const lastMillis = 8.64e15

/**
 * A record with times as REST shows them: a number of ms under a name such as `expiresAt` becomes RFC 3339. A command's `parameters` stay
 * as their author wrote them.
 */
const shown = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]: [string, unknown]) => {
      if (name === "parameters") return [name, value]
      const isTime = name.endsWith("At") && typeof value === "number" && Math.abs(value) <= lastMillis
      return [name, isTime ? new Date(value).toISOString() : within(value)]
    })
  )

const within = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(within)
  return typeof value === "object" && value !== null ? shown(value) : value
}

export const layer = HttpApiBuilder.group(
  Api,
  "audit-log",
  Effect.fn(function* (handlers) {
    const log = yield* AuditLog
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.audit-log.list")(function* ({ query, request }) {
        const { action, actor, from, subject, to } = query
        const page = yield* log.list(yield* organisationId, { ...pageRequest(query), subject, actor, action, from, to })
        return yield* listed(publicUrl, request.url, page, ({ after, before, ...entry }) => ({
          ...entry,
          ...(before === undefined ? {} : { before: shown(before) }),
          ...(after === undefined ? {} : { after: shown(after) })
        }))
      })
    })
  })
)
