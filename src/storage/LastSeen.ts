/**
 * When each charger was last heard, and its last frame: kept in memory by this process and flushed for all chargers in one statement a
 * second. REST reads the memory first, so that what it shows is never behind; what a crash can lose is a second of it.
 */
import { Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { Presence, type Seen } from "../domain/ports/Presence.ts"
import { textArray, timestamptzArray } from "./Arrays.ts"
import { guarded } from "./SqlErrors.ts"

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
  dirty: boolean
}

const write = (sql: SqlClient.SqlClient, batch: ReadonlyArray<readonly [string, Entry]>) => sql`
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
      const one = Semaphore.makeUnsafe(1)

      const entryOf = (chargerId: string, at: number): Entry => {
        const known = entries.get(chargerId)
        if (known !== undefined) return known
        const entry: Entry = { lastSeen: at, lastMessage: "", connected: false, dirty: false }
        entries.set(chargerId, entry)
        return entry
      }

      const flushOnce = Effect.suspend(() => {
        const batch = dirty.slice(0, options.maxBatch)
        dirty = dirty.slice(batch.length)
        for (const [id, entry] of batch) {
          entry.dirty = false
          if (!entry.connected) entries.delete(id)
        }
        return guarded(write(sql, batch)).pipe(
          // Newer frames will be flushed with the next; the last one of a charger that has gone is worth a warning only.
          Effect.catchCause((cause) => Effect.logWarning("last seen: not written", cause))
        )
      })
      const flush = Semaphore.withPermit(
        one,
        Effect.whileLoop({ while: () => dirty.length > 0, body: () => flushOnce, step: () => {} })
      )
      yield* Effect.addFinalizer(() => flush)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(options.flushEveryMillis), flush)))

      return Presence.of({
        opened: (chargerId, at) => {
          entryOf(chargerId, at).connected = true
        },
        heard: (chargerId, at, frame) => {
          const entry = entryOf(chargerId, at)
          entry.lastSeen = at
          entry.lastMessage = frame
          if (!entry.dirty) {
            entry.dirty = true
            dirty.push([chargerId, entry])
          }
        },
        closed: (chargerId) => {
          const entry = entries.get(chargerId)
          if (entry === undefined) return
          entry.connected = false
          if (!entry.dirty) entries.delete(chargerId)
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
