/**
 * Who calls REST v2: the key in `x-api-key`, looked up by its public part and proved by its keyed hash in constant time, with the
 * permissions of its operator as they are at this call (T20, T22).
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { PermissionDenied } from "../../../domain/Errors.ts"
import { keyLookup, purposes } from "../../../domain/operator/Keys.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Unauthorized } from "./Failures.ts"
import { Authorization, Caller, RequiredPermissions } from "./Middleware.ts"
import { RateLimits } from "./RateLimits.ts"

const unknown = new Unauthorized({ detail: "This key is not known, or was revoked. Keys of REST v1 do not work here." })
const absent = new Unauthorized({ detail: "Send a key in the header x-api-key." })

/** Whose key a presented text is at this moment: what it may do changes with its operator, and it may be revoked. */
export const proving = Effect.gen(function* () {
  const access = yield* Access
  const secrets = yield* Secrets
  // Proves nothing; an unknown key costs the same hash as one that is wrong.
  const dummy = secrets.verifier(purposes.apiKey, "dummy")

  return Effect.fnUntraced(function* (presented: string) {
    if (presented === "") return yield* absent
    const lookup = keyLookup(secrets, presented)
    if (lookup === undefined) return yield* unknown
    const found = yield* access.findKey(lookup.publicId)
    const proved = secrets.verify(purposes.apiKey, lookup.proof, found?.verifier ?? dummy)
    if (found === undefined || !proved) return yield* unknown
    access.used(found.principal.actor, yield* Clock.currentTimeMillis)
    return found.principal
  })
})

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const principalOf = yield* proving
    const limits = yield* RateLimits
    return Authorization.of({
      apiKey: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        const presented = Redacted.value(credential)
        // Proved first: wrong keys beside it keep no right one out.
        const principal = yield* principalOf(presented).pipe(
          Effect.tapErrorTag("Unauthorized", () => (presented === "" ? Effect.void : limits.wrongKey))
        )
        yield* limits.request(principal.keyId)
        const lacking = missing(principal.permissions, Context.getUnsafe(endpoint.annotations, RequiredPermissions))
        if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
        return yield* Effect.provideService(httpEffect, Caller, principal)
      })
    })
  })
)
