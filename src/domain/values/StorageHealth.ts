/**
 * The state of the database, for `/readyz`, for the first line of the log, and for writers. Only this service knows which of the two databases is in
 * use and what it guarantees.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"

export interface StorageReport {
  readonly ok: boolean
  /** One line for operators; says what is wrong when `ok` is false. */
  readonly detail: string
  /** Free bytes on the disk of the embedded database; absent for a separate PostgreSQL server. */
  readonly freeBytes?: number
  /** The number of the last migration. */
  readonly schemaVersion: number
}

export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    readonly kind: "pglite" | "postgres"
    /** Which data survives which failure, as text for operators. */
    readonly durability: string
    /** Queries the database; always answers within two seconds. */
    readonly check: Effect.Effect<StorageReport>
    /** To be run before every write that is not part of another. Fails with `full` while the disk has too little room. */
    readonly writable: Effect.Effect<void, StorageUnavailable>
    /**
     * For the small writes when chargers connect and disconnect. They may use half of the room that `writable` reserves, so that chargers can
     * reconnect and report that they are alive while transactions wait for room.
     */
    readonly writableByConnections: Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/StorageHealth") {}
