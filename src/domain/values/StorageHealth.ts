/**
 * How the database is, for `/readyz`, for the first line of the log, and for writers: the one place that knows which of the two
 * databases serves and what it promises.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"

export interface StorageReport {
  readonly ok: boolean
  /** One line for operators; names what is wrong when `ok` is false. */
  readonly detail: string
  /** Bytes left on the disk of the embedded database; absent for a server of its own. */
  readonly freeBytes?: number
  /** The number of the last migration. */
  readonly schemaVersion: number
}

export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    readonly kind: "pglite" | "postgres"
    /** What survives what, in plain words. */
    readonly durability: string
    /** Asks the database, and answers within two seconds whatever happens. */
    readonly check: Effect.Effect<StorageReport>
    /** To be asked before every write that is not a part of another: fails with `full` while the disk has too little room. */
    readonly writable: Effect.Effect<void, StorageUnavailable>
    /**
     * For the small writes by which chargers connect and leave: they may use half of the room that `writable` keeps, so that chargers come back, and
     * say that they are alive, while transactions wait for room.
     */
    readonly writableByConnections: Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/StorageHealth") {}
