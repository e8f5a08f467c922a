/** Reads charging sessions, scoped by organisation. Only the journal writes them. */
import { Context, type Effect } from "effect"
import type { InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { ChargingSession, SessionReading, SessionStatus } from "./ChargingSession.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export interface SessionFilter {
  readonly chargerId?: string | undefined
  /** As text. Use it with `chargerId`: it is the id of that charger's transaction. */
  readonly transactionId?: string | undefined
  readonly siteId?: string | undefined
  /** Case-insensitive. */
  readonly tokenUid?: string | undefined
  readonly status?: SessionStatus | undefined
  /** Sessions of this roaming partner's drivers. */
  readonly partnerId?: string | undefined
  /** Whether it has a `heldReason`. */
  readonly held?: boolean | undefined
  /** The value of the session's `needsCorrection`. */
  readonly needsCorrection?: boolean | undefined
  /** Started at or after, ms epoch. */
  readonly from?: number | undefined
  /** Started before, ms epoch. */
  readonly to?: number | undefined
}

export class Sessions extends Context.Service<
  Sessions,
  {
    readonly get: (organisationId: string, id: string) => Effect.Effect<ChargingSession, NotFound | StorageUnavailable>
    /** Newest first: by id, or by start if the filter has times, a site or a card. */
    readonly list: (
      organisationId: string,
      page: PageRequest & SessionFilter
    ) => Effect.Effect<Page<ChargingSession>, InvalidInput | StorageUnavailable>
    /** In order of the charger's time. */
    readonly readings: (
      organisationId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<SessionReading>, NotFound | InvalidInput | StorageUnavailable>
  }
>()("voltlane/Sessions") {}
