/**
 * The message log in the database. Frames wait in memory, up to a size limit, and are written in batches a few times a second; a crash may
 * lose the last second. The size of each frame is limited, and how much one charger and one organisation may log in a day. A search first
 * waits until the frames in memory are written, so that an operator sees a frame that was sent just now.
 */
import { type Cause, Clock, Effect, Latch, Layer, Metric, PubSub, Schema, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { refusal, troubledKinds } from "../../domain/charger/FrameTrouble.ts"
import {
  frameKinds,
  type LoggedFrame,
  MessageLog,
  type MessageSearch,
  searchedChars,
  searchedFrames,
  type TailPosition
} from "../../domain/charger/MessageLog.ts"
import { byteLength, cutToBytes } from "../../domain/values/Cut.ts"
import { nulSpelt, outsideText } from "../../domain/values/OutsideText.ts"
import { float8Array, textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { LongKey, pagedList, TimeKey } from "../kernel/Cursor.ts"
import { type Full, LogBudget, type LogBudgetLimits } from "./LogBudget.ts"
import { storedUse } from "./LogUse.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { mentions } from "../kernel/TextSearch.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { expendable, writeBehind } from "../kernel/WrittenBehind.ts"

export interface MessageLogOptions extends LogBudgetLimits {
  /** How many bytes of one frame are kept; a longer one is cut. */
  readonly maxFrameBytes: number
  /** How many characters may wait in memory; further frames are dropped and counted. */
  readonly maxWaitingChars: number
  /** The most frames in one statement. */
  readonly maxBatch: number
  /** The most bytes in one statement; a single frame may be larger. */
  readonly maxBatchBytes: number
  readonly flushEveryMillis: number
  /** How often the used budgets are stored. */
  readonly useEveryMillis: number
}

const droppedBecause = (reason: string) =>
  Metric.counter("message_log_dropped_total", {
    description: "Frames that were not logged because the message log was full, by reason",
    incremental: true,
    attributes: { reason }
  })

const dropped = {
  /** Too much waits in memory for the database. */
  memory: droppedBecause("memory"),
  /** The database did not store it, or possibly did not. */
  database: droppedBecause("database"),
  "charger-budget": droppedBecause("charger-budget"),
  "organisation-budget": droppedBecause("organisation-budget")
}

export const messageLogMetrics = Object.values(dropped)

/** The bytes of a row and its index entry beside their texts. Without them, a limit in bytes would not limit many small frames. */
const rowBytes = 200

/** The most characters of an action and of a message id; in a frame that is not valid OCPP they can have any length. */
const maxNameChars = 255

/** A frame in the form in which it waits and is stored. */
interface Waiting extends LoggedFrame {
  readonly cutFrom: number | null
  readonly bytes: number
}

/** Only a frame that is not JSON can contain U+0000, which becomes longer when it is spelt out. */
const shortened = (frame: LoggedFrame, maxFrameBytes: number): Waiting => {
  const whole = nulSpelt(frame.frame)
  const kept = cutToBytes(whole, maxFrameBytes)
  const action = outsideText(frame.action, maxNameChars)
  const messageId = outsideText(frame.messageId, maxNameChars)
  return {
    ...frame,
    action,
    messageId,
    frame: kept,
    cutFrom: kept === whole ? null : byteLength(frame.frame),
    bytes: rowBytes + byteLength(kept) + byteLength(action) + byteLength(messageId)
  }
}

const logFull = ({ chargerId, organisationId, reason }: Full) =>
  Effect.logWarning(
    reason === "charger-budget"
      ? "message log: a charger has used up its bytes for today and is not logged until the next day (UTC)"
      : "message log: an organisation has used up its bytes for today and is not logged until the next day (UTC)"
  ).pipe(Effect.annotateLogs({ reason, organisationId, chargerId }))

/** Position in the log: time, then id, since many frames share a millisecond. */
const Position = Schema.Struct({ at: TimeKey, id: LongKey })

const Row = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  charger_id: Schema.String,
  at: Schema.Finite,
  direction: Schema.Literals(["in", "out"]),
  kind: Schema.Literals(frameKinds),
  action: Schema.String,
  message_id: Schema.String,
  frame: Schema.String,
  cut_from: Schema.NullOr(Schema.Int)
})
const loggedRows = rowsOf(Row)

const insert = (sql: SqlClient.SqlClient, frames: ReadonlyArray<Waiting>) => sql`
  INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame, cut_from)
  SELECT * FROM unnest(${uuidArray(frames.map((f) => f.organisationId))}, ${textArray(frames.map((f) => f.chargerId))},
    ${timestamptzArray(frames.map((f) => f.at))}, ${textArray(frames.map((f) => f.direction))}, ${textArray(frames.map((f) => f.kind))},
    ${textArray(frames.map((f) => f.action))}, ${textArray(frames.map((f) => f.messageId))},
    ${textArray(frames.map((f) => f.frame))}, ${float8Array(frames.map((f) => f.cutFrom))})`

type LoggedRow = typeof Row.Type

const log = pagedList("messages", Position, (row: LoggedRow) => ({ at: row.at, id: row.id }))

const toFrame = ({ charger_id, cut_from, message_id, organisation_id, ...rest }: LoggedRow) => ({
  ...rest,
  cutFrom: cut_from,
  organisationId: organisation_id,
  chargerId: charger_id,
  messageId: message_id
})

const timeOf = (sql: SqlClient.SqlClient, at: number) => sql`to_timestamp(${at}::float8 / 1000)`

const columns = (sql: SqlClient.SqlClient) => sql`
  m.id::text AS id, m.organisation_id, m.charger_id, (extract(epoch FROM m.at) * 1000)::float8 AS at, m.direction, m.kind, m.action,
  m.message_id, m.frame, m.cut_from`

const endRows = rowsOf(Schema.Struct({ at: Schema.Finite, id: Schema.String }))

const isTroubled = (sql: SqlClient.SqlClient) => sql`
  (m.kind = ANY (${textArray(troubledKinds)}) OR (m.kind = 'CALLRESULT' AND left(m.frame, ${searchedChars}::int) ~ ${refusal}))`

/**
 * How far back the first statements of a page without filters search, in ms before its newest possible frame. Most pages are full after one of
 * them. A search of all days takes time for each day's partition, even for those that hold nothing of the charger.
 */
const recentMillis = [1, 8].map((days) => days * 24 * 60 * 60 * 1000)

const search = (sql: SqlClient.SqlClient, organisationId: string, chargerId: string, wanted: MessageSearch) =>
  Effect.gen(function* () {
    const { actions, from, isTrouble, kinds, text, to } = wanted
    const after = yield* log.after(wanted)
    const within = sql.and([
      sql`m.organisation_id = ${organisationId}::uuid AND m.charger_id = ${chargerId}`,
      ...(from === undefined ? [] : [sql`m.at >= ${timeOf(sql, from)}`]),
      ...(to === undefined ? [] : [sql`m.at < ${timeOf(sql, to)}`]),
      // The first condition selects the partitions; PostgreSQL does not use the second for that.
      ...(after === undefined
        ? []
        : [
            sql`m.at <= ${timeOf(sql, after.at)}`,
            sql`(m.at, m.id) < (${timeOf(sql, after.at)}, ${after.id}::text::bigint)`
          ])
    ])
    const isFiltered = [actions, kinds, text, isTrouble === true ? isTrouble : undefined].some(
      (one) => one !== undefined
    )
    // The last row that this page searches, whatever it finds. Otherwise a rare word would be searched for in the whole log.
    const [end] = isFiltered
      ? yield* guarded(
          endRows(sql`
            SELECT (extract(epoch FROM m.at) * 1000)::float8 AS at, m.id::text AS id FROM message m WHERE ${within}
            ORDER BY m.at DESC, m.id DESC OFFSET ${searchedFrames - 1}::int LIMIT 1`)
        )
      : []
    const fits = [
      ...(end === undefined ? [] : [sql`(m.at, m.id) >= (${timeOf(sql, end.at)}, ${end.id}::text::bigint)`]),
      ...(actions === undefined ? [] : [sql`m.action = ANY (${textArray(actions)})`]),
      ...(kinds === undefined ? [] : [sql`m.kind = ANY (${textArray(kinds)})`]),
      ...(isTrouble === true ? [isTroubled(sql)] : []),
      ...(text === undefined
        ? []
        : [mentions(sql, [sql`left(m.frame, ${searchedChars}::int)`, sql`m.message_id`], text)])
    ]
    // The frame's length is known without reading the frame, and the rest of a row is short.
    const size = sql`octet_length(q.frame) + 200`
    const pageWithin = (bounds: ReadonlyArray<Statement.Fragment>) => {
      const statement = sql`
        SELECT ${columns(sql)} FROM message m WHERE ${sql.and([within, ...bounds, ...fits])}
        ORDER BY m.at DESC, m.id DESC LIMIT ${log.rows(wanted)}::int`
      return guarded(log.read(sql, wanted, { statement, rows: loggedRows, item: toFrame, size }))
    }
    const newest = Math.min(after?.at ?? Infinity, to ?? Infinity, yield* Clock.currentTimeMillis)
    for (const millis of isFiltered ? [] : recentMillis) {
      if (newest - millis <= (from ?? 0)) break
      const page = yield* pageWithin([sql`m.at >= ${timeOf(sql, newest - millis)}`])
      if (page.nextCursor !== null) return page
    }
    const page = yield* pageWithin([])
    return { ...page, nextCursor: page.nextCursor ?? (end === undefined ? null : log.cursorAfter(wanted, end)) }
  })

const tail =
  (sql: SqlClient.SqlClient) =>
  (organisationId: string, chargerId: string, { from, id }: TailPosition, limit: number) =>
    Effect.map(
      guarded(
        loggedRows(sql`
          SELECT ${columns(sql)} FROM message m
          WHERE m.organisation_id = ${organisationId}::uuid AND m.charger_id = ${chargerId} AND m.at >= ${timeOf(sql, from)}
            AND m.id > ${id}::text::bigint
          ORDER BY m.id LIMIT ${limit}::int`)
      ),
      (rows) => rows.map(toFrame)
    )

/** The first waiting frames, up to the number and size that one statement may have. */
const batchOf = (waiting: ReadonlyArray<Waiting>, { maxBatch, maxBatchBytes }: MessageLogOptions) => {
  let bytes = 0
  let n = 0
  while (n < Math.min(maxBatch, waiting.length)) {
    bytes += waiting[n]!.bytes
    if (n > 0 && bytes > maxBatchBytes) break
    n++
  }
  return waiting.slice(0, n)
}

/** How many signals of written frames are kept for a slow follower, which also polls now and then. */
const signalsMost = 1_024

/** Provides `MessageLog`; waiting frames are written when the layer is closed. */
export const layer = (options: MessageLogOptions): Layer.Layer<MessageLog, never, SqlClient.SqlClient> =>
  Layer.effect(
    MessageLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const context = yield* Effect.context<never>()
      const budget = new LogBudget(options)
      const written = yield* PubSub.sliding<string>(signalsMost)
      let waiting: Array<Waiting> = []
      let chars = 0
      const pending = Latch.makeUnsafe(false)
      const full = Latch.makeUnsafe(false)

      const taken = (frames: ReadonlyArray<Waiting>): void => {
        waiting = waiting.slice(frames.length)
        for (const frame of frames) chars -= frame.frame.length
      }

      const lost = (frames: ReadonlyArray<Waiting>, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
        taken(frames)
        dropped.database.updateUnsafe(frames.length, context)
        return Effect.logWarning("message log: frames lost", cause)
      }

      const flush = yield* writeBehind({
        name: "message log",
        everyMillis: options.flushEveryMillis,
        waiting: () => waiting.length + (budget.hasNotes ? 1 : 0),
        pending,
        full,
        write: Effect.suspend(() => {
          if (budget.hasNotes) return Effect.as(Effect.forEach(budget.takeNotes(), logFull, { discard: true }), 1)
          const frames = batchOf(waiting, options)
          return guardedWrite(insert(sql, frames)).pipe(
            Effect.map(() => taken(frames)),
            Effect.andThen(PubSub.publishAll(written, new Set(frames.map(({ chargerId }) => chargerId)))),
            expendable((cause) => lost(frames, cause)),
            Effect.as(frames.length)
          )
        })
      })

      const counted = yield* storedUse(sql, budget, options.useEveryMillis)

      return MessageLog.of({
        append: (frame) => {
          const kept = shortened(frame, options.maxFrameBytes)
          if (chars + kept.frame.length > options.maxWaitingChars) return dropped.memory.updateUnsafe(1, context)
          pending.openUnsafe()
          const over = budget.take(kept, frame.at)
          if (over !== undefined) return dropped[over].updateUnsafe(1, context)
          counted.openUnsafe()
          chars += kept.frame.length
          if (waiting.push(kept) >= options.maxBatch) full.openUnsafe()
        },
        written: Stream.fromPubSub(written),
        tail: tail(sql),
        search: (organisationId, chargerId, wanted) =>
          Effect.andThen(flush, search(sql, organisationId, chargerId, wanted))
      })
    })
  )
