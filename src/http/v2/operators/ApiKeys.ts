/** The endpoints of v2 keys. A key can never do more than the key that made it, and cannot revoke a key that can do more (T22). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidInput, PermissionDenied } from "../../../domain/Errors.ts"
import { type KeyBounds, widerBound } from "../../../domain/operator/KeyBounds.ts"
import { newKey } from "../../../domain/operator/Keys.ts"
import type { ApiKey as StoredApiKey } from "../../../domain/operator/Operator.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { signInOf } from "../../../domain/operator/SignIn.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import type { ApiKey, NewApiKey } from "./ApiKeysApi.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

const toApiKey = (key: StoredApiKey): typeof ApiKey.Type => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  permissions: key.permissions ?? null,
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt ?? null,
  lastUsedFrom: key.lastUsedFrom ?? null,
  expiresAt: key.expiresAt ?? null,
  networks: key.networks ?? null,
  revokedAt: key.revokedAt ?? null
})

/** One day, in which programs can be switched to the new key. */
const overlapSeconds = 86_400

interface RotationAsked {
  readonly overlapSeconds?: number
  readonly expiresAt?: number | null
}

const making = Effect.gen(function* () {
  const access = yield* Access
  const secrets = yield* Secrets

  /** The calling key; undefined for a sign-in, which has the operator's own permissions. */
  const ownKey = (caller: Principal) =>
    signInOf(caller) === undefined
      ? Effect.catchTag(access.getKey(caller.organisationId, caller.keyId), "NotFound", Effect.die)
      : Effect.undefined

  /** A pair of REST v1 has no operator. It cannot get here, and could not own a key. */
  const operatorOf = ({ operatorId }: Principal) =>
    operatorId === undefined
      ? Effect.fail(new PermissionDenied({ requiredPermissions: ["api-keys:write"] }))
      : Effect.succeed(operatorId)

  const within = (own: KeyBounds | undefined, wanted: KeyBounds) => {
    const wider = own === undefined ? undefined : widerBound(own, wanted)
    return wider === undefined ? Effect.void : Effect.fail(wider)
  }

  const isPast = (at: number | undefined, now: number) =>
    at !== undefined && at <= now
      ? Effect.fail(new InvalidInput({ pointer: "/expiresAt", detail: "Must be in the future" }))
      : Effect.void

  const create = Effect.fnUntraced(function* (given: typeof NewApiKey.Type) {
    const now = yield* audit
    const caller = now.by
    const lacking = missing(caller.permissions, given.permissions ?? [])
    if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
    const operatorId = yield* operatorOf(caller)
    const own = yield* ownKey(caller)
    // Without other values, a key made by a key has the same expiry and networks.
    const expiresAt = given.expiresAt ?? own?.expiresAt
    const networks = given.networks ?? own?.networks
    yield* isPast(expiresAt, now.now)
    yield* within(own, { expiresAt, networks })
    const { text, ...stored } = newKey(secrets)
    // A sign-in by an identity provider may have fewer permissions than its operator.
    const most = own === undefined && caller.bySingleSignOn === true ? caller.permissions : own?.permissions
    const permissions = given.permissions ?? most
    // The caller's own operator always exists, so a missing one is a defect.
    const made = yield* access
      .createKey({ name: given.name, ...stored, permissions, operatorId, expiresAt, networks }, now)
      .pipe(Effect.catchTag("NotFound", Effect.die))
    return { made, text }
  })

  const rotate = Effect.fnUntraced(function* (id: string, given: RotationAsked) {
    const now = yield* audit
    const own = yield* ownKey(now.by)
    const old = yield* access.getKey(now.by.organisationId, id)
    const expiresAt = given.expiresAt === undefined ? old.expiresAt : (given.expiresAt ?? undefined)
    if (given.expiresAt !== undefined) yield* isPast(expiresAt, now.now)
    yield* within(own, { expiresAt, networks: old.networks })
    const { text, ...stored } = newKey(secrets)
    const overlapMillis = (given.overlapSeconds ?? overlapSeconds) * 1000
    const permissions = old.permissions ?? own?.permissions
    const made = yield* access.rotateKey(id, { ...stored, permissions, expiresAt, overlapMillis }, now)
    return { made, text }
  })

  return { create, rotate }
})

export const layer = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fn(function* (handlers) {
    const access = yield* Access
    const publicUrl = yield* PublicUrl
    const { create, rotate } = yield* making
    return handlers.handleAll({
      create: Effect.fn("v2.api-keys.create")(function* ({ payload }) {
        const { made, text } = yield* create(payload)
        return { ...toApiKey(made), key: text }
      }),
      rotate: Effect.fn("v2.api-keys.rotate")(function* ({ params, payload }) {
        const { made, text } = yield* rotate(params.keyId, payload)
        return { ...toApiKey(made), key: text }
      }),
      list: Effect.fn("v2.api-keys.list")(function* ({ query, request }) {
        return yield* listed(
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
