/**
 * When each charger was last heard, and its last frame: kept in memory by this process and flushed for all chargers in one statement a
 * second. REST reads the memory first, so that what it shows is never behind; what a crash can lose is a second of it.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Presence, type Seen } from "../domain/ports/Presence.ts"
import { textArray, timestamptzArray } from "./Arrays.ts"
import { guarded } from "./SqlErrors.ts"
import { writeBehind } from "./WrittenBehind.ts"

export interface LastSeenOptions {
  readonly flushEveryMillis: number
  /** Chargers in one statement at most. */
  readonly maxBatch: number
}

/** One charger's memory: mutable, since it changes with every frame. */
interface Entry {
  lastSeen: number
  lastMessage: string
  connected: boolean
  /** Waits for the next flush. */
  dirty: boolean
  /** Is on its way to the database, which does not have it yet. */
  writing: boolean
}

type Batch = ReadonlyArray<readonly [string, Entry]>

const write = (sql: SqlClient.SqlClient, batch: Batch) => sql`
  INSERT INTO charger_seen (charger_id, last_seen, last_message)
  SELECT x.charger_id, x.last_seen, x.last_message
  FROM unnest(${textArray(batch.map(([id]) => id))}, ${timestamptzArray(batch.map(([, e]) => e.lastSeen))},
    ${textArray(batch.map(([, e]) => (e.lastMessage.includes("\u0000") ? e.lastMessage.replaceAll("\u0000", "\\u0000") : e.lastMessage)))})
    AS x(charger_id, last_seen, last_message)
  JOIN charger c ON c.charger_id = x.charger_id
  ON CONFLICT (charger_id) DO UPDATE SET last_seen = excluded.last_seen, last_message = excluded.last_message
  WHERE charger_seen.last_seen <= excluded.last_seen`

/** Provides `Presence`; flushed once more when the layer is closed. */
export const layer = (options: LastSeenOptions): Layer.Layer<Presence, never, SqlClient.SqlClient> =>
  Layer.effect(
    Presence,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const entries = new Map<string, Entry>()
      /** Those to write at the next flush; a charger is here once however often it speaks. */
      let dirty: Array<[string, Entry]> = []

      const entryOf = (chargerId: string, at: number): Entry => {
        const known = entries.get(chargerId)
        if (known !== undefined) return known
        const entry: Entry = { lastSeen: at, lastMessage: "", connected: false, dirty: false, writing: false }
        entries.set(chargerId, entry)
        return entry
      }

      const mark = (id: string, entry: Entry): void => {
        if (entry.dirty) return
        entry.dirty = true
        dirty.push([id, entry])
      }

      /** Forgets those that have gone; not before they are written, or their last words would be nowhere for a while. */
      const done = (batch: Batch): void => {
        for (const [id, entry] of batch) {
          entry.writing = false
          if (!entry.connected && !entry.dirty) entries.delete(id)
        }
      }

      /** Puts back what was not written, unless something newer has come. */
      const again = (batch: Batch): void => {
        for (const [id, entry] of batch) {
          entry.writing = false
          mark(id, entry)
        }
      }

      yield* writeBehind({
        name: "last seen",
        everyMillis: options.flushEveryMillis,
        waits: () => dirty.length > 0,
        write: Effect.suspend(() => {
          const batch = dirty.slice(0, options.maxBatch)
          dirty = dirty.slice(batch.length)
          for (const [, entry] of batch) {
            entry.dirty = false
            entry.writing = true
          }
          return guarded(write(sql, batch)).pipe(
            Effect.map(() => done(batch)),
            Effect.tapError(() => Effect.sync(() => again(batch))),
            Effect.catchDefect((defect) =>
              Effect.andThen(
                Effect.logWarning("last seen: not written", defect),
                Effect.sync(() => done(batch))
              )
            )
          )
        })
      })

      return Presence.of({
        opened: (chargerId, at) => {
          entryOf(chargerId, at).connected = true
        },
        heard: (chargerId, at, frame) => {
          const entry = entryOf(chargerId, at)
          entry.lastSeen = at
          entry.lastMessage = frame
          mark(chargerId, entry)
        },
        closed: (chargerId) => {
          const entry = entries.get(chargerId)
          if (entry === undefined) return
          entry.connected = false
          if (!entry.dirty && !entry.writing) entries.delete(chargerId)
        },
        peek: (chargerId): Seen | undefined => {
          const entry = entries.get(chargerId)
          return entry === undefined || entry.lastMessage === ""
            ? undefined
            : { lastSeen: entry.lastSeen, lastMessage: entry.lastMessage, connected: entry.connected }
        }
      })
    })
  )
