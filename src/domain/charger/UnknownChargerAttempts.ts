/**
 * Chargers that asked to connect under an unregistered id. Such an id belongs to no organisation: it is kept beside all of them,
 * for the platform's operator, and gone as soon as it is registered.
 */
import { Context, type Effect } from "effect"
import type { InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** One refused upgrade. The caller chose everything in it; no password and no other header is ever a part of it. */
export interface UnknownChargerAttempt {
  /** An id that a charger can have (`isChargerId`). */
  readonly chargerId: string
  readonly remoteAddress: string
  /** What limits are counted by: the network that the address is in. */
  readonly network: string
  /** OCPP subprotocols that it offered, in its words. */
  readonly subprotocols: ReadonlyArray<string>
  /** ms epoch. */
  readonly at: number
}

/** An id that knocked and is not registered. */
export interface UnknownCharger {
  readonly chargerId: string
  /** ms epoch. */
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  /** Upgrades that were refused for it; those that were turned away unread for want of patience do not count. */
  readonly attempts: number
  /** Of its last attempt. */
  readonly remoteAddress: string
  readonly subprotocols: ReadonlyArray<string>
}

export class UnknownChargerAttempts extends Context.Service<
  UnknownChargerAttempts,
  {
    /** Takes note and never waits; what there is no room for is counted and forgotten. */
    readonly attempted: (attempt: UnknownChargerAttempt) => void
    /** Latest newcomers first, with those of a moment ago. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<UnknownCharger>, InvalidInput | StorageUnavailable>
    /** Forgets an id; it is back when it tries again. A fact of the caller's organisation, so that its work counts are counted anew. */
    readonly forget: (chargerId: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** Whether an attempt can only be meant for this organisation, since the service holds no other. */
    readonly concernOnly: (organisationId: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/UnknownChargerAttempts") {}
