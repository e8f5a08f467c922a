/**
 * The message log in the database: frames wait in memory, bounded by their size, and are written behind in batches a few times a second.
 * Losing the last second of it in a crash is allowed. A search first waits for what is still in memory, so that an operator sees the
 * frame that he has just provoked.
 */
import { Cause, Effect, Layer, Metric, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type LoggedFrame, MessageLog, type MessageSearch } from "../domain/ports/MessageLog.ts"
import { nulSpelt } from "../domain/values/OutsideText.ts"
import { textArray, timestamptzArray, uuidArray } from "./Arrays.ts"
import { LongKey, pagedList, TimeKey } from "./Cursor.ts"
import { rowsOf } from "./rows.ts"
import { guarded, guardedWrite } from "./SqlErrors.ts"
import { writeBehind } from "./WrittenBehind.ts"

export interface MessageLogOptions {
  /** Text that may wait in memory, in characters; over it frames are dropped and counted. */
  readonly maxWaitingChars: number
  /** Frames in one statement at most. */
  readonly maxBatch: number
  readonly flushEveryMillis: number
}

const dropped = Metric.counter("message_log_dropped_total", {
  description: "Frames that the message log had no room for",
  incremental: true
})

export const messageLogMetrics = [dropped]

/** Position in the log: time, then id, since many frames share a millisecond. */
const Position = Schema.Struct({ at: TimeKey, id: LongKey })

const Row = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  charger_id: Schema.String,
  at: Schema.Finite,
  direction: Schema.Literals(["in", "out"]),
  kind: Schema.Literals(["CALL", "CALLRESULT", "CALLERROR", "Malformed"]),
  action: Schema.String,
  message_id: Schema.String,
  frame: Schema.String
})
const loggedRows = rowsOf(Row)

/** Only a frame that is no JSON can carry U+0000. */
const insert = (sql: SqlClient.SqlClient, frames: ReadonlyArray<LoggedFrame>) => sql`
  INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame)
  SELECT * FROM unnest(${uuidArray(frames.map((f) => f.organisationId))}, ${textArray(frames.map((f) => f.chargerId))},
    ${timestamptzArray(frames.map((f) => f.at))}, ${textArray(frames.map((f) => f.direction))}, ${textArray(frames.map((f) => f.kind))},
    ${textArray(frames.map((f) => nulSpelt(f.action)))}, ${textArray(frames.map((f) => nulSpelt(f.messageId)))},
    ${textArray(frames.map((f) => nulSpelt(f.frame)))})`

type LoggedRow = typeof Row.Type

const log = pagedList("messages", Position, (row: LoggedRow) => ({ at: row.at, id: row.id }))

const toFrame = ({ charger_id, message_id, organisation_id, ...rest }: LoggedRow) => ({
  ...rest,
  organisationId: organisation_id,
  chargerId: charger_id,
  messageId: message_id
})

const search = (sql: SqlClient.SqlClient, organisationId: string, chargerId: string, wanted: MessageSearch) =>
  Effect.gen(function* () {
    const after = yield* log.after(wanted)
    const statement = sql`
      SELECT id::text AS id, organisation_id, charger_id, (extract(epoch FROM at) * 1000)::float8 AS at, direction, kind, action,
        message_id, frame
      FROM message
      WHERE organisation_id = ${organisationId}::uuid AND charger_id = ${chargerId}
        AND (${wanted.from ?? null}::float8 IS NULL OR at >= to_timestamp(${wanted.from ?? null}::float8 / 1000))
        AND (${wanted.to ?? null}::float8 IS NULL OR at < to_timestamp(${wanted.to ?? null}::float8 / 1000))
        AND (${wanted.action ?? null}::text IS NULL OR action = ${wanted.action ?? null}::text)
        AND (${after?.at ?? null}::float8 IS NULL
          OR (at, id) < (to_timestamp(${after?.at ?? null}::float8 / 1000), ${after?.id ?? null}::text::bigint))
      ORDER BY at DESC, id DESC LIMIT ${log.rows(wanted)}::int`
    // Its length is known without reading the frame, and nothing else of a row is long.
    const size = sql`octet_length(q.frame) + 200`
    return yield* guarded(log.read(sql, wanted, { statement, rows: loggedRows, item: toFrame, size }))
  })

/** Provides `MessageLog`; what waits is written once more when the layer is closed. */
export const layer = (options: MessageLogOptions): Layer.Layer<MessageLog, never, SqlClient.SqlClient> =>
  Layer.effect(
    MessageLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const context = yield* Effect.context<never>()
      let waiting: Array<LoggedFrame> = []
      let chars = 0

      const taken = (frames: ReadonlyArray<LoggedFrame>): void => {
        waiting = waiting.slice(frames.length)
        for (const frame of frames) chars -= frame.frame.length
      }

      const lost = (frames: ReadonlyArray<LoggedFrame>, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
        taken(frames)
        dropped.updateUnsafe(frames.length, context)
        return Effect.logWarning("message log: frames lost", cause)
      }

      const flush = yield* writeBehind({
        name: "message log",
        everyMillis: options.flushEveryMillis,
        waits: () => waiting.length > 0,
        write: Effect.suspend(() => {
          const frames = waiting.slice(0, options.maxBatch)
          return guardedWrite(insert(sql, frames)).pipe(
            Effect.map(() => taken(frames)),
            // The log is expendable: what may have been written is given up, since a frame that stands twice is worse than one that is
            // missing, and so is what the database will never take.
            Effect.catchCause((cause) => {
              const failure = Cause.findErrorOption(cause)
              return Option.isSome(failure) && failure.value.reason !== "unknown"
                ? Effect.fail(failure.value)
                : lost(frames, cause)
            })
          )
        })
      })

      return MessageLog.of({
        append: (frame) => {
          if (chars + frame.frame.length > options.maxWaitingChars) return dropped.updateUnsafe(1, context)
          chars += frame.frame.length
          waiting.push(frame)
        },
        search: (organisationId, chargerId, wanted) =>
          Effect.andThen(flush, search(sql, organisationId, chargerId, wanted))
      })
    })
  )
