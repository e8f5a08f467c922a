/** The port `RolloutQueue` over SQL: what the background loop reads and records of running rollouts. */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { commandStatuses } from "../../domain/command/Command.ts"
import { finalFirmwareStatuses, installationMillis, isOver } from "../../domain/rollout/Rollout.ts"
import { type Claim, type OpenTarget, RolloutQueue, type RunningRollout } from "../../domain/rollout/Rollouts.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { factOf, type Recording, recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { CountsJson, countsJson, countsOf, lastIssuedOf, planOf, RolloutRow, selectRollouts } from "./RolloutRows.ts"
import { rolloutFact, rolloutRecord, rolloutSeal } from "./Rollouts.ts"

/** How many targets are checked in one round. */
const openAtOnce = 500

const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const runningRows = rowsOf(Schema.Struct({ ...RolloutRow.fields, sealed: Schema.String }))
const rolloutRow = rowOf(RolloutRow)

const running = ({ secrets, sql }: Recording) =>
  Effect.map(
    guarded(
      runningRows(sql`
        SELECT q.*, x.sealed FROM (${selectRollouts(sql)} WHERE r.ended_at IS NULL AND r.state = 'Running') q JOIN rollout x ON x.id = q.id
        ORDER BY q.id`)
    ),
    (rows) =>
      rows.map((row): RunningRollout => ({
        id: row.id,
        kind: row.kind,
        organisationId: row.organisationId,
        by: row.by,
        order: { type: row.type, body: readBody(secrets.open(rolloutSeal, row.sealed)) },
        plan: planOf(row.plan),
        progress: {
          counts: countsOf(row.counts ?? []),
          lastIssuedAt: lastIssuedOf(row.counts ?? []),
          failuresAccepted: row.failuresAccepted,
          endsAt: row.endsAt
        }
      }))
  )

const openRows = rowsOf(
  Schema.Struct({
    chargerId: Schema.String,
    commandId: Schema.String,
    issuedAt: Millis,
    status: optional(Schema.Literals(commandStatuses)),
    answer: optional(Schema.String),
    progress: optional(Schema.String),
    firmwareBefore: Schema.String,
    firmwareNow: optional(Schema.String)
  })
)

/** Leaves out updates that cannot have ended yet: those that were accepted, whose charger reports no end and still runs the same version. */
const mayHaveEnded = (sql: SqlClient.SqlClient, now: number) => sql`
  (m.status IS NULL OR m.status NOT IN ('Pending', 'Sent', 'Accepted') OR m.progress_status = ANY (${textArray(finalFirmwareStatuses)})
    OR c.firmware_version IS DISTINCT FROM t.firmware_before OR t.issued_at < ${new Date(now - installationMillis)})`

const open = (sql: SqlClient.SqlClient) =>
  Effect.fn("RolloutQueue.open")(function* ({ id, kind, organisationId }: RunningRollout, now: number) {
    const own = scopedTo(sql, organisationId)
    const rows = yield* guarded(
      openRows(own`
        SELECT t.charger_id AS "chargerId", t.command_id AS "commandId", t.issued_at AS "issuedAt", m.status,
          coalesce(m.result ->> 'errorCode', m.result ->> 'status') AS answer, m.progress_status AS progress,
          t.firmware_before AS "firmwareBefore", c.firmware_version AS "firmwareNow"
        FROM rollout_target t LEFT JOIN command m ON m.id = t.command_id
        LEFT JOIN charger c ON c.charger_id = t.charger_id AND c.organisation_id = t.organisation_id
        WHERE ${own.rowsOf("t")} AND t.rollout_id = ${id} AND t.state = 'Issued'
          AND ${kind === "CommandBatch" ? sql`(m.status IS NULL OR m.status NOT IN ('Pending', 'Sent'))` : mayHaveEnded(sql, now)}
        ORDER BY t.turn LIMIT ${openAtOnce}::int`)
    )
    return rows.map(({ chargerId, commandId, status, ...row }): OpenTarget => {
      if (status === undefined) return { chargerId, commandId, isIssued: false }
      return {
        chargerId,
        commandId,
        isIssued: true,
        target: { ...row, status, firmwareNow: row.firmwareNow ?? row.firmwareBefore }
      }
    })
  })

const zoneRows = rowsOf(Schema.Struct({ timeZone: Schema.String }))

/** The waiting targets `t` of a rollout, with their charger `c` and site `s`. */
const waiting = (own: Scoped, id: string) => own`
  FROM rollout_target t JOIN charger c ON c.charger_id = t.charger_id AND ${own.rowsOf("c")} JOIN site s ON s.id = c.site_id
  WHERE t.rollout_id = ${id} AND t.state = 'Waiting'`

const timeZones = (sql: SqlClient.SqlClient) =>
  Effect.fn("RolloutQueue.timeZones")(function* ({ id, organisationId }: RunningRollout) {
    const own = scopedTo(sql, organisationId)
    const rows = yield* guarded(
      zoneRows(own`SELECT DISTINCT s.time_zone AS "timeZone" ${waiting(own, id)} AND ${own.rowsOf("t")}`)
    )
    return rows.map(({ timeZone }) => timeZone)
  })

const claimRows = rowsOf(
  Schema.Struct({ chargerId: Schema.String, commandId: Schema.String, firmwareVersion: Schema.String })
)

const claim = ({ secrets, sql, writable }: Recording) =>
  Effect.fn("RolloutQueue.claim")(function* (
    { id, organisationId }: RunningRollout,
    { atMost, onlyConnected, timeZones: zones }: Claim,
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const ids = Array.from({ length: atMost }, () => secrets.uuid(now))
    yield* writable
    return yield* guardedWrite(
      claimRows(own`
        WITH chosen AS MATERIALIZED (
          SELECT t.charger_id, t.turn, c.firmware_version ${waiting(own, id)}
            ${zones === undefined ? sql`` : sql`AND s.time_zone = ANY (${textArray(zones)})`}
            ${onlyConnected ? sql`AND EXISTS (SELECT 1 FROM connection n WHERE n.charger_id = t.charger_id AND n.closed_at IS NULL)` : sql``}
          ORDER BY t.turn LIMIT ${atMost}::int FOR UPDATE OF t SKIP LOCKED
        ), numbered AS (SELECT x.charger_id, x.firmware_version, row_number() OVER (ORDER BY x.turn) AS n FROM chosen x)
        UPDATE rollout_target t SET state = 'Issued', command_id = (${uuidArray(ids)}::uuid[])[x.n], issued_at = ${new Date(now)},
          firmware_before = x.firmware_version
        FROM numbered x WHERE t.rollout_id = ${id} AND ${own.rowsOf("t")} AND t.charger_id = x.charger_id
        RETURNING t.charger_id AS "chargerId", t.command_id AS "commandId", t.firmware_before AS "firmwareVersion"`)
    )
  })

type Outcomes = Parameters<RolloutQueue["Service"]["end"]>[1]

const countRow = rowOf(Schema.Struct({ counts: CountsJson }))

const end = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("RolloutQueue.end")(function* (
    { id, kind, organisationId }: RunningRollout,
    outcomes: Outcomes,
    now: number
  ) {
    if (outcomes.length === 0) return
    const own = scopedTo(sql, organisationId)
    const update = own`
      UPDATE rollout_target t SET state = o.state, detail = o.detail,
        command_id = CASE WHEN o.state IN ('Succeeded', 'Failed') THEN t.command_id END,
        issued_at = CASE WHEN o.state IN ('Succeeded', 'Failed') THEN t.issued_at END,
        ended_at = CASE WHEN o.state <> 'Waiting' THEN ${new Date(now)}::timestamptz END
      FROM unnest(${textArray(outcomes.map(({ chargerId }) => chargerId))}, ${textArray(outcomes.map(({ state }) => state))},
        ${textArray(outcomes.map(({ detail }) => detail?.slice(0, 200) ?? null))}) AS o(charger_id, state, detail)
      WHERE ${own.rowsOf("t")} AND t.rollout_id = ${id} AND t.charger_id = o.charger_id AND t.state = 'Issued'`
    const write = Effect.gen(function* () {
      yield* update
      const row = yield* countRow(
        own`SELECT ${countsJson(sql)} AS counts FROM rollout r WHERE ${own.rowsOf("r")} AND r.id = ${id}`
      )
      const audit = { by: { organisationId, actor: "platform" }, now }
      const fact = factOf("RolloutProgressed", `rollout:${id}`, secrets.uuid(now), audit)
      return { result: undefined, facts: [{ ...fact, body: { kind, counts: countsOf(row?.counts ?? []) } }] }
    })
    yield* journaled(write)
  })

/** Does nothing if an operator has changed the rollout's state meanwhile. */
const conclude = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("RolloutQueue.conclude")(function* (
    { id, organisationId }: RunningRollout,
    state: "Completed" | "Paused",
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const write = Effect.gen(function* () {
      const row = yield* rolloutRow(
        own`${selectRollouts(sql)} WHERE ${own.rowsOf("r")} AND r.id = ${id} AND r.state = 'Running'`
      )
      if (row === undefined) return { result: undefined, facts: [] }
      const pauseReason = state === "Paused" ? ("Failures" as const) : undefined
      yield* own`
        UPDATE rollout r SET state = ${state}, pause_reason = ${pauseReason ?? null}, ended_at = ${isOver(state) ? new Date(now) : null}
        WHERE ${own.rowsOf("r")} AND r.id = ${id}`
      if (isOver(state)) {
        yield* own`
          UPDATE rollout_target t SET state = 'Unreached', ended_at = ${new Date(now)}
          WHERE ${own.rowsOf("t")} AND t.rollout_id = ${id} AND t.state = 'Waiting'`
      }
      const records = { before: rolloutRecord(row, row), after: rolloutRecord(row, { state, pauseReason }) }
      const by = { organisationId, actor: "platform" }
      return { result: undefined, facts: [rolloutFact(secrets.uuid(now), { by, now }, records)] }
    })
    yield* journaled(write)
  })

export const layer: Layer.Layer<RolloutQueue, never, RecordingServices> = Layer.effect(
  RolloutQueue,
  Effect.map(recording, (records) =>
    RolloutQueue.of({
      running: running(records),
      open: open(records.sql),
      timeZones: timeZones(records.sql),
      claim: claim(records),
      end: end(records),
      conclude: conclude(records),
      forget: (before) =>
        Effect.andThen(
          records.writable,
          Effect.asVoid(guardedWrite(records.sql`DELETE FROM rollout WHERE ended_at < ${new Date(before)}`))
        )
    })
  )
)
