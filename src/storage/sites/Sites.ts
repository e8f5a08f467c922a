/** The port `Sites` over SQL. Every write is a fact, and every query is within one organisation. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Equal, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, InvalidInput, NotFound } from "../../domain/Errors.ts"
import { isWithin, SiteDetails, siteDetailsMax, siteDetailsOf, siteFieldsOf } from "../../domain/site/Details.ts"
import { Sites } from "../../domain/site/Sites.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { Site, SiteInput, SitePatch } from "../../domain/site/Site.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { addressFields } from "./LocationRows.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

const text = optional(Schema.String)

const SiteRow = Schema.Struct({
  id: Schema.String,
  groupId: Schema.Int,
  organisationId: Schema.String,
  ...addressFields,
  openingHours: optional(Schema.Unknown),
  cpoPartyId: text,
  details: optional(SiteDetails),
  createdAt: Millis,
  updatedAt: Millis
})

const siteRow = rowOf(SiteRow)
const siteRows = rowsOf(SiteRow)

const toSite = ({ details, ...row }: typeof SiteRow.Type): Site => ({ ...row, ...siteFieldsOf(details) })

const siteOf = <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(siteRow(statement), (row) => (row === undefined ? undefined : toSite(row)))

const sitesOf = <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(siteRows(statement), (rows) => rows.map(toSite))

const pages = pagedList("sites", UuidKey, (site: Site) => site.id)

const notFound = (id: string): NotFound => new NotFound({ kind: "site", id })

const columns = (sql: SqlClient.SqlClient) => sql`
  s.id, s.group_id AS "groupId", s.organisation_id AS "organisationId", s.name, s.time_zone AS "timeZone",
  s.street_address AS "streetAddress", s.street_number AS "streetNumber", s.house_letter AS "houseLetter",
  s.postal_number AS "postalNumber", s.city, s.area, s.country, s.latitude, s.longitude, s.opening_hours AS "openingHours",
  s.party_id AS "cpoPartyId", s.details,
  s.created_at AS "createdAt", s.updated_at AS "updatedAt"`

const jsonOrNull = (value: unknown) => (value === undefined || value === null ? null : PgTypes.jsonb(value))

const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const site = isUuid(id)
      ? yield* siteOf(own`SELECT ${columns(sql)} FROM site s WHERE ${own.rowsOf("s")} AND s.id = ${id}`)
      : undefined
    return site ?? (yield* notFound(id))
  })

/** The site's details; fails if they are too long to be shown to partners completely. */
const boundedDetails = (site: SiteInput) => {
  const details = siteDetailsOf(site)
  if (isWithin(details, siteDetailsMax)) return Effect.succeed(details)
  const detail = `contains more than ${siteDetailsMax} characters of images, directions, tokens and similar details in total`
  return Effect.fail(new InvalidInput({ pointer: "", detail }))
}

/** Fails unless the id is that of one of the organisation's parties. */
const ownParty = (own: Scoped, id: string | undefined) =>
  Effect.gen(function* () {
    if (id === undefined) return
    const found = isUuid(id) ? yield* own`SELECT 1 FROM party p WHERE ${own.rowsOf("p")} AND p.id = ${id}` : []
    if (found.length > 0) return
    const detail = "is not one of the organisation's parties, which GET /v2/parties lists"
    return yield* new InvalidInput({ pointer: "/cpoPartyId", detail })
  })

const create = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Sites.create")(function* (input: SiteInput, audit: AuditContext) {
    yield* storable(input)
    const details = yield* boundedDetails(input)
    const own = scopedTo(sql, audit.by.organisationId)
    const id = secrets.uuid(audit.now)
    const now = new Date(audit.now)
    const insert = siteOf(own`
      INSERT INTO site AS s (id, organisation_id, name, time_zone, street_address, street_number, house_letter, postal_number, city,
        area, country, latitude, longitude, opening_hours, party_id, details, created_at, updated_at)
      VALUES (${id}, ${own.id}, ${input.name},
        coalesce(${input.timeZone}, (SELECT o.time_zone FROM organisation o WHERE ${own.itself("o")})),
        ${input.streetAddress}, ${input.streetNumber}, ${input.houseLetter}, ${input.postalNumber}, ${input.city}, ${input.area},
        ${input.country}, ${input.latitude}, ${input.longitude}, ${jsonOrNull(input.openingHours)}, ${input.cpoPartyId ?? null},
        ${jsonOrNull(details)}, ${now}, ${now})
      RETURNING ${columns(sql)}`)
    const write = Effect.gen(function* () {
      yield* ownParty(own, input.cpoPartyId)
      const site = yield* refusingValues(insert)
      if (site === undefined) return yield* Effect.die("an INSERT gave no row")
      const fact = factOf("SiteCreated", `site:${id}`, id, audit)
      return { result: site, facts: [{ ...fact, body: { by: audit.by.actor, after: site } }] }
    })
    return yield* journaled(write)
  })

/** Applies a patch to a site: undefined leaves a field unchanged, null clears it, and an empty value counts as cleared. */
const patched = (site: Site, patch: SitePatch): Site => {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  const laid: Site = { ...site, ...Object.fromEntries(given.map(([key, value]) => [key, value ?? undefined])) }
  return { ...laid, ...siteFieldsOf(siteDetailsOf(laid)) }
}

const timeZoneRow = rowOf(Schema.Struct({ timeZone: Schema.String }))

/** The organisation's time zone, which is the default for its sites. */
const zoneOf = (own: Scoped) =>
  Effect.map(
    timeZoneRow(own`SELECT o.time_zone AS "timeZone" FROM organisation o WHERE ${own.itself("o")}`),
    (row) => row?.timeZone ?? "UTC"
  )

const update = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Sites.update")(function* (id: string, patch: SitePatch, audit: AuditContext) {
    yield* storable(patch)
    if (patch.name === null) return yield* new InvalidInput({ pointer: "/name", detail: "cannot be cleared" })
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, id)
      const changed = patched(before, patch.timeZone === null ? { ...patch, timeZone: yield* zoneOf(own) } : patch)
      if (Equal.equals(before, changed)) return { result: before, facts: [] }
      const details = yield* boundedDetails(changed)
      yield* ownParty(own, changed.cpoPartyId)
      const after = { ...changed, updatedAt: audit.now }
      const change = own`
        UPDATE site s SET name = ${after.name}, time_zone = ${after.timeZone}, street_address = ${after.streetAddress},
          street_number = ${after.streetNumber}, house_letter = ${after.houseLetter}, postal_number = ${after.postalNumber},
          city = ${after.city}, area = ${after.area}, country = ${after.country}, latitude = ${after.latitude},
          longitude = ${after.longitude}, opening_hours = ${jsonOrNull(after.openingHours)}, party_id = ${after.cpoPartyId ?? null},
          details = ${jsonOrNull(details)}, updated_at = ${new Date(after.updatedAt)}
        WHERE ${own.rowsOf("s")} AND s.id = ${id}`
      yield* refusingValues(change)
      const fact = factOf("SiteChanged", `site:${id}`, secrets.uuid(audit.now), audit)
      return { result: after, facts: [{ ...fact, body: { by: audit.by.actor, before, after } }] }
    })
    return yield* journaled(write)
  })

const remove = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Sites.remove")(function* (id: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, id)
      const chargers = yield* own`SELECT 1 FROM charger c WHERE ${own.rowsOf("c")} AND c.site_id = ${id} LIMIT 1`
      if (chargers.length > 0) {
        return yield* new Conflict({
          code: "site_not_empty",
          message: "This site has chargers. Move them to another site or delete them first."
        })
      }
      yield* own`DELETE FROM site s WHERE ${own.rowsOf("s")} AND s.id = ${id}`
      const fact = factOf("SiteRemoved", `site:${id}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before } }] }
    })
    yield* journaled(write)
  })

const byIds = (sql: SqlClient.SqlClient) =>
  Effect.fn("Sites.byIds")(function* (organisationId: string, ids: ReadonlyArray<string>) {
    const own = scopedTo(sql, organisationId)
    const wanted = uuidArray(ids.filter(isUuid))
    return yield* guarded(
      sitesOf(own`SELECT ${columns(sql)} FROM site s WHERE ${own.rowsOf("s")} AND s.id = ANY (${wanted})`)
    )
  })

/** The largest integer that the column holds; a larger one is no site's id. */
const maxGroupId = 0x7fffffff

const byGroupId = (sql: SqlClient.SqlClient) =>
  Effect.fn("Sites.byGroupId")(function* (organisationId: string, groupId: number) {
    const own = scopedTo(sql, organisationId)
    const site =
      Number.isInteger(groupId) && groupId > 0 && groupId <= maxGroupId
        ? yield* guarded(
            siteOf(own`SELECT ${columns(sql)} FROM site s WHERE ${own.rowsOf("s")} AND s.group_id = ${groupId}`)
          )
        : undefined
    return site ?? (yield* notFound(String(groupId)))
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Sites.list")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${columns(sql)} FROM site s
        WHERE ${own.rowsOf("s")} ${after === undefined ? sql`` : sql`AND s.id > ${after}`}
        ORDER BY s.id LIMIT ${pages.rows(request)}`,
        rows: sitesOf,
        item: (site) => site
      })
    )
  })

export const layer: Layer.Layer<Sites, never, RecordingServices> = Layer.effect(
  Sites,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Sites.of({
      create: create(records),
      get: Effect.fn("Sites.get")((organisationId, id) => guarded(find(sql, scopedTo(sql, organisationId), id))),
      byIds: byIds(sql),
      byGroupId: byGroupId(sql),
      list: list(sql),
      update: update(records),
      remove: remove(records)
    })
  })
)
