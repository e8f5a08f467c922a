/**
 * Who calls REST v2: the key in `x-api-key`, looked up by its public part and proved by its keyed hash in constant time, with the
 * permissions of its operator as they are at this call (T20, T22).
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { PermissionDenied } from "../../../domain/Errors.ts"
import { keyLookup, purposes } from "../../../domain/operator/Keys.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Unauthorized } from "./Failures.ts"
import { Authorization, Caller, RequiredPermissions } from "./Middleware.ts"
import { RequestQueues } from "./FairShare.ts"
import { Inside } from "./Inside.ts"
import { RateLimits } from "./RateLimits.ts"

const unknown = new Unauthorized({ detail: "This key is not known, or was revoked. Keys of REST v1 do not work here." })
const absent = new Unauthorized({ detail: "Send a key in the header x-api-key." })

/** Keys that are remembered as proved; of more the one longest not used is forgotten. */
const provedMax = 10_000

/**
 * Keys that were right a short while ago, by their public part, so that a flood of one can be refused before the database is asked about each of its
 * requests. Nothing is permitted by it: what a key may do is read again for each request that is worked on.
 */
class Proved {
  private readonly keys = new Map<string, { readonly verifier: Uint8Array; readonly keyId: string }>()

  remember(publicId: string, verifier: Uint8Array, keyId: string): void {
    this.keys.delete(publicId)
    if (this.keys.size >= provedMax) this.keys.delete(this.keys.keys().next().value ?? "")
    this.keys.set(publicId, { verifier, keyId })
  }

  get(publicId: string) {
    return this.keys.get(publicId)
  }
}

/**
 * Whose key a presented text is at this moment: what it may do changes with its operator, and it may be revoked. `room` fails where a request of the key
 * would be refused whatever else it is.
 */
export const proving = Effect.fnUntraced(function* <E, R>(room: (keyId: string) => Effect.Effect<void, E, R>) {
  const access = yield* Access
  const secrets = yield* Secrets
  // Proves nothing; an unknown key costs the same hash as one that is wrong.
  const dummy = secrets.verifier(purposes.apiKey, "dummy")

  const recent = new Proved()

  return Effect.fnUntraced(function* (presented: string) {
    if (presented === "") return yield* absent
    const lookup = keyLookup(secrets, presented)
    if (lookup === undefined) return yield* unknown
    const known = recent.get(lookup.publicId)
    if (known !== undefined && secrets.verify(purposes.apiKey, lookup.proof, known.verifier)) yield* room(known.keyId)
    const found = yield* access.findKey(lookup.publicId)
    const proved = secrets.verify(purposes.apiKey, lookup.proof, found?.verifier ?? dummy)
    if (found === undefined || !proved) return yield* unknown
    recent.remember(lookup.publicId, found.verifier, found.principal.keyId)
    access.used(found.principal.actor, yield* Clock.currentTimeMillis)
    return found.principal
  })
})

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const queues = yield* RequestQueues
    const room = Effect.fnUntraced(function* (keyId: string) {
      yield* limits.room(keyId)
      yield* queues.room(keyId)
    })
    const principalOf = yield* proving(room)
    return Authorization.of({
      apiKey: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        const presented = Redacted.value(credential)
        const needed = Context.getUnsafe(endpoint.annotations, RequiredPermissions)
        const permitted = Effect.fnUntraced(function* (principal: Principal) {
          const lacking = missing(principal.permissions, needed)
          if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
          return yield* Effect.provideService(httpEffect, Caller, principal)
        })
        // Within the transaction of a request whose caller is known: no other connection may be waited for there.
        const asking = yield* Inside
        if (asking !== undefined) return yield* permitted(asking)
        // Proved first: wrong keys beside it keep no right one out.
        const principal = yield* principalOf(presented).pipe(
          Effect.tapErrorTag("Unauthorized", () => (presented === "" ? Effect.void : limits.wrongKey))
        )
        yield* limits.request(principal.keyId)
        return yield* permitted(principal)
      })
    })
  })
)
