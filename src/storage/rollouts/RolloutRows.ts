/** Rows of rollouts, decoded into the domain's. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { commandTypes } from "../../domain/command/Kinds.ts"
import {
  noTargets,
  pauseReasons,
  type RolloutPlan,
  rolloutKinds,
  rolloutStates,
  type TargetCounts,
  targetStates
} from "../../domain/rollout/Rollout.ts"
import type { Rollout } from "../../domain/rollout/Rollouts.ts"
import { Millis, optional } from "../kernel/Rows.ts"

/** A plan in its stored form; fields that are undefined are absent in JSON. */
const PlanJson = Schema.Struct({
  perMinute: Schema.Int,
  waves: Schema.Array(Schema.Int),
  window: Schema.optionalKey(Schema.Struct({ fromMinute: Schema.Int, toMinute: Schema.Int })),
  pauseAfterFailures: Schema.optionalKey(Schema.Int),
  onlyConnected: Schema.Boolean,
  expiresInSeconds: Schema.optionalKey(Schema.Int),
  version: Schema.optionalKey(Schema.String)
})

export const planOf = (json: typeof PlanJson.Type): RolloutPlan => ({
  perMinute: json.perMinute,
  waves: json.waves,
  window: json.window,
  pauseAfterFailures: json.pauseAfterFailures,
  onlyConnected: json.onlyConnected,
  expiresInSeconds: json.expiresInSeconds,
  version: json.version
})

export const CountsJson = Schema.Array(
  Schema.Struct({ state: Schema.Literals(targetStates), count: Schema.Int, lastIssuedAt: Schema.NullOr(Schema.Finite) })
)

export const countsOf = (counts: typeof CountsJson.Type): TargetCounts => ({
  ...noTargets,
  ...Object.fromEntries(counts.map(({ count, state }) => [state, count]))
})

export const lastIssuedOf = (counts: typeof CountsJson.Type): number | undefined => {
  const times = counts.flatMap(({ lastIssuedAt }) => (lastIssuedAt === null ? [] : [lastIssuedAt]))
  return times.length === 0 ? undefined : Math.max(...times)
}

export const RolloutRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  kind: Schema.Literals(rolloutKinds),
  name: Schema.String,
  state: Schema.Literals(rolloutStates),
  pauseReason: optional(Schema.Literals(pauseReasons)),
  type: Schema.Literals(commandTypes),
  parameters: Schema.Record(Schema.String, Schema.Unknown),
  plan: PlanJson,
  targets: Schema.Int,
  failuresAccepted: Schema.Int,
  by: Schema.String,
  byPerson: Schema.String,
  createdAt: Millis,
  approvedBy: optional(Schema.String),
  approvedAt: optional(Millis),
  endsAt: Millis,
  endedAt: optional(Millis),
  counts: optional(CountsJson)
})

/** The counts of a rollout `r`. */
export const countsJson = (sql: SqlClient.SqlClient) => sql`
  (SELECT jsonb_agg(jsonb_build_object('state', g.state, 'count', g.n, 'lastIssuedAt', trunc(extract(epoch FROM g.last) * 1000)))
    FROM (SELECT t.state, count(*) AS n, max(t.issued_at) AS last FROM rollout_target t WHERE t.rollout_id = r.id GROUP BY t.state) g)`

/** `SELECT … FROM rollout r` up to its WHERE; the counts come in the rollout's own row. */
export const selectRollouts = (sql: SqlClient.SqlClient) => sql`
  SELECT r.id, r.organisation_id AS "organisationId", r.kind, r.name, r.state, r.pause_reason AS "pauseReason", r.type, r.parameters, r.plan,
    r.targets, r.failures_accepted AS "failuresAccepted", r.created_by AS "by", r.created_by_person AS "byPerson", r.created_at AS "createdAt",
    r.approved_by AS "approvedBy", r.approved_at AS "approvedAt", r.ends_at AS "endsAt", r.ended_at AS "endedAt",
    ${countsJson(sql)} AS counts
  FROM rollout r`

export const rolloutOf = (row: typeof RolloutRow.Type): Rollout => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  state: row.state,
  pauseReason: row.pauseReason,
  type: row.type,
  parameters: row.parameters,
  plan: planOf(row.plan),
  targets: row.targets,
  counts: countsOf(row.counts ?? []),
  by: row.by,
  createdAt: row.createdAt,
  approvedBy: row.approvedBy,
  approvedAt: row.approvedAt,
  lastIssuedAt: lastIssuedOf(row.counts ?? []),
  endsAt: row.endsAt,
  endedAt: row.endedAt
})
