/**
 * Deletes data after its retention time and makes partitions ahead of time. The message log has a partition per day and readings one per
 * month; each is dropped as a whole after its retention. Rows in a default partition (from a charger whose clock runs ahead) are moved when
 * their day or month gets its own partition. Past statuses, facts and commands are not partitioned and are deleted in slices in the same
 * rounds. Sessions and their records are deleted in `charging/SessionRetention.ts`. docs/retention.md lists every table.
 */
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { historyMonths } from "../../domain/charger/Uptime.ts"
import { commandsForgotten } from "../../domain/command/CommandRetention.ts"
import { factsOfSessions, unassignedReadingsMonths } from "../../domain/event/FactRetention.ts"
import { monthsBefore } from "../../domain/values/Month.ts"
import { textArray } from "./Arrays.ts"
import { hourly } from "./Hourly.ts"
import { deletedInPieces } from "./InPieces.ts"
import { guarded } from "./SqlErrors.ts"

export interface RetentionOptions {
  /** How long raw frames are kept, in days. */
  readonly messageRetentionDays: number
  /** How long readings are kept, in whole calendar months of their sessions. */
  readonly readingsRetentionMonths: number
  /** How long facts are kept, except those of sessions and those with an author (`FactRetention`). */
  readonly factsRetentionMonths: number
  /** How long facts of sessions are kept; undefined means for ever. */
  readonly sessionsRetentionMonths: number | undefined
  /** How long facts with an author are kept, which form the audit log; undefined means for ever. */
  readonly auditRetentionMonths: number | undefined
  /** How long ended commands are kept (`CommandRetention`), and reservations without a session. */
  readonly commandsRetentionMonths: number
}

/** How many days ahead partitions are made. With a week, a maintenance loop may fail over a long weekend. */
const daysAhead = 7

const dayMillis = 86_400_000

const makePartitions = (sql: SqlClient.SqlClient, from: number) =>
  sql`SELECT make_partitions((to_timestamp(${from / 1000}::float8) AT TIME ZONE 'UTC')::date, ${daysAhead}::int)`

/** Drops whole partitions before a time. `heard` is the column by which rows of the default partition are deleted. */
const dropPartitions = (
  sql: SqlClient.SqlClient,
  parent: "message" | "meter" | "meter_unassigned",
  heard: "at" | "heard_at",
  before: number
) => sql`SELECT drop_partitions(${parent}, (to_timestamp(${before / 1000}::float8) AT TIME ZONE 'UTC')::date, ${heard})`

/** How many rows of history one statement deletes: the embedded database runs one statement at a time. */
const historyRows = 2_000

/**
 * The most statements in one round; the rest waits for the next round. It is ten times what 10,000 chargers with forty statuses a day
 * report in an hour.
 */
const historyStatements = 100

/** Deletes history that is past its retention; returns how many statements deleted a full slice. */
export const forgetHistory = (sql: SqlClient.SqlClient, now: number, rows = historyRows) =>
  Effect.gen(function* () {
    const before = new Date(monthsBefore(now, historyMonths))
    for (let n = 0; n < historyStatements; n++) {
      const [gone] = yield* sql<{ readonly most: number }>`SELECT history_forget(${before}, ${rows}) AS most`
      if (gone === undefined || gone.most < rows) return n
    }
    return historyStatements
  })

/** How many facts one statement reads. */
const factRows = 2_000

/** The most statements in one round: 200,000 facts an hour, more than are stored on average. */
const factStatements = 100

/** The groups of facts, each with its own retention time. */
export type KeptFacts = "others" | "session" | "audit"

const isAuthored = (sql: SqlClient.SqlClient) => sql`(j.author IS NOT NULL)`

const isOfSession = (sql: SqlClient.SqlClient) => sql`j.type = ANY (${textArray([...factsOfSessions])})`

/** For each group: the row of `journal_reader` with its position, and the condition on `journal j` for its facts. */
const kinds: Readonly<
  Record<KeptFacts, readonly [reader: string, goes: (sql: SqlClient.SqlClient) => Statement.Fragment]>
> = {
  others: ["retention", (sql) => sql`NOT (${isOfSession(sql)} OR ${isAuthored(sql)})`],
  session: ["retention of sessions", (sql) => sql`${isOfSession(sql)} AND NOT ${isAuthored(sql)}`],
  audit: ["retention of the audit log", isAuthored]
}

/**
 * Deletes facts of a group from before a time, in the order of their positions, from where the last round stopped; returns how many were
 * read. The slice ends before the first fact that is not old enough, so that no fact behind it is skipped.
 */
export const forgetFacts = (sql: SqlClient.SqlClient, before: number, rows = factRows, kind: KeptFacts = "others") => {
  const [reader, goes] = kinds[kind]
  return Effect.map(
    sql<{ readonly seen: number }>`
    WITH slice AS MATERIALIZED (
      SELECT j.position, j.heard_at, NOT (${goes(sql)}) AS kept
      FROM journal j WHERE j.position > (SELECT r.position FROM journal_reader r WHERE r.name = ${reader})
      ORDER BY j.position LIMIT ${rows}::int
    ), bound AS (
      SELECT coalesce(min(s.position) FILTER (WHERE s.heard_at >= ${new Date(before)}) - 1, max(s.position)) AS position FROM slice s
    ), gone AS (
      DELETE FROM journal j USING slice s, bound b WHERE j.position = s.position AND s.position <= b.position AND NOT s.kept
    ), moved AS (
      UPDATE journal_reader r SET position = b.position FROM bound b WHERE r.name = ${reader} AND b.position > r.position
    )
    SELECT count(*)::int AS seen FROM slice s, bound b WHERE s.position <= b.position`,
    ([row]) => row?.seen ?? 0
  )
}

const forgetOldFacts = (sql: SqlClient.SqlClient, before: number, kind: KeptFacts) =>
  Effect.gen(function* () {
    for (let n = 0; n < factStatements; n++) if ((yield* forgetFacts(sql, before, factRows, kind)) < factRows) return
  })

/** How many rows one statement deletes. */
const commandRows = 2_000

/**
 * Deletes ended commands that were issued before a time, and reservations of that time without a session, the oldest first; returns how
 * many rows were deleted. Ids begin with the time, so they select by age. Kept are commands that decide whether a charger has a pending
 * password, commands that a rollout waits for, and commands whose reservation is not over for as long (its partner may have to be informed).
 */
export const forgetCommands = (sql: SqlClient.SqlClient, before: number, rows = commandRows) => {
  const commands = sql`
    DELETE FROM command WHERE id = ANY (ARRAY(
      SELECT m.id FROM command m
      WHERE m.id < uuid_at(${new Date(before)}) AND m.type = ANY (${textArray([...commandsForgotten])}) AND m.status NOT IN ('Pending', 'Sent')
        AND NOT EXISTS (SELECT 1 FROM charger_pending p WHERE p.command_id = m.id)
        AND NOT EXISTS (
          SELECT 1 FROM reservation r
          WHERE r.command_id = m.id AND (r.status IN ('Pending', 'Active', 'Unknown') OR r.expires_at >= ${new Date(before)}))
        AND m.id NOT IN (
          SELECT t.command_id FROM rollout o JOIN rollout_target t ON t.rollout_id = o.id WHERE o.ended_at IS NULL AND t.command_id IS NOT NULL)
      ORDER BY m.id LIMIT ${rows}::int))
    RETURNING id`
  const reservations = sql`
    DELETE FROM reservation WHERE command_id = ANY (ARRAY(
      SELECT r.command_id FROM reservation r
      WHERE r.command_id < uuid_at(${new Date(before)}) AND r.session_id IS NULL AND r.expires_at < ${new Date(before)}
        AND r.status NOT IN ('Pending', 'Active', 'Unknown')
      ORDER BY r.command_id LIMIT ${rows}::int))
    RETURNING command_id`
  const pieces = { rows, statements: 100 }
  return Effect.zipWith(
    deletedInPieces(pieces, () => commands),
    deletedInPieces(pieces, () => reservations),
    (one, other) => one + other
  )
}

/** How many days a process's row is kept after its lease: each start in a new container may have a new name. */
const nodesKeptDays = 30

/** Deletes processes that are gone, except those whose connections are not closed yet. */
const forgetNodes = (sql: SqlClient.SqlClient, before: number) => sql`
  DELETE FROM node l WHERE l.lease_until < ${new Date(before)}
    AND NOT EXISTS (SELECT 1 FROM connection n WHERE n.node_id = l.node_id AND n.closed_at IS NULL)`

/** One round of maintenance at `now` (ms epoch). */
export const maintain = (sql: SqlClient.SqlClient, options: RetentionOptions, now: number) =>
  guarded(
    Effect.gen(function* () {
      yield* makePartitions(sql, now)
      yield* dropPartitions(sql, "message", "at", now - options.messageRetentionDays * dayMillis)
      yield* dropPartitions(sql, "meter", "heard_at", monthsBefore(now, options.readingsRetentionMonths))
      yield* dropPartitions(sql, "meter_unassigned", "heard_at", monthsBefore(now, unassignedReadingsMonths))
      yield* forgetHistory(sql, now)
      const facts = [
        ["others", options.factsRetentionMonths],
        ["session", options.sessionsRetentionMonths],
        ["audit", options.auditRetentionMonths]
      ] as const
      for (const [kind, months] of facts) {
        if (months !== undefined) yield* forgetOldFacts(sql, monthsBefore(now, months), kind)
      }
      yield* forgetCommands(sql, monthsBefore(now, options.commandsRetentionMonths))
      yield* forgetNodes(sql, now - nodesKeptDays * dayMillis)
    })
  )

/** Runs maintenance at the start and every hour. */
export const layer = (options: RetentionOptions): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const round = Effect.suspend(() => maintain(sql, options, Date.now()))
      // The partitions of today must exist before the first row is written, which would otherwise have to be moved.
      yield* hourly("retention: maintenance failed", round, { awaits: true })
    })
  )
