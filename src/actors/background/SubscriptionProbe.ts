/** Asks a subscriber that had stopped answering whether it is there again; when it is, all that waited goes at once. */
import { Clock, Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Subscriptions } from "../../domain/event/Subscriptions.ts"
import { circuitReleased } from "../../domain/event/Settling.ts"
import type { DeliveryOptions } from "./SubscriptionDelivery.ts"
import type { Kinds } from "./SubscriptionReader.ts"

/** True when it is. */
export const probe = (
  kinds: Kinds,
  subscriptionId: string,
  options: DeliveryOptions
): Effect.Effect<boolean, StorageUnavailable, Subscriptions> =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const subscription = yield* storage.find(subscriptionId)
    const kind = subscription && kinds.get(subscription.kind)
    if (subscription?.openedAt === undefined || kind === undefined) return false
    const isThere = yield* kind.isThere(subscription).pipe(
      Effect.timeoutOrElse({ duration: options.deliveryMillis, orElse: () => Effect.succeed(false) }),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("a probe died", defect), false))
    )
    if (!isThere) return false
    const now = yield* Clock.currentTimeMillis
    yield* storage.circuit(subscriptionId, circuitReleased(options), { now, isReleased: true })
    yield* Effect.logInfo(`${subscription.kind} ${subscriptionId} answers again`)
    return true
  })
