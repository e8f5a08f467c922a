/** Storage of sessions' ledgers and of the prices made from them. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { ConnectorMeter } from "./ConnectorMeter.ts"
import type { PlainlyEnded } from "./Course.ts"
import type { Ledger, Observed } from "./Ledger.ts"
import type { SessionPrice } from "./SessionPrice.ts"

/** Sessions that have changed since the last call. */
export interface Changed {
  readonly sessionIds: ReadonlyArray<string>
  /** Those whose only change is new readings. */
  readonly metered: ReadonlyArray<string>
  /** Sessions without a tariff that ended, and whose end says that nothing was unusual. They are not among `sessionIds`. */
  readonly plainlyEnded: ReadonlyArray<PlainlyEnded>
  /** The journal position up to which facts were read; undefined if there are no new ones. */
  readonly upTo: number | undefined
  /** How many facts were read. If this is the requested limit, there may be more. */
  readonly facts: number
}

/** A price, with the state of the session from which it was made. */
export interface Priced {
  readonly sessionId: string
  readonly organisationId: string
  /** `updatedAt` of the session: an older price never replaces a newer one. */
  readonly basedOn: number
  readonly price: SessionPrice
  /** True if partners wait for this stored price: the session has too many readings to be priced at each. */
  readonly isAwaited: boolean
}

export class Ledgers extends Context.Service<
  Ledgers,
  {
    /** Undefined if the session has no tariff or belongs to another organisation. */
    readonly ofSession: (
      organisationId: string,
      sessionId: string
    ) => Effect.Effect<Ledger | undefined, StorageUnavailable>
    /** Ledgers of sessions of all organisations, for the background loop that makes prices. Includes sessions without a tariff. */
    readonly read: (
      sessionIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Observed | Ledger>, StorageUnavailable>
    /** Reads the journal's next facts, at most this many. */
    readonly changed: (limit: number) => Effect.Effect<Changed, StorageUnavailable>
    /**
     * Stores prices and what was learned about meters, publishes the awaited prices, and stores the journal position `upTo` if it is given, all in
     * one transaction.
     */
    readonly keep: (
      prices: ReadonlyArray<Priced>,
      meters: ReadonlyArray<ConnectorMeter>,
      upTo: number | undefined,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Ledgers") {}
