/** The port `Rollouts` over SQL: rollouts as operators create, view and control them. */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import { Conflict, InvalidInput, NotFound, TooMany } from "../../domain/Errors.ts"
import type { RolloutRecord } from "../../domain/event/RecordFact.ts"
import { afterDecision, type RolloutDecision } from "../../domain/rollout/Decisions.ts"
import {
  isOver,
  maxOpenRollouts,
  maxTargets,
  type RolloutKind,
  type RolloutState,
  targetStates,
  type TargetState,
  waveEnds
} from "../../domain/rollout/Rollout.ts"
import { type NewRollout, Rollouts, type RolloutTargets } from "../../domain/rollout/Rollouts.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { chargersThatFit } from "../charging/ChargerSummaries.ts"
import { textArray } from "../kernel/Arrays.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, type Recording, recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { RolloutRow, rolloutOf, selectRollouts } from "./RolloutRows.ts"

/** The purpose under which the command of a rollout is sealed. */
export const rolloutSeal = sealPurposes.rollout

const rolloutRow = rowOf(RolloutRow)
const rolloutRows = rowsOf(RolloutRow)
const pages = pagedList("rollouts", UuidKey, (row: typeof RolloutRow.Type) => row.id)

const TargetRow = Schema.Struct({
  turn: Schema.Int,
  chargerId: Schema.String,
  state: Schema.Literals(targetStates),
  detail: optional(Schema.String),
  commandId: optional(Schema.String),
  issuedAt: optional(Millis),
  endedAt: optional(Millis)
})
const targetRows = rowsOf(TargetRow)
const targetPages = pagedList("rollout-targets", Schema.Int, (row: typeof TargetRow.Type) => row.turn)

const find = (sql: SqlClient.SqlClient, own: Scoped, kind: RolloutKind, id: string) =>
  Effect.gen(function* () {
    const row = isUuid(id)
      ? yield* rolloutRow(own`${selectRollouts(sql)} WHERE ${own.rowsOf("r")} AND r.id = ${id} AND r.kind = ${kind}`)
      : undefined
    return row ?? (yield* new NotFound({ kind: kind === "CommandBatch" ? "command batch" : "firmware campaign", id }))
  })

const recordOf = (
  { id, kind, name, targets, type }: Pick<RolloutRecord, "id" | "kind" | "name" | "targets" | "type">,
  {
    pauseReason,
    state
  }: { readonly state: RolloutState; readonly pauseReason?: RolloutRecord["pauseReason"] | undefined }
): RolloutRecord => ({ id, kind, name, type, targets, state, ...(pauseReason === undefined ? {} : { pauseReason }) })

/** A change of a rollout as a fact; `by` is the service itself if no operator decided. */
export const rolloutFact = (
  id: string,
  audit: { readonly by: Pick<AuditContext["by"], "actor" | "organisationId">; readonly now: number },
  records: { readonly before?: RolloutRecord; readonly after: RolloutRecord }
) => ({
  ...factOf("RolloutChanged", `rollout:${records.after.id}`, id, audit),
  body: { by: audit.by.actor, ...records }
})

export { recordOf as rolloutRecord }

/** Adds the chargers. Those of a filter are added in a mixed order, so that the chargers of a site are not all commanded at once. */
const putTargets = (sql: SqlClient.SqlClient, own: Scoped, id: string, targets: RolloutTargets) =>
  Effect.gen(function* () {
    if ("chargerIds" in targets) {
      const chargerIds = [...new Set(targets.chargerIds)]
      const known = yield* own<{ id: string }>`
        SELECT c.charger_id AS id FROM charger c WHERE ${own.rowsOf("c")} AND c.charger_id = ANY (${textArray(chargerIds)})`
      const found = new Set(known.map((row) => row.id))
      const missing = targets.chargerIds.findIndex((chargerId) => !found.has(chargerId))
      if (missing >= 0) {
        return yield* new InvalidInput({ pointer: `/chargerIds/${missing}`, detail: "Is not one of your chargers" })
      }
      yield* own`
        INSERT INTO rollout_target (rollout_id, organisation_id, charger_id, turn)
        SELECT ${id}::uuid, ${own.id}::uuid, f.id, f.turn FROM unnest(${textArray(chargerIds)}) WITH ORDINALITY AS f(id, turn)`
      return chargerIds.length
    }
    const fitting = chargersThatFit(sql, own, targets.filter)
    if (fitting === undefined) return 0
    const rows = yield* own`
      INSERT INTO rollout_target (rollout_id, organisation_id, charger_id, turn)
      SELECT ${id}::uuid, ${own.id}::uuid, f.charger_id, row_number() OVER (ORDER BY md5(${id}::text || f.charger_id))
      FROM (${fitting} LIMIT ${maxTargets + 1}::int) f RETURNING 1`
    return rows.length
  })

/** What the row of one charger needs, with its indexes; measured. */
const targetBytes = 300

const tooManyOpen = new TooMany({
  code: "too_many_rollouts",
  message: `${maxOpenRollouts} command batches and firmware campaigns of your organisation are running. Wait until one ends, or cancel one.`,
  retryAfterSeconds: 60
})

const checkNumber = (number: number, { expectedTargets, targets }: NewRollout) =>
  Effect.gen(function* () {
    const pointer = "chargerIds" in targets ? "/chargerIds" : "/filter"
    if (number === 0) return yield* new InvalidInput({ pointer, detail: "Matches no charger" })
    if (number > maxTargets) {
      return yield* new InvalidInput({
        pointer,
        detail: `Matches more than ${maxTargets} chargers: split them into several`
      })
    }
    if (expectedTargets !== undefined && expectedTargets !== number) {
      return yield* new Conflict({
        code: "targets_changed",
        message: `It would be for ${number} chargers, not for ${expectedTargets}. Check the chargers again.`
      })
    }
  })

const create = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Rollouts.create")(function* (given: NewRollout, audit: AuditContext) {
    const { by, now } = audit
    const { kind, name, order, plan } = given
    yield* storable({ name, body: order.body, parameters: order.parameters, targets: given.targets })
    const own = scopedTo(sql, by.organisationId)
    const id = secrets.uuid(now)
    const state = given.needsApproval ? "AwaitingApproval" : "Running"
    const write = Effect.gen(function* () {
      const [open] = yield* own<{ n: number }>`
        SELECT count(*)::int AS n FROM rollout r WHERE ${own.rowsOf("r")} AND r.ended_at IS NULL`
      if ((open?.n ?? 0) >= maxOpenRollouts) return yield* tooManyOpen
      yield* own`
        INSERT INTO rollout (id, organisation_id, kind, name, state, type, sealed, parameters, plan, targets, created_by, created_by_person, created_at, ends_at)
        VALUES (${id}, ${own.id}, ${kind}, ${name}, ${state}, ${order.type}, ${secrets.seal(rolloutSeal, JSON.stringify(order.body))},
          ${JSON.stringify(order.parameters)}::text::jsonb, '{}', 0, ${by.actor}, ${by.operatorId ?? by.actor}, ${new Date(now)},
          ${new Date(given.endsAt)})`
      const targets = yield* putTargets(sql, own, id, given.targets)
      yield* checkNumber(targets, given)
      const waves = waveEnds(given.waves, targets)
      yield* own`
        UPDATE rollout r SET targets = ${targets}::int, plan = ${JSON.stringify({ ...plan, waves })}::text::jsonb
        WHERE ${own.rowsOf("r")} AND r.id = ${id}`
      const after = recordOf({ id, kind, name, type: order.type, targets }, { state })
      const bytes = targets * targetBytes + 3 * JSON.stringify(order.body).length
      return { result: undefined, facts: [rolloutFact(secrets.uuid(now), audit, { after })], bytes }
    })
    yield* journaled(refusingValues(write))
    return rolloutOf(yield* Effect.orDie(guarded(find(sql, own, kind, id))))
  })

const decide = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Rollouts.decide")(function* (
    kind: RolloutKind,
    id: string,
    decision: RolloutDecision,
    audit: AuditContext
  ) {
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const write = Effect.gen(function* () {
      const row = yield* find(sql, own, kind, id)
      const change = afterDecision({ ...row, createdByPerson: row.byPerson }, decision, by.operatorId ?? by.actor)
      if (change === undefined) return { result: undefined, facts: [] }
      if (change instanceof Conflict) return yield* change
      const isEnd = isOver(change.state)
      const accepted = change.acceptsFailures ? rolloutOf(row).counts.Failed : row.failuresAccepted
      const approved = decision === "approve" ? sql`, approved_by = ${by.actor}, approved_at = ${new Date(now)}` : sql``
      yield* own`
        UPDATE rollout r SET state = ${change.state}, pause_reason = ${change.pauseReason ?? null}, failures_accepted = ${accepted}::int,
          ended_at = ${isEnd ? new Date(now) : null} ${approved}
        WHERE ${own.rowsOf("r")} AND r.id = ${id}`
      if (isEnd) {
        yield* own`
          UPDATE rollout_target t SET state = 'Unreached', ended_at = ${new Date(now)}
          WHERE ${own.rowsOf("t")} AND t.rollout_id = ${id} AND t.state = 'Waiting'`
      }
      const records = { before: recordOf(row, row), after: recordOf(row, change) }
      return { result: undefined, facts: [rolloutFact(secrets.uuid(now), audit, records)] }
    })
    yield* journaled(write)
    return rolloutOf(yield* guarded(find(sql, own, kind, id)))
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Rollouts.list")(function* (
    organisationId: string,
    request: PageRequest & { readonly kind: RolloutKind; readonly state: RolloutState | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const { kind, state } = request
    const rows = yield* guarded(
      rolloutRows(own`
        ${selectRollouts(sql)} WHERE ${own.rowsOf("r")} AND r.kind = ${kind}
          ${state === undefined ? sql`` : sql`AND r.state = ${state}`} ${after === undefined ? sql`` : sql`AND r.id < ${after}`}
        ORDER BY r.id DESC LIMIT ${pages.rows(request)}`)
    )
    return pages.page(request, rows, rolloutOf)
  })

const targets = (sql: SqlClient.SqlClient) =>
  Effect.fn("Rollouts.targets")(function* (
    organisationId: string,
    request: PageRequest & { readonly rolloutId: string; readonly state: TargetState | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* targetPages.after(request)
    const { rolloutId, state } = request
    const rows = yield* guarded(
      targetRows(own`
        SELECT t.turn, t.charger_id AS "chargerId", t.state, t.detail, t.command_id AS "commandId", t.issued_at AS "issuedAt", t.ended_at AS "endedAt"
        FROM rollout_target t
        WHERE ${own.rowsOf("t")} AND t.rollout_id = ${rolloutId} ${state === undefined ? sql`` : sql`AND t.state = ${state}`}
          ${after === undefined ? sql`` : sql`AND t.turn > ${after}::int`}
        ORDER BY t.turn LIMIT ${targetPages.rows(request)}`)
    )
    return targetPages.page(request, rows, ({ turn: _, ...target }) => target)
  })

export const layer: Layer.Layer<Rollouts, never, RecordingServices> = Layer.effect(
  Rollouts,
  Effect.map(recording, (records) => {
    const { sql } = records
    return Rollouts.of({
      create: create(records),
      decide: decide(records),
      get: (organisationId, kind, id) =>
        Effect.map(guarded(find(sql, scopedTo(sql, organisationId), kind, id)), rolloutOf),
      list: list(sql),
      targets: targets(sql)
    })
  })
)
