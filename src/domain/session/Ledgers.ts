/** Ledgers of sessions, and the prices that were made of them. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { ConnectorMeter } from "./ConnectorMeter.ts"
import type { Ledger, Observed } from "./Ledger.ts"
import type { SessionPrice } from "./SessionPrice.ts"

/** Sessions that something was stored of since the last look. */
export interface Changed {
  readonly sessionIds: ReadonlyArray<string>
  /** Those of them of which nothing but readings was stored. */
  readonly metered: ReadonlyArray<string>
  /** How far the journal was read; undefined where nothing is new. */
  readonly upTo: number | undefined
}

/** A price with the state of the session that it was made of. */
export interface Priced {
  readonly sessionId: string
  readonly organisationId: string
  /** `updatedAt` of the session: an older price never replaces a newer one. */
  readonly basedOn: number
  readonly price: SessionPrice
  /** It is pushed to a partner when it is kept: the session has too many readings for a price with each. */
  readonly isAwaited: boolean
}

export class Ledgers extends Context.Service<
  Ledgers,
  {
    /** Undefined for a session that has no tariff, or is not the organisation's. */
    readonly ofSession: (
      organisationId: string,
      sessionId: string
    ) => Effect.Effect<Ledger | undefined, StorageUnavailable>
    /** Of sessions of all organisations: for the one who keeps prices. Those without a tariff come without one. */
    readonly read: (
      sessionIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Observed | Ledger>, StorageUnavailable>
    /** Reads on in the journal, at most so many facts. */
    readonly changed: (limit: number) => Effect.Effect<Changed, StorageUnavailable>
    /**
     * Keeps prices and what was seen of meters, announces the prices that are awaited, and keeps that the journal was read so far, where it was: all, or
     * nothing.
     */
    readonly keep: (
      prices: ReadonlyArray<Priced>,
      meters: ReadonlyArray<ConnectorMeter>,
      upTo: number | undefined,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Ledgers") {}
