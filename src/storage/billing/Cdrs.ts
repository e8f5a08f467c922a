/** The port `Cdrs` over SQL. Numbers are assigned in the transaction that stores the records, so there are no gaps. */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type Cdr, type CdrBody, creditOf, creditRefusal, type NewCdr } from "../../domain/cdr/Cdr.ts"
import { NotFound } from "../../domain/Errors.ts"
import { type CdrFilter, Cdrs } from "../../domain/cdr/Cdrs.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { int4Array, textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { CdrBodyRow } from "./CdrRows.ts"
import { compareWithRecords } from "./Differing.ts"
import { pagedList, TimeKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"

export const CdrRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  number: Whole,
  sessionId: Schema.String,
  revision: Schema.Int,
  chargerId: Schema.String,
  siteId: Schema.String,
  startedAt: Millis,
  endedAt: Millis,
  creditReferenceId: optional(Schema.String),
  body: CdrBodyRow,
  issuedAt: Millis
})
const cdrRow = rowOf(CdrRow)
/** Runs a statement that selects `cdrColumns`. */
export const cdrRows = rowsOf(CdrRow)

const pages = pagedList("cdrs", Schema.Int, (cdr: Cdr) => cdr.number)

/**
 * With a filter by start time or card, records are ordered by start. In the order of numbers, an old record would come after all that were
 * numbered since.
 */
const datedPages = pagedList(
  "cdrs by start",
  Schema.Tuple([TimeKey, Schema.Int]),
  (cdr: Cdr) => [cdr.startedAt, cdr.number] as const
)

const issuedPages = pagedList(
  "cdrs by issue",
  Schema.Tuple([TimeKey, Schema.Int]),
  (cdr: Cdr) => [cdr.issuedAt, cdr.number] as const
)

const pageAfter = (sql: SqlClient.SqlClient, request: PageRequest & CdrFilter) =>
  Effect.gen(function* () {
    const isByStart = [request.from, request.to, request.tokenUid].some((one) => one !== undefined)
    if (!isByStart && request.issuedFrom === undefined && request.issuedTo === undefined) {
      const before = yield* pages.after(request)
      const behind = before === undefined ? sql`` : sql`AND d.number < ${before}::float8::bigint`
      return { pages, which: sql`${behind} ORDER BY d.number DESC LIMIT ${pages.rows(request)}` }
    }
    const [dated, at] = isByStart ? [datedPages, sql`d.started_at`] : [issuedPages, sql`d.issued_at`]
    const before = yield* dated.after(request)
    const behind =
      before === undefined ? sql`` : sql`AND (${at}, d.number) < (${new Date(before[0])}, ${before[1]}::float8::bigint)`
    return { pages: dated, which: sql`${behind} ORDER BY ${at} DESC, d.number DESC LIMIT ${dated.rows(request)}` }
  })

/** The columns of `cdr d`. */
export const cdrColumns = (sql: SqlClient.SqlClient) => sql`
  d.id, d.organisation_id AS "organisationId", d.number, d.session_id AS "sessionId", d.revision, d.charger_id AS "chargerId", d.site_id AS "siteId",
  d.started_at AS "startedAt", d.ended_at AS "endedAt", d.credits AS "creditReferenceId", d.body, d.issued_at AS "issuedAt"`

/** A record to be stored. */
export interface Insert extends NewCdr {
  readonly id: string
  /** The record that this one credits; null for one that bills. */
  readonly credits: string | null
}

const text = (body: CdrBody) => JSON.stringify(body)

const insert = (sql: SqlClient.SqlClient, records: ReadonlyArray<Insert>, now: number) =>
  cdrRows(sql`
    WITH fresh AS MATERIALIZED (
      SELECT x.*, row_number() OVER (PARTITION BY x.organisation_id ORDER BY x.ord) AS n,
        count(*) OVER (PARTITION BY x.organisation_id) AS of
      FROM unnest(${uuidArray(records.map((one) => one.id))}, ${uuidArray(records.map((one) => one.organisationId))},
        ${uuidArray(records.map((one) => one.sessionId))}, ${textArray(records.map((one) => one.chargerId))},
        ${uuidArray(records.map((one) => one.siteId))}, ${timestamptzArray(records.map((one) => one.startedAt))},
        ${timestamptzArray(records.map((one) => one.endedAt))}, ${textArray(records.map((one) => one.credits ?? ""))},
        ${textArray(records.map((one) => text(one.body)))}, ${int4Array(records.map((one) => one.revision))},
        ${textArray(records.map((one) => tokenKey(one.body.tokenUid)))})
        WITH ORDINALITY AS x(id, organisation_id, session_id, charger_id, site_id, started_at, ended_at, credits, body, revision, token_key, ord)
      WHERE NOT EXISTS (
        SELECT 1 FROM cdr c WHERE CASE WHEN x.credits = '' THEN c.session_id = x.session_id AND c.revision = x.revision AND c.credits IS NULL
          ELSE c.credits = nullif(x.credits, '')::uuid END)
        -- What was corrected, or held, since it was read is not billed by that reading.
        AND NOT EXISTS (
          SELECT 1 FROM session_review r WHERE r.session_id = x.session_id AND x.credits = ''
            AND (r.revision > x.revision OR (r.held_reason IS NOT NULL AND r.released_at IS NULL)))
    ), counted AS (
      INSERT INTO cdr_number AS k (organisation_id, last) SELECT f.organisation_id, count(*) FROM fresh f GROUP BY 1
      ON CONFLICT (organisation_id) DO UPDATE SET last = k.last + excluded.last
      RETURNING k.organisation_id, k.last
    )
    INSERT INTO cdr AS d (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, credits, body,
      issued_at, partner_id, token_key)
    SELECT f.id, f.organisation_id, k.last - f.of + f.n, f.session_id, f.revision, f.charger_id, f.site_id, f.started_at, f.ended_at,
      nullif(f.credits, '')::uuid, f.body::jsonb, ${new Date(now)}, (f.body::jsonb #>> '{roaming,partnerId}')::uuid, f.token_key
    FROM fresh f JOIN counted k ON k.organisation_id = f.organisation_id
    RETURNING ${cdrColumns(sql)}`)

/**
 * Stores the records of sessions that have none yet (for credits: of records that are not credited yet), each with the next number, and
 * compares them with their sessions' prices.
 */
export const insertCdrs = (sql: SqlClient.SqlClient, records: ReadonlyArray<Insert>, now: number) =>
  Effect.tap(insert(sql, records, now), (stored) =>
    stored.length === 0
      ? Effect.void
      : compareWithRecords(
          sql,
          stored.map(({ sessionId }) => sessionId)
        )
  )

/** The fact of a record. */
export const issuedFact = (cdr: Cdr, by: AuditContext["by"]["actor"], now: number) => ({
  ...factOf("CdrIssued", `cdr:${cdr.id}`, cdr.id, { by: { organisationId: cdr.organisationId, actor: by }, now }),
  body: {
    by,
    after: {
      id: cdr.id,
      number: cdr.number,
      sessionId: cdr.sessionId,
      currency: cdr.body.currency,
      total: cdr.body.total,
      ...(cdr.creditReferenceId === undefined ? {} : { creditReferenceId: cdr.creditReferenceId })
    }
  }
})

const issue = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Cdrs.issue")(function* (records: ReadonlyArray<NewCdr>, now: number) {
    if (records.length === 0) return
    const write = Effect.gen(function* () {
      const inserts = records.map((record) => ({ ...record, id: secrets.uuid(now), credits: null }))
      const stored = yield* insertCdrs(sql, inserts, now)
      return { result: undefined, facts: stored.map((cdr) => issuedFact(cdr, "platform", now)) }
    })
    yield* journaled(write)
  })

const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const cdr = isUuid(id)
      ? yield* cdrRow(own`SELECT ${cdrColumns(sql)} FROM cdr d WHERE ${own.rowsOf("d")} AND d.id = ${id}`)
      : undefined
    return cdr ?? (yield* new NotFound({ kind: "cdr", id }))
  })

const credit = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Cdrs.credit")(function* (id: string, { by, now }: AuditContext) {
    const own = scopedTo(sql, by.organisationId)
    const write = Effect.gen(function* () {
      const cdr = yield* find(sql, own, id)
      const record = { ...cdr, id: secrets.uuid(now), credits: id, body: creditOf(cdr) }
      const [stored] = cdr.creditReferenceId === undefined ? yield* insertCdrs(sql, [record], now) : []
      if (stored === undefined) return yield* creditRefusal(cdr)
      return { result: stored, facts: [issuedFact(stored, by.actor, now)] }
    })
    return yield* journaled(write)
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Cdrs.list")(function* (organisationId: string, request: PageRequest & CdrFilter) {
    const own = scopedTo(sql, organisationId)
    const asked = yield* pageAfter(sql, request)
    const { chargerId, from, issuedFrom, issuedTo, numberFrom, numberTo, partnerId, sessionId, siteId, to, tokenUid } =
      request
    const foreign = [siteId, sessionId, partnerId].some((id) => id !== undefined && !isUuid(id))
    const unknown = tokenUid !== undefined && unstorableText(tokenUid)
    if (foreign || unknown || (chargerId !== undefined && !isChargerId(chargerId)))
      return { items: [], nextCursor: null }
    return yield* guarded(
      asked.pages.read(sql, request, {
        statement: own`
        SELECT ${cdrColumns(sql)} FROM cdr d
        WHERE ${own.rowsOf("d")}
          ${chargerId === undefined ? sql`` : sql`AND d.charger_id = ${chargerId}`}
          ${siteId === undefined ? sql`` : sql`AND d.site_id = ${siteId}`}
          ${sessionId === undefined ? sql`` : sql`AND d.session_id = ${sessionId}`}
          ${tokenUid === undefined ? sql`` : sql`AND d.token_key = ${tokenKey(tokenUid)}`}
          ${partnerId === undefined ? sql`` : sql`AND d.partner_id = ${partnerId}`}
          ${from === undefined ? sql`` : sql`AND d.started_at >= ${new Date(from)}`}
          ${to === undefined ? sql`` : sql`AND d.started_at < ${new Date(to)}`}
          ${issuedFrom === undefined ? sql`` : sql`AND d.issued_at >= ${new Date(issuedFrom)}`}
          ${issuedTo === undefined ? sql`` : sql`AND d.issued_at < ${new Date(issuedTo)}`}
          ${numberFrom === undefined ? sql`` : sql`AND d.number >= ${numberFrom}::float8::bigint`}
          ${numberTo === undefined ? sql`` : sql`AND d.number <= ${numberTo}::float8::bigint`}
          ${asked.which}`,
        rows: cdrRows,
        item: (cdr) => cdr
      })
    )
  })

export const layer: Layer.Layer<Cdrs, never, RecordingServices> = Layer.effect(
  Cdrs,
  Effect.map(recording, (records) => {
    const { sql } = records
    return Cdrs.of({
      issue: issue(records),
      get: Effect.fn("Cdrs.get")((organisationId, id) => guarded(find(sql, scopedTo(sql, organisationId), id))),
      list: list(sql),
      credit: credit(records)
    })
  })
)
