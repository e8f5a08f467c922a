/** The endpoints of v2 keys. A key can never do more than the one that made it, nor revoke one that can do more (T22). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PermissionDenied } from "../../../domain/Errors.ts"
import { newKey } from "../../../domain/operator/Keys.ts"
import type { ApiKey as StoredApiKey } from "../../../domain/operator/Operator.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { signInOf } from "../../../domain/operator/SignIn.ts"
import { missing, type Permission } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import type { ApiKey } from "./ApiKeysApi.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, maxLimit, pageRequest, PublicUrl } from "../requests/Paging.ts"

const toApiKey = (key: StoredApiKey): typeof ApiKey.Type => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  permissions: key.permissions ?? null,
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt ?? null,
  revokedAt: key.revokedAt ?? null
})

const making = Effect.gen(function* () {
  const access = yield* Access
  const secrets = yield* Secrets

  /** What the calling key was itself cut down to; undefined when it has all of its operator's permissions, and for a sign-in, which is the operator. */
  const ownLimits = Effect.fnUntraced(function* (caller: Principal) {
    if (signInOf(caller) !== undefined) return undefined
    let cursor: string | undefined
    do {
      const page = yield* access.listKeys(caller.organisationId, { limit: maxLimit, cursor })
      const own = page.items.find((key) => key.id === caller.keyId)
      if (own !== undefined) return own.permissions
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return caller.permissions
  })

  return Effect.fnUntraced(function* (name: string, wanted: ReadonlyArray<Permission> | undefined) {
    const now = yield* audit
    const caller = now.by
    const lacking = missing(caller.permissions, wanted ?? [])
    if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
    // A pair of REST v1 has no operator; it cannot get here, and could not own a key.
    if (caller.operatorId === undefined) return yield* new PermissionDenied({ requiredPermissions: ["api-keys:write"] })
    const { text, ...stored } = newKey(secrets)
    const permissions = wanted ?? (yield* ownLimits(caller))
    // The caller's own operator is always there: a key without one is a defect.
    const made = yield* access
      .createKey({ name, ...stored, permissions, operatorId: caller.operatorId }, now)
      .pipe(Effect.catchTag("NotFound", Effect.die))
    return { made, text }
  })
})

export const layer = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fn(function* (handlers) {
    const access = yield* Access
    const publicUrl = yield* PublicUrl
    const make = yield* making
    return handlers.handleAll({
      create: Effect.fn("v2.api-keys.create")(function* ({ payload }) {
        const { made, text } = yield* make(payload.name, payload.permissions)
        return { ...toApiKey(made), key: text }
      }),
      list: Effect.fn("v2.api-keys.list")(function* ({ query, request }) {
        return listed(
          publicUrl,
          request.url,
          yield* access.listKeys(yield* organisationId, pageRequest(query)),
          toApiKey
        )
      }),
      revoke: Effect.fn("v2.api-keys.revoke")(function* ({ params }) {
        yield* access.revokeKey(params.keyId, yield* audit)
      })
    })
  })
)
