/** Reading of charging sessions, scoped by organisation. They are written by the journal alone. */
import { Context, type Effect } from "effect"
import type { InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { ChargingSession, SessionReading, SessionStatus } from "./ChargingSession.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export interface SessionFilter {
  readonly chargerId?: string | undefined
  /** As text; with `chargerId`, whose number it is. */
  readonly transactionId?: string | undefined
  readonly siteId?: string | undefined
  /** Whatever the case of its letters. */
  readonly tokenUid?: string | undefined
  readonly status?: SessionStatus | undefined
  /** Of drivers of this roaming partner. */
  readonly partnerId?: string | undefined
  /** Whether it has a `heldReason`. */
  readonly held?: boolean | undefined
  /** As `needsCorrection` of a session has it. */
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
    /** Newest first: by id, and by start where times, a site or a card are asked for. */
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
