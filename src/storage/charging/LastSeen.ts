/**
 * When each charger was last heard, its last frame, and whether its connection has ended: kept in memory by this process. What was heard
 * is flushed for all chargers in one statement a second; ends are stored by the directory, and kept here until no request can still be
 * reading what stood before. REST shows the memory first, so that nothing is behind; what a crash can lose is a second of it.
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
  /** Chargers in one statement at most. */
  readonly maxBatch: number
  /** Bytes of last frames in one statement at most, or one frame. */
  readonly maxBatchBytes: number
  /** Bytes of a last frame that are kept; of a longer one its beginning, with `…`. */
  readonly maxMessageBytes: number
  /** How long an end that is stored is kept at least: longer than a read takes, which may have begun before it was stored. */
  readonly keepEndsMillis: number
}

/** One charger's memory: mutable, since it changes with every frame. */
interface Entry {
  /** 0 until it has said something. */
  lastSeen: number
  lastMessage: string
  /** 0 before its first connection. */
  epoch: number
  end: ConnectionEnd | undefined
  /** No connection is left of which the database does not have the end, and has had it for a while. */
  gone: boolean
  /** Waits for the next flush. */
  dirty: boolean
  /** Is on its way to the database, which does not have it yet. */
  writing: boolean
}

/** Bytes of the character that says that there was more. */
const ellipsisBytes = 3

/** Cut when it comes: a fleet that sends long frames would fill the memory. */
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

/** What this process knows of its chargers, and which of it the database does not have yet. */
class Memory {
  private readonly entries = new Map<string, Entry>()
  /** Those to write at the next flush; a charger is here once however often it speaks. */
  private dirty: Array<readonly [string, Entry]> = []
  /** Whose end was stored since the last turn, and in the turn before. */
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

  /** Forgets those that have gone; not before they are written, or their last words would be nowhere for a while. */
  done(batch: Batch): void {
    for (const [id, entry] of batch) {
      entry.writing = false
      this.forget(id, entry)
    }
  }

  private forget(id: string, entry: Entry): void {
    if (entry.gone && !entry.dirty && !entry.writing) this.entries.delete(id)
  }

  /** Puts back what was not written, unless something newer has come. */
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

  /** Lets go of the ends that were stored before the last turn. */
  turn(): void {
    for (const [id, epoch] of this.storedBefore) {
      const entry = this.entries.get(id)
      // It may have come back meanwhile.
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

/** Provides `Presence`; flushed once more when the layer is closed. */
export const layer = (options: LastSeenOptions): Layer.Layer<Presence, never, SqlClient.SqlClient> =>
  Layer.effect(
    Presence,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const memory = new Memory()
      const word = Latch.makeUnsafe(false)
      const flush = Effect.suspend(() => {
        const batch = memory.take(options.maxBatch, options.maxBatchBytes)
        return guarded(write(sql, batch)).pipe(
          Effect.map(() => memory.done(batch)),
          Effect.tapError(() => Effect.sync(() => memory.again(batch))),
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logWarning("last seen: not written", defect),
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
          word,
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
          word.openUnsafe()
        },
        closed: (chargerId, epoch, end) => memory.closed(chargerId, epoch, end),
        stored: (chargerId, epoch) => memory.stored(chargerId, epoch),
        peek: (chargerId) => memory.peek(chargerId)
      })
    })
  )
