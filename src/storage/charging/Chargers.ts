/**
 * The port `Chargers` over SQL: chargers as operators see them. What chargers report is written by the journal and only read here, together
 * with what operators set.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChargerRegistration } from "../../domain/charger/Charger.ts"
import { Conflict } from "../../domain/Errors.ts"
import { type ChargerFilter, Chargers } from "../../domain/charger/Chargers.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { ChargerRecord } from "../../domain/event/RecordFact.ts"
import { listedMessageBytes, type PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { counts, countsOfSites, summaries } from "./ChargerSummaries.ts"
import { needsPassword, passwordMissing, siteNotFound, update } from "./ChargerChanges.ts"
import {
  chargerConditions,
  chargerOf,
  ChargerRow,
  findCharger,
  findRecord,
  findWhole,
  selectChargers
} from "./ChargerRows.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { isClosed } from "./SessionRows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { sessionWindows } from "./SessionWindows.ts"
import { statistics } from "./Statistics.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

const chargerRows = rowsOf(ChargerRow)

const pages = pagedList("chargers", TextKey, (row: typeof ChargerRow.Type) => row.chargerId)

/** The site that a registration names, or the organisation's oldest one (ids are in the order of creation). */
const siteFor = (own: Scoped, siteId: string | undefined) =>
  Effect.gen(function* () {
    if (siteId !== undefined && !isUuid(siteId)) return yield* siteNotFound(siteId)
    const [site] =
      siteId === undefined
        ? yield* own<{ id: string }>`SELECT s.id FROM site s WHERE ${own.rowsOf("s")} ORDER BY s.id LIMIT 1`
        : yield* own<{ id: string }>`SELECT s.id FROM site s WHERE ${own.rowsOf("s")} AND s.id = ${siteId}`
    if (site !== undefined) return site.id
    if (siteId !== undefined) return yield* siteNotFound(siteId)
    return yield* new Conflict({ code: "site_required", message: "There is no site yet. Create one first." })
  })

const register = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Chargers.register")(function* (input: ChargerRegistration, audit: AuditContext) {
    yield* storable(input)
    const { chargerId, name, passwordVerifier, registration = "Accepted", securityProfile } = input
    const { registeredSerialNumber } = input
    const own = scopedTo(sql, audit.by.organisationId)
    const now = new Date(audit.now)
    const write = Effect.gen(function* () {
      const siteId = yield* siteFor(own, input.siteId)
      if (needsPassword(securityProfile) && passwordVerifier === undefined) return yield* passwordMissing()
      const inserted = yield* own`
        INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, registration, password_verifier, registered_serial,
          created_at, updated_at)
        VALUES (${chargerId}, ${own.id}, ${siteId}, ${name}, ${securityProfile}, ${registration}, ${passwordVerifier},
          ${registeredSerialNumber}, ${now}, ${now})
        ON CONFLICT (charger_id) DO NOTHING RETURNING charger_id`
      if (inserted.length === 0) {
        return yield* new Conflict({
          code: "charger_id_in_use",
          message:
            "A charger with this id is already registered. Ids are unique in the whole service: choose another one."
        })
      }
      const after: ChargerRecord = {
        chargerId,
        siteId,
        name,
        securityProfile,
        registration,
        hasPassword: passwordVerifier !== undefined,
        ...(registeredSerialNumber === undefined ? {} : { registeredSerialNumber }),
        equipment: []
      }
      const fact = factOf("ChargerRegistered", `charger:${chargerId}`, secrets.uuid(audit.now), audit)
      return {
        result: yield* findCharger(sql, own, chargerId),
        facts: [{ ...fact, body: { by: audit.by.actor, after } }]
      }
    })
    return yield* journaled(refusingValues(write))
  })

const remove = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Chargers.remove")(function* (chargerId: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* findRecord(sql, own, chargerId)
      const open = yield* own`
        SELECT 1 FROM session s WHERE ${own.rowsOf("s")} AND s.charger_id = ${chargerId} AND s.ended_at IS NULL
          AND NOT ${isClosed(sql)} LIMIT 1`
      if (open.length > 0) {
        return yield* new Conflict({
          code: "session_active",
          message: "A session is running at this charger. Stop it first, or wait until it ends."
        })
      }
      yield* own`DELETE FROM charger c WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`
      const fact = factOf("ChargerRemoved", `charger:${chargerId}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before } }] }
    })
    yield* journaled(write)
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Chargers.list")(function* (organisationId: string, request: PageRequest & ChargerFilter) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const filter = chargerConditions(sql, request)
    if (filter === undefined) return { items: [], nextCursor: null }
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        ${selectChargers(sql, listedMessageBytes + 1)}
        WHERE ${own.rowsOf("c")} AND ${filter}
          ${after === undefined ? sql`` : sql`AND c.charger_id > ${after}`}
        ORDER BY c.charger_id LIMIT ${pages.rows(request)}`,
        rows: chargerRows,
        item: chargerOf
      })
    )
  })

export const layer: Layer.Layer<Chargers, never, RecordingServices> = Layer.effect(
  Chargers,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Chargers.of({
      register: register(records),
      get: Effect.fn("Chargers.get")((organisationId, chargerId) =>
        guarded(findCharger(sql, scopedTo(sql, organisationId), chargerId))
      ),
      withSecrets: Effect.fn("Chargers.withSecrets")((organisationId, chargerId) =>
        guarded(findWhole(records, scopedTo(sql, organisationId), chargerId))
      ),
      list: list(sql),
      summaries: summaries(sql),
      counts: counts(sql),
      countsOfSites: countsOfSites(sql),
      update: update(records),
      remove: remove(records),
      statistics: statistics(sql),
      sessionWindows: sessionWindows(sql)
    })
  })
)
