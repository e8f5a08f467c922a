/**
 * Counts in the database what an organisation has had stored today, and what one of its keys or people has, so that the count survives a
 * restart and is common to all processes. It is part of the transaction that stores: what is rolled back is not counted.
 */
import { Effect, Metric, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { TooMany } from "../../domain/Errors.ts"
import { type BudgetKind, isOwn, type Used } from "../../domain/operator/WriteBudget.ts"
import { rowsOf } from "./Rows.ts"

export interface Use {
  readonly organisationId: string
  readonly kind: BudgetKind
  /** `Principal.actor`. */
  readonly author: string
  readonly bytes: number
  /** ms epoch. */
  readonly at: number
}

/** The row with the sum of all authors. */
const everyone = ""

const useRows = rowsOf(Schema.Struct({ author: Schema.String, bytes: Schema.Finite }))

/** The UTC day of a moment, as text. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const usedOf = (rows: ReadonlyArray<{ readonly author: string; readonly bytes: number }>): Used => {
  const of = (everyones: boolean) =>
    rows.filter(({ author }) => (author === everyone) === everyones).reduce((sum, { bytes }) => sum + bytes, 0)
  return { all: of(true), own: of(false) }
}

/**
 * Adds to today's use and returns it. `also` is run in the same statement, which saves a round trip. Rows of one organisation are always
 * locked in the same order, so that two transactions cannot deadlock.
 */
export const countUse = (
  sql: SqlClient.SqlClient,
  { at, author, bytes, kind, organisationId }: Use,
  also?: Statement.Fragment
) =>
  Effect.map(
    useRows(sql`
      ${also === undefined ? sql`` : sql`WITH also AS (${also})`}
      INSERT INTO organisation_use AS u (organisation_id, kind, author, day, bytes)
      SELECT ${organisationId}::uuid, ${kind}, a.author, ${dateOf(at)}::text::date, ${bytes}::float8::bigint
      FROM (VALUES (${everyone}), (${author})) AS a(author) WHERE a.author <> ${everyone} OR NOT ${isOwn(kind)} ORDER BY a.author
      ON CONFLICT (organisation_id, kind, author) DO UPDATE
        SET day = greatest(u.day, excluded.day), bytes = excluded.bytes + CASE WHEN u.day < excluded.day THEN 0 ELSE u.bytes END
      RETURNING u.author, u.bytes::float8 AS bytes`),
    usedOf
  )

/** Today's use. */
export const useOf = (sql: SqlClient.SqlClient, { at, author, kind, organisationId }: Omit<Use, "bytes">) =>
  Effect.map(
    useRows(sql`
      SELECT u.author, u.bytes::float8 AS bytes FROM organisation_use u
      WHERE u.organisation_id = ${organisationId}::uuid AND u.kind = ${kind} AND u.author = ANY (ARRAY[${everyone}, ${author}])
        AND u.day >= ${dateOf(at)}::text::date`),
    usedOf
  )

/** A condition: today's use has reached `most`, or `share` for the author alone. */
export const hasUsed = (
  sql: SqlClient.SqlClient,
  { at, author, kind, organisationId }: Omit<Use, "bytes">,
  most: number,
  share: number
): Statement.Fragment => sql`EXISTS (
  SELECT 1 FROM organisation_use u
  WHERE u.organisation_id = ${organisationId}::uuid AND u.kind = ${kind} AND u.author = ANY (ARRAY[${everyone}, ${author}])
    AND u.day >= ${dateOf(at)}::text::date
    AND u.bytes >= CASE WHEN u.author = ${everyone} THEN ${most}::float8 ELSE ${share}::float8 END)`

const refused = (budget: BudgetKind) =>
  Metric.counter("writes_over_budget_total", {
    description: "Requests that were refused because what an organisation may store in a day is used up",
    incremental: true,
    attributes: { budget }
  })

const refusedBy = {
  audit: refused("audit"),
  idempotency: refused("idempotency"),
  access: refused("access"),
  partner: refused("partner")
}

export const useMetrics = Object.values(refusedBy)

/** Counts and makes the refusal. */
export const refusedForBudget = (kind: BudgetKind, refusal: TooMany): Effect.Effect<never, TooMany> =>
  Effect.andThen(Metric.update(refusedBy[kind], 1), Effect.fail(refusal))
