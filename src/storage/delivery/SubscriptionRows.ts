/** Rows of subscriptions, of objects that are due to them and of the journal, decoded into the domain's. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"

const SubscriptionRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  kind: Schema.Literals(["partner", "webhook"]),
  position: Whole,
  needsAll: Schema.Boolean,
  failures: Schema.Int,
  openedAt: optional(Millis),
  notBefore: optional(Millis)
})
export const subscriptionRows = rowsOf(SubscriptionRow)
export const activeRows = rowsOf(Schema.Struct({ ...SubscriptionRow.fields, isFull: Schema.Boolean }))

/** The columns of `subscription s`. */
export const subscriptionColumns = (sql: SqlClient.SqlClient) => sql`
  s.id, s.organisation_id AS "organisationId", s.kind, s.position, s.needs_all AS "needsAll", s.failures,
  s.opened_at AS "openedAt", s.not_before AS "notBefore"`

/** A page of the journal. Every row has the page's end; if no fact matches, one row has only that. */
export const factRows = rowsOf(
  Schema.Struct({
    upTo: Whole,
    fact: optional(
      Schema.Struct({
        position: Schema.Finite,
        organisationId: Schema.String,
        type: Schema.String,
        subject: Schema.String,
        at: Schema.Finite,
        heardAt: Schema.Finite,
        body: Schema.Unknown
      })
    )
  })
)

export const healthRows = rowsOf(
  Schema.Struct({
    active: Schema.Boolean,
    cursor: Whole,
    behind: Whole,
    due: Whole,
    dueSince: optional(Millis),
    parked: Whole,
    openedAt: optional(Millis),
    notBefore: optional(Millis),
    deliveredAt: optional(Millis),
    error: optional(Schema.String),
    errorAt: optional(Millis)
  })
)

export const parkedRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    objectId: Schema.String,
    problem: Schema.String,
    tries: Schema.Int,
    dueAt: Millis,
    parkedAt: Millis
  })
)
