/** What tariffs are assigned to, in SQL: one tariff for each target, the latest assigned one. Part of `Tariffs`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { NotFound } from "../../domain/Errors.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { type Assignment, assignmentScopes, type Tariff } from "../../domain/tariff/Tariff.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { assignmentOf, type Target } from "./TariffRows.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** How many assignments of one tariff are shown; organisations with more assign by site. */
const shownMost = 500

type Find = (organisationId: string, id: string) => Effect.Effect<Tariff, NotFound | SqlError>

const targetOf = (given: Assignment): Target => {
  const nowhere = { evseId: 0, connectorId: 0 }
  switch (given.scope) {
    case "organisation":
      return { scope: given.scope, target: "", ...nowhere }
    case "site":
      return { scope: given.scope, target: given.siteId, ...nowhere }
    case "charger":
      return { scope: given.scope, target: given.chargerId, ...nowhere }
    case "connector":
      return { scope: given.scope, target: given.chargerId, evseId: given.evseId, connectorId: given.connectorId }
  }
}

/** Fails if the site or charger does not belong to the organisation. A connector need not have been reported yet. */
const checkTarget = (own: Scoped, given: Assignment) =>
  Effect.gen(function* () {
    if (given.scope === "organisation") return
    if (given.scope === "site") {
      const [site] = isUuid(given.siteId)
        ? yield* own`SELECT 1 FROM site s WHERE ${own.rowsOf("s")} AND s.id = ${given.siteId}`
        : []
      if (site === undefined) return yield* new NotFound({ kind: "site", id: given.siteId })
      return
    }
    const [charger] = yield* own`SELECT 1 FROM charger c WHERE ${own.rowsOf("c")} AND c.charger_id = ${given.chargerId}`
    if (charger === undefined) return yield* new NotFound({ kind: "charger", id: given.chargerId })
  })

const isTarget = (sql: SqlClient.SqlClient, { connectorId, evseId, scope, target }: Target) => sql`
  a.scope = ${scope} AND a.target = ${target} AND a.evse_id = ${evseId} AND a.connector_id = ${connectorId}`

export const assign = ({ journaled, secrets, sql }: Recording, find: Find) =>
  Effect.fn("Tariffs.assign")(function* (id: string, given: Assignment, audit: AuditContext) {
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const target = targetOf(given)
    const write = Effect.gen(function* () {
      yield* find(by.organisationId, id)
      yield* checkTarget(own, given)
      const [before] = yield* own<{ readonly tariffId: string }>`
        SELECT a.tariff_id AS "tariffId" FROM tariff_assignment a WHERE ${own.rowsOf("a")} AND ${isTarget(sql, target)}`
      if (before?.tariffId === id) return { result: undefined, facts: [] }
      yield* own`
        INSERT INTO tariff_assignment (organisation_id, scope, target, evse_id, connector_id, tariff_id, created_at)
        VALUES (${own.id}, ${target.scope}, ${target.target}, ${target.evseId}, ${target.connectorId}, ${id}, ${new Date(now)})
        ON CONFLICT (organisation_id, scope, target, evse_id, connector_id)
          DO UPDATE SET tariff_id = excluded.tariff_id, created_at = excluded.created_at`
      const fact = factOf("TariffAssigned", `tariff:${id}`, secrets.uuid(now), audit)
      const was = before === undefined ? {} : { before: { tariffId: before.tariffId, ...given } }
      return {
        result: undefined,
        facts: [{ ...fact, body: { by: by.actor, ...was, after: { tariffId: id, ...given } } }]
      }
    })
    yield* journaled(write)
  })

export const unassign = ({ journaled, secrets, sql }: Recording, find: Find) =>
  Effect.fn("Tariffs.unassign")(function* (id: string, given: Assignment, audit: AuditContext) {
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const write = Effect.gen(function* () {
      yield* find(by.organisationId, id)
      const gone = yield* own`
        DELETE FROM tariff_assignment a WHERE ${own.rowsOf("a")} AND ${isTarget(sql, targetOf(given))} AND a.tariff_id = ${id}
        RETURNING a.scope`
      if (gone.length === 0) return yield* new NotFound({ kind: "assignment of this tariff", id })
      const fact = factOf("TariffUnassigned", `tariff:${id}`, secrets.uuid(now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: by.actor, before: { tariffId: id, ...given } } }] }
    })
    yield* journaled(write)
  })

const targetRows = rowsOf(
  Schema.Struct({
    scope: Schema.Literals(assignmentScopes),
    target: Schema.String,
    evseId: Schema.Int,
    connectorId: Schema.Int
  })
)

export const assignmentsOf = (sql: SqlClient.SqlClient, find: Find) =>
  Effect.fn("Tariffs.assignments")((organisationId: string, id: string) => {
    const own = scopedTo(sql, organisationId)
    return guarded(
      Effect.gen(function* () {
        yield* find(organisationId, id)
        const rows = yield* targetRows(own`
          SELECT a.scope, a.target, a.evse_id AS "evseId", a.connector_id AS "connectorId"
          FROM tariff_assignment a WHERE ${own.rowsOf("a")} AND a.tariff_id = ${id}
          ORDER BY a.scope, a.target, a.evse_id, a.connector_id LIMIT ${shownMost}`)
        return rows.map(assignmentOf)
      })
    )
  })
