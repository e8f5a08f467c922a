/**
 * The message log in the database: frames wait in memory, bounded by their size, and are written behind in batches a few times a second.
 * Losing the last second of it in a crash is allowed. What one charger and one organisation may fill of it in a day is bounded, and so is each frame. A search first waits for what is still in memory, so that an operator sees the
 * frame that he has just provoked.
 */
import { type Cause, Effect, Latch, Layer, Metric, PubSub, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
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
  /** Bytes of one frame that are kept; of a longer one its beginning. */
  readonly maxFrameBytes: number
  /** Text that may wait in memory, in characters; over it frames are dropped and counted. */
  readonly maxWaitingChars: number
  /** Frames in one statement at most. */
  readonly maxBatch: number
  /** Bytes in one statement at most, or one frame. */
  readonly maxBatchBytes: number
  readonly flushEveryMillis: number
  /** How often what was used of the budgets is stored. */
  readonly useEveryMillis: number
}

const droppedBecause = (reason: string) =>
  Metric.counter("message_log_dropped_total", {
    description: "Frames that the message log had no room for, by reason",
    incremental: true,
    attributes: { reason }
  })

const dropped = {
  /** The memory is full of what waits for the database. */
  memory: droppedBecause("memory"),
  /** The database did not take it, or may not have. */
  database: droppedBecause("database"),
  "charger-budget": droppedBecause("charger-budget"),
  "organisation-budget": droppedBecause("organisation-budget")
}

export const messageLogMetrics = Object.values(dropped)

/** What a row and its entry in the index take beside their texts: without it, a budget of bytes would not bound many small frames. */
const rowBytes = 200

/** Characters of an action and of a message id; a frame that is none of OCPP's may have any. */
const maxNameChars = 255

/** A frame as it waits and as it is stored. */
interface Waiting extends LoggedFrame {
  readonly cutFrom: number | null
  readonly bytes: number
}

/** Only a frame that is no JSON can carry U+0000, which takes more room spelt out. */
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
      ? "message log: a charger has used up its bytes of the day, and is not logged until the next (UTC)"
      : "message log: an organisation has used up its bytes of the day, and is not logged until the next (UTC)"
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

const search = (sql: SqlClient.SqlClient, organisationId: string, chargerId: string, wanted: MessageSearch) =>
  Effect.gen(function* () {
    const { actions, from, isTrouble, kinds, text, to } = wanted
    const after = yield* log.after(wanted)
    const within = sql.and([
      sql`m.organisation_id = ${organisationId}::uuid AND m.charger_id = ${chargerId}`,
      ...(from === undefined ? [] : [sql`m.at >= ${timeOf(sql, from)}`]),
      ...(to === undefined ? [] : [sql`m.at < ${timeOf(sql, to)}`]),
      ...(after === undefined ? [] : [sql`(m.at, m.id) < (${timeOf(sql, after.at)}, ${after.id}::text::bigint)`])
    ])
    const isFiltered = [actions, kinds, text, isTrouble === true ? isTrouble : undefined].some(
      (one) => one !== undefined
    )
    // Where this page ends whatever it finds: a rare word would be looked for through the whole log otherwise.
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
    const statement = sql`
      SELECT ${columns(sql)} FROM message m WHERE ${sql.and([within, ...fits])}
      ORDER BY m.at DESC, m.id DESC LIMIT ${log.rows(wanted)}::int`
    // Its length is known without reading the frame, and nothing else of a row is long.
    const size = sql`octet_length(q.frame) + 200`
    const page = yield* guarded(log.read(sql, wanted, { statement, rows: loggedRows, item: toFrame, size }))
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

/** The first that wait: so many, and no more text than one statement may have. */
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

/** Signals of written frames that wait for a slow follower, who looks now and then in any case. */
const signalsMost = 1_024

/** Provides `MessageLog`; what waits is written once more when the layer is closed. */
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
      const word = Latch.makeUnsafe(false)
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
        word,
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
          word.openUnsafe()
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
