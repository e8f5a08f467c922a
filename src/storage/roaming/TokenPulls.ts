/** When each partner's tokens are fetched, and with what result, a part of the port `RoamingTokens`. */
import { Effect, Schema } from "effect"
import type { DuePull, PullEnd } from "../../domain/token/RoamingTokens.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import type { Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

const stateRow = rowOf(
  Schema.Struct({
    pulledAt: optional(Millis),
    taken: Schema.Int,
    unreadable: Schema.Int,
    problem: optional(Schema.String),
    triedAt: optional(Millis),
    dueAt: Millis,
    tokens: Schema.Int
  })
)

const dueRow = rowOf(
  Schema.Struct({
    organisationId: Schema.String,
    partnerId: Schema.String,
    registeredAt: Millis,
    from: optional(Millis),
    failures: Schema.Int
  })
)

/** The maximum length of a stored description of a failure. */
const problemMax = 500

export const tokenPulls = ({ sql, writable }: Recording) => {
  /**
   * Adds partners whose tokens, or parties behind them, are to be fetched, by their current registration. In 2.1.1 a module has no role. A
   * registration was just made, as far as the clock shows.
   */
  const enlist = (now: number, settleMillis: number) => sql`
    INSERT INTO token_pull AS t (partner_id, organisation_id, registered_at, due_at)
    SELECT p.id, p.organisation_id, to_timestamp((p.connection ->> 'registeredAt')::float8 / 1000),
      least(${new Date(now + settleMillis)}, to_timestamp(((p.connection ->> 'registeredAt')::float8 + ${settleMillis}) / 1000))
    FROM partner p
    WHERE p.status = 'Registered' AND NOT p.suspended AND EXISTS (
      SELECT 1 FROM jsonb_array_elements(p.connection -> 'endpoints') e
      WHERE e ->> 'module' IN ('tokens', 'hubclientinfo') AND coalesce(e ->> 'role', 'SENDER') = 'SENDER')
      AND NOT EXISTS (SELECT 1 FROM token_pull x
        WHERE x.partner_id = p.id AND x.registered_at = to_timestamp((p.connection ->> 'registeredAt')::float8 / 1000))
    ON CONFLICT (partner_id) DO UPDATE SET registered_at = excluded.registered_at, due_at = excluded.due_at, from_at = NULL,
      failures = 0`

  const lease = (now: number, leaseMillis: number) => sql`
    UPDATE token_pull t SET due_at = ${new Date(now + leaseMillis)}, tried_at = ${new Date(now)}
    FROM (
      SELECT x.partner_id FROM token_pull x JOIN partner p ON p.id = x.partner_id
      WHERE x.due_at <= ${new Date(now)} AND p.status = 'Registered' AND NOT p.suspended
      ORDER BY x.due_at LIMIT 1 FOR UPDATE OF x SKIP LOCKED
    ) due
    WHERE t.partner_id = due.partner_id
    RETURNING t.organisation_id AS "organisationId", t.partner_id AS "partnerId", t.registered_at AS "registeredAt",
      t.from_at AS "from", t.failures`

  /** Not the row of a new registration, whose fetch must neither wait for this one nor count as done with it. */
  const rowOfPull = ({ partnerId, registeredAt }: DuePull) =>
    sql`t.partner_id = ${partnerId} AND t.registered_at = ${new Date(registeredAt)}`

  return {
    pullState: Effect.fn("RoamingTokens.pullState")(function* (organisationId: string, partnerId: string) {
      if (!isUuid(partnerId)) return undefined
      const own = scopedTo(sql, organisationId)
      return yield* guarded(
        stateRow(own`
          SELECT t.pulled_at AS "pulledAt", t.taken, t.unreadable, t.problem, t.tried_at AS "triedAt", t.due_at AS "dueAt",
            (SELECT count(*)::int FROM roaming_token r WHERE r.partner_id = t.partner_id) AS tokens
          FROM token_pull t WHERE ${own.rowsOf("t")} AND t.partner_id = ${partnerId}`)
      )
    }),
    takeDuePull: Effect.fn("RoamingTokens.takeDuePull")(
      (now: number, { leaseMillis, settleMillis }: { readonly leaseMillis: number; readonly settleMillis: number }) =>
        Effect.andThen(
          writable,
          guardedWrite(Effect.andThen(enlist(now, settleMillis), dueRow(lease(now, leaseMillis))))
        )
    ),
    keepPull: Effect.fn("RoamingTokens.keepPull")((due: DuePull, until: number) =>
      Effect.andThen(
        writable,
        Effect.map(
          guardedWrite(
            sql`UPDATE token_pull t SET due_at = ${new Date(until)} WHERE ${rowOfPull(due)} RETURNING t.partner_id`
          ),
          (rows) => rows.length > 0
        )
      )
    ),
    endPull: Effect.fn("RoamingTokens.endPull")((due: DuePull, end: PullEnd, dueAt: number, now: number) => {
      const at = new Date(dueAt)
      const ended =
        end._tag === "Failed"
          ? sql`UPDATE token_pull t SET due_at = ${at}, failures = t.failures + 1, problem = ${end.problem.slice(0, problemMax)},
              tried_at = ${new Date(now)} WHERE ${rowOfPull(due)}`
          : sql`UPDATE token_pull t SET due_at = ${at}, failures = 0, problem = ${end.problem?.slice(0, problemMax) ?? null}, tried_at = ${new Date(now)},
              pulled_at = ${new Date(end.beganAt)}, from_at = ${end.from === undefined ? null : new Date(end.from)}, taken = ${end.taken},
              unreadable = ${end.unreadable} WHERE ${rowOfPull(due)}`
      return Effect.andThen(writable, guardedWrite(Effect.asVoid(ended)))
    })
  }
}
