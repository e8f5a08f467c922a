/**
 * Chargers that tried to connect with an unregistered id, or in a way in which no charger can. Such an id belongs to no organisation. It is stored for the operator of the platform and
 * removed as soon as a charger with that id is registered.
 */
import { Context, type Effect } from "effect"
import type { InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** One refused upgrade. All of it comes from the caller and is untrusted. It contains no password and no other header. */
export interface UnknownChargerAttempt {
  /** An id that a charger can have (`isChargerId`). */
  readonly chargerId: string
  readonly remoteAddress: string
  /** The network of the address, by which limits are counted. */
  readonly network: string
  /** The OCPP subprotocols that it offered, as it spelt them. */
  readonly subprotocols: ReadonlyArray<string>
  /** What to change at the charger so that it can connect, in one sentence of this service; missing if only its id is wrong or not registered. */
  readonly advice?: string | undefined
  /** ms epoch. */
  readonly at: number
}

/** An unregistered id that has tried to connect. */
export interface UnknownCharger {
  readonly chargerId: string
  /** ms epoch. */
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  /** The number of refused upgrades, without those that a rate limit refused before the id was looked up. */
  readonly attempts: number
  /** The remote address of its last attempt. */
  readonly remoteAddress: string
  readonly subprotocols: ReadonlyArray<string>
  /** What its last attempt lacked; null if the id is not registered. With it, the id may be registered. */
  readonly advice: string | null
}

export class UnknownChargerAttempts extends Context.Service<
  UnknownChargerAttempts,
  {
    /** Notes an attempt without waiting. Attempts beyond a limit are only counted in a metric. */
    readonly attempted: (attempt: UnknownChargerAttempt) => void
    /** Newest ids first, by their first attempt. Includes the attempts that are not stored yet. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<UnknownCharger>, InvalidInput | StorageUnavailable>
    /** Removes an id. It reappears at its next attempt. Records a fact of the caller's organisation, so that its work counts are updated. */
    readonly forget: (chargerId: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** True if this is the service's only organisation, so that all attempts concern it. */
    readonly concernOnly: (organisationId: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/UnknownChargerAttempts") {}
