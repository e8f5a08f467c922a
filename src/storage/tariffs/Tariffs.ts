/** The port `Tariffs` over SQL: a row of `tariff` is the current tariff, and `tariff_version` has every version that was ever in force. */
import { Effect, Equal, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, InvalidInput, NotFound } from "../../domain/Errors.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { type TariffPatch, Tariffs } from "../../domain/tariff/Tariffs.ts"
import { rowBytes } from "../../domain/operator/WriteBudget.ts"
import { errorsOf } from "../../domain/tariff/Findings.ts"
import type { Tariff, TariffBody } from "../../domain/tariff/Tariff.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { coarseMeters } from "../charging/ConnectorMeters.ts"
import { around, placed } from "./PlacedAssignments.ts"
import { assign, assignmentsOf, unassign } from "./TariffAssignments.ts"
import { runningSessions } from "./RunningSessions.ts"
import { offer, offered } from "./TariffOffers.ts"
import { TariffRow } from "./TariffRows.ts"

const tariffRow = rowOf(TariffRow)
const tariffRows = rowsOf(TariffRow)

const pages = pagedList("tariffs", UuidKey, (tariff: Tariff) => tariff.id)

const columns = (sql: SqlClient.SqlClient) => sql`
  t.id, t.organisation_id AS "organisationId", t.version, t.body, t.created_at AS "createdAt", t.updated_at AS "updatedAt"`

const notFound = (id: string) => new NotFound({ kind: "tariff", id })

const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const tariff = isUuid(id)
      ? yield* tariffRow(own`SELECT ${columns(sql)} FROM tariff t WHERE ${own.rowsOf("t")} AND t.id = ${id}`)
      : undefined
    return tariff ?? (yield* notFound(id))
  })

const dateOrNull = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms))

const text = (body: TariffBody) => JSON.stringify(body)

/** What a version needs: all of them are kept, since sessions and records name them. */
const versionBytes = (body: TariffBody): number => rowBytes + Buffer.byteLength(text(body))

/** A tariff's part in the journal. */
const recordOf = ({ body, id, version }: Tariff) => ({ id, version, ...body })

const putVersion = (own: Scoped, { body, id, updatedAt, version }: Tariff) => own`
  INSERT INTO tariff_version (tariff_id, version, organisation_id, body, created_at)
  VALUES (${id}, ${version}, ${own.id}, ${text(body)}::text::jsonb, ${new Date(updatedAt)})`

const create = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Tariffs.create")(function* (body: TariffBody, audit: AuditContext) {
    yield* storable({ body })
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const tariff: Tariff = {
      id: secrets.uuid(now),
      organisationId: by.organisationId,
      version: 1,
      body,
      createdAt: now,
      updatedAt: now
    }
    const write = Effect.gen(function* () {
      yield* own`
        INSERT INTO tariff (id, organisation_id, version, body, starts_at, ends_at, created_at, updated_at)
        VALUES (${tariff.id}, ${own.id}, 1, ${text(body)}::text::jsonb, ${dateOrNull(body.startDateTime)},
          ${dateOrNull(body.endDateTime)}, ${new Date(now)}, ${new Date(now)})`
      yield* putVersion(own, tariff)
      const fact = factOf("TariffCreated", `tariff:${tariff.id}`, tariff.id, audit)
      const facts = [{ ...fact, body: { by: by.actor, after: recordOf(tariff) } }]
      return { result: tariff, facts, bytes: versionBytes(body) }
    })
    return yield* journaled(refusingValues(write))
  })

/** Applies a patch to a tariff's body: undefined leaves a field unchanged, null clears it. */
const patched = (body: TariffBody, patch: TariffPatch): TariffBody => {
  const next = new Map<string, unknown>(Object.entries(body))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) next.delete(key)
    else if (value !== undefined) next.set(key, value)
  }
  // Every field is from the body or its patch.
  return Object.fromEntries(next) as unknown as TariffBody
}

const update = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Tariffs.update")(function* (id: string, patch: TariffPatch, audit: AuditContext) {
    yield* storable({ patch })
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, id)
      const body = patched(before.body, patch)
      if (Equal.equals(before.body, body)) return { result: before, facts: [] }
      const [finding] = errorsOf(body)
      if (finding !== undefined) return yield* new InvalidInput(finding)
      const after = { ...before, version: before.version + 1, body, updatedAt: now }
      yield* own`
        UPDATE tariff t SET version = ${after.version}, body = ${text(body)}::text::jsonb, starts_at = ${dateOrNull(body.startDateTime)},
          ends_at = ${dateOrNull(body.endDateTime)}, updated_at = ${new Date(now)}
        WHERE ${own.rowsOf("t")} AND t.id = ${id}`
      yield* putVersion(own, after)
      const fact = factOf("TariffChanged", `tariff:${id}`, secrets.uuid(now), audit)
      const change = { by: by.actor, before: recordOf(before), after: recordOf(after) }
      return { result: after, facts: [{ ...fact, body: change }], bytes: versionBytes(body) }
    })
    return yield* journaled(refusingValues(write))
  })

const remove = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Tariffs.remove")(function* (id: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, id)
      const [used] =
        yield* own`SELECT 1 FROM tariff_assignment a WHERE ${own.rowsOf("a")} AND a.tariff_id = ${id} LIMIT 1`
      if (used !== undefined) {
        return yield* new Conflict({
          code: "tariff_assigned",
          message: "This tariff is assigned. Remove its assignments first."
        })
      }
      yield* own`DELETE FROM tariff t WHERE ${own.rowsOf("t")} AND t.id = ${id}`
      const fact = factOf("TariffRemoved", `tariff:${id}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before: recordOf(before) } }] }
    })
    yield* journaled(write)
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.list")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${columns(sql)} FROM tariff t
        WHERE ${own.rowsOf("t")} ${after === undefined ? sql`` : sql`AND t.id < ${after}`}
        ORDER BY t.id DESC LIMIT ${pages.rows(request)}`,
        rows: tariffRows,
        item: (tariff) => tariff
      })
    )
  })

/** The version that was in force when the session began, even if the tariff was deleted since. */
const ofSession = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.ofSession")((organisationId: string, sessionId: string) => {
    const own = scopedTo(sql, organisationId)
    if (!isUuid(sessionId)) return Effect.undefined
    return guarded(
      tariffRow(own`
        SELECT v.tariff_id AS id, v.organisation_id AS "organisationId", v.version, v.body, v.created_at AS "createdAt",
          v.created_at AS "updatedAt"
        FROM session_tariff s JOIN tariff_version v ON v.tariff_id = s.tariff_id AND v.version = s.version
        WHERE ${own.rowsOf("s")} AND s.session_id = ${sessionId}`)
    )
  })

export const layer: Layer.Layer<Tariffs, never, RecordingServices> = Layer.effect(
  Tariffs,
  Effect.map(recording, (records) => {
    const { sql } = records
    const found = (organisationId: string, id: string) => find(sql, scopedTo(sql, organisationId), id)
    return Tariffs.of({
      create: create(records),
      get: Effect.fn("Tariffs.get")((organisationId, id) => guarded(found(organisationId, id))),
      list: list(sql),
      offered: offered(sql),
      offer: offer(sql),
      update: update(records),
      remove: remove(records),
      assign: assign(records, found),
      unassign: unassign(records, found),
      assignments: assignmentsOf(sql, found),
      placed: placed(sql),
      around: around(sql),
      runningSessions: runningSessions(sql, found),
      coarseMeters: coarseMeters(sql),
      ofSession: ofSession(sql)
    })
  })
)
