/**
 * When each charger was last heard from, its last frame, and whether its connection has ended, in this process's memory. Frames are flushed
 * for all chargers in one statement a second. Ends are stored by the directory, and kept here until no request can still be reading the
 * state before them. REST reads the memory first, so its answers are never behind. A crash can lose one second.
 */
import { Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type ConnectionEnd, Presence, type Seen } from "../../domain/charger/Presence.ts"
import { byteLength, cutToBytes } from "../../domain/values/Cut.ts"
import { nulSpelt } from "../../domain/values/OutsideText.ts"
import { textArray, timestamptzArray } from "../kernel/Arrays.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { writeBehind } from "../kernel/WrittenBehind.ts"

export interface LastSeenOptions {
  readonly flushEveryMillis: number
  /** The most chargers in one statement. */
  readonly maxBatch: number
  /** The most bytes of last frames in one statement; a single frame may be larger. */
  readonly maxBatchBytes: number
  /** How many bytes of a last frame are kept; a longer one is cut and ends with `…`. */
  readonly maxMessageBytes: number
  /** The shortest time for which a stored end is kept in memory: longer than a read takes that began before the end was stored. */
  readonly keepEndsMillis: number
}

/** What is known of one charger; mutable, since it changes with every frame. */
interface Entry {
  /** ms since 1970; 0 before its first frame. */
  lastSeen: number
  lastMessage: string
  /** 0 before its first connection. */
  epoch: number
  end: ConnectionEnd | undefined
  /** True if this process holds no connection of the charger, and the end of its last one was stored a while ago. */
  gone: boolean
  /** Waiting for the next flush. */
  dirty: boolean
  /** Being written; the database does not have it yet. */
  writing: boolean
}

/** Bytes of the character that marks a cut frame. */
const ellipsisBytes = 3

/** Cuts a frame on receipt; otherwise a fleet that sends long frames would fill the memory. */
const shortened = (frame: string, maxBytes: number): string => {
  const spelt = nulSpelt(frame)
  if (cutToBytes(spelt, maxBytes) === spelt) return spelt
  return `${cutToBytes(spelt, maxBytes - ellipsisBytes)}…`
}

type Batch = ReadonlyArray<readonly [string, Entry]>

const write = (sql: SqlClient.SqlClient, batch: Batch) => sql`
  INSERT INTO charger_seen (charger_id, last_seen, last_message)
  SELECT x.charger_id, x.last_seen, x.last_message
  FROM unnest(${textArray(batch.map(([id]) => id))}, ${timestamptzArray(batch.map(([, e]) => e.lastSeen))},
    ${textArray(batch.map(([, e]) => e.lastMessage))})
    AS x(charger_id, last_seen, last_message)
  JOIN charger c ON c.charger_id = x.charger_id
  ON CONFLICT (charger_id) DO UPDATE SET last_seen = excluded.last_seen, last_message = excluded.last_message
  WHERE charger_seen.last_seen <= excluded.last_seen`

/** What this process knows of its chargers, and which part the database does not have yet. */
class Memory {
  private readonly entries = new Map<string, Entry>()
  /** Chargers to write at the next flush; each is in it only once, however many frames it sends. */
  private dirty: Array<readonly [string, Entry]> = []
  /** Chargers whose end was stored since the last turn, and in the turn before it. */
  private storedNow: Array<readonly [string, number]> = []
  private storedBefore: Array<readonly [string, number]> = []

  private entryOf(chargerId: string): Entry {
    const known = this.entries.get(chargerId)
    if (known !== undefined) return known
    const entry: Entry = {
      lastSeen: 0,
      lastMessage: "",
      epoch: 0,
      end: undefined,
      gone: true,
      dirty: false,
      writing: false
    }
    this.entries.set(chargerId, entry)
    return entry
  }

  private mark(id: string, entry: Entry): void {
    if (entry.dirty) return
    entry.dirty = true
    this.dirty.push([id, entry])
  }

  get unwritten(): number {
    return this.dirty.length
  }

  take(max: number, maxBytes: number): Batch {
    let bytes = 0
    let n = 0
    while (n < Math.min(max, this.dirty.length)) {
      bytes += byteLength(this.dirty[n]![1].lastMessage)
      if (n > 0 && bytes > maxBytes) break
      n++
    }
    const batch = this.dirty.slice(0, n)
    this.dirty = this.dirty.slice(batch.length)
    for (const [, entry] of batch) {
      entry.dirty = false
      entry.writing = true
    }
    return batch
  }

  /** Forgets chargers that are gone. This waits until they are written; otherwise their last frame would temporarily be nowhere. */
  done(batch: Batch): void {
    for (const [id, entry] of batch) {
      entry.writing = false
      this.forget(id, entry)
    }
  }

  private forget(id: string, entry: Entry): void {
    if (entry.gone && !entry.dirty && !entry.writing) this.entries.delete(id)
  }

  /** Puts back what was not written; if a newer frame has arrived, that one is written. */
  again(batch: Batch): void {
    for (const [id, entry] of batch) {
      entry.writing = false
      this.mark(id, entry)
    }
  }

  opened(chargerId: string, epoch: number): void {
    const entry = this.entryOf(chargerId)
    entry.epoch = epoch
    entry.end = undefined
    entry.gone = false
  }

  heard(chargerId: string, at: number, frame: string): void {
    const entry = this.entryOf(chargerId)
    entry.lastSeen = at
    entry.lastMessage = frame
    this.mark(chargerId, entry)
  }

  closed(chargerId: string, epoch: number, end: ConnectionEnd): void {
    const entry = this.entries.get(chargerId)
    if (entry?.epoch === epoch) entry.end ??= end
  }

  stored(chargerId: string, epoch: number): void {
    if (this.entries.get(chargerId)?.epoch === epoch) this.storedNow.push([chargerId, epoch])
  }

  /** Forgets the ends that were stored before the last turn. */
  turn(): void {
    for (const [id, epoch] of this.storedBefore) {
      const entry = this.entries.get(id)
      // The charger may have reconnected meanwhile.
      if (entry?.epoch !== epoch) continue
      entry.gone = true
      this.forget(id, entry)
    }
    this.storedBefore = this.storedNow
    this.storedNow = []
  }

  peek(chargerId: string): Seen | undefined {
    const entry = this.entries.get(chargerId)
    if (entry === undefined) return undefined
    const { end, epoch, lastMessage, lastSeen } = entry
    return { epoch, lastSeen: lastSeen === 0 ? undefined : lastSeen, lastMessage, ended: end }
  }
}

/** Provides `Presence`; flushes once more when the layer is closed. */
export const layer = (options: LastSeenOptions): Layer.Layer<Presence, never, SqlClient.SqlClient> =>
  Layer.effect(
    Presence,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const memory = new Memory()
      const pending = Latch.makeUnsafe(false)
      const flush = Effect.suspend(() => {
        const batch = memory.take(options.maxBatch, options.maxBatchBytes)
        return guarded(write(sql, batch)).pipe(
          Effect.map(() => memory.done(batch)),
          Effect.tapError(() => Effect.sync(() => memory.again(batch))),
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logWarning("last seen: could not be written", defect),
              Effect.sync(() => memory.done(batch))
            )
          ),
          Effect.as(batch.length)
        )
      })
      yield* Effect.asVoid(
        writeBehind({
          name: "last seen",
          everyMillis: options.flushEveryMillis,
          waiting: () => memory.unwritten,
          pending,
          write: flush
        })
      )
      const turn = Effect.delay(
        Effect.sync(() => memory.turn()),
        options.keepEndsMillis
      )
      yield* Effect.forkScoped(Effect.forever(turn))
      return Presence.of({
        opened: (chargerId, epoch) => memory.opened(chargerId, epoch),
        heard: (chargerId, at, frame) => {
          memory.heard(chargerId, at, shortened(frame, options.maxMessageBytes))
          pending.openUnsafe()
        },
        closed: (chargerId, epoch, end) => memory.closed(chargerId, epoch, end),
        stored: (chargerId, epoch) => memory.stored(chargerId, epoch),
        peek: (chargerId) => memory.peek(chargerId)
      })
    })
  )
