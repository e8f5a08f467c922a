/** Reviews of ended sessions: implausible sessions are held, and then released unchanged or corrected. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** A session that an operator must look at. */
export interface Doubted {
  readonly sessionId: string
  readonly organisationId: string
  readonly reason: string
}

/** An operator's figures in place of the charger's; undefined leaves a figure unchanged. */
export interface Correction {
  readonly energyWh: number | undefined
  /** ms epoch. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly reason: string
}

export class SessionReviews extends Context.Service<
  SessionReviews,
  {
    /** Holds sessions that were never billed and that no operator has reviewed. Sessions that were released or corrected stay so. */
    readonly hold: (doubted: ReadonlyArray<Doubted>, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Releases a held session for billing as it is, and issues its CDR. `Conflict` `not_held` or `session_running`. */
    readonly release: (
      sessionId: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | Conflict | StorageUnavailable>
    /**
     * Bills the session as corrected: credits the record in force and issues a new one, in one transaction. `Conflict` `session_running`;
     * `InvalidInput` if it would end before it started.
     */
    readonly correct: (
      sessionId: string,
      correction: Correction,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | Conflict | InvalidInput | StorageUnavailable>
  }
>()("voltlane/SessionReviews") {}
