/**
 * The port `SubscriberLookup` over SQL. It works for all organisations at once, by the ids in facts; the caller decides what each
 * subscriber gets.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SubscriberLookup } from "../../domain/event/SubscriberLookup.ts"
import { int8Array, textArray, uuidArray } from "../kernel/Arrays.ts"
import { addresseeRows, partnerColumns, partnerOf, partnerRows } from "../roaming/PartnerRows.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const chargerRows = rowsOf(
  Schema.Struct({
    chargerId: Schema.String,
    organisationId: Schema.String,
    siteId: Schema.String,
    evses: Schema.Array(Schema.Struct({ evseId: Schema.Int, uid: Schema.String }))
  })
)

const ownedRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    organisationId: Schema.String,
    partnerId: Schema.String,
    sessionId: Schema.String
  })
)

const markRows = rowsOf(Schema.Struct({ siteId: Schema.String, mark: Schema.String }))

const marksOf = (rows: ReadonlyArray<{ readonly siteId: string; readonly mark: string }>) =>
  new Map(rows.map(({ mark, siteId }) => [siteId, mark]))

const ids = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

/** Marks of sites whose changes are not yet included in the stored locations. */
const marks = (sql: SqlClient.SqlClient) => ({
  newestMarks: Effect.fn("SubscriberLookup.newestMarks")((organisationId: string, siteIds: ReadonlyArray<string>) =>
    Effect.map(
      guarded(
        markRows(sql`
          SELECT m.site_id AS "siteId", max(m.id)::text AS mark FROM location_stale m
          WHERE m.organisation_id = ${organisationId} AND m.site_id = ANY (${uuidArray(siteIds)}) GROUP BY m.site_id`)
      ),
      marksOf
    )
  ),
  stillMarked: Effect.fn("SubscriberLookup.stillMarked")((organisationId: string, known: ReadonlyMap<string, string>) =>
    Effect.map(
      guarded(
        markRows(sql`
          SELECT x.site_id AS "siteId", x.mark::text AS mark
          FROM unnest(${uuidArray([...known.keys()])}, ${int8Array([...known.values()].map(BigInt))}) AS x(site_id, mark)
          WHERE EXISTS (SELECT 1 FROM location_stale m
            WHERE m.organisation_id = ${organisationId} AND m.site_id = x.site_id AND m.id <= x.mark)`)
      ),
      marksOf
    )
  )
})

/** What a partner has, based on what was sent to it. */
const given = (sql: SqlClient.SqlClient): Pick<SubscriberLookup["Service"], "wasSent" | "stillNames"> => ({
  wasSent: Effect.fn("SubscriberLookup.wasSent")((partnerId, { id, kind }) =>
    Effect.map(
      guarded(sql`
        SELECT 1 FROM subscription_object o
        WHERE o.subscription_id = ${partnerId} AND o.kind = ${kind} AND o.object_id = ${id} AND o.hash IS NOT NULL`),
      (rows) => rows.length > 0
    )
  ),
  // An object that is due and was tried may have been accepted. For objects that an older release sent, the tariffs that they name are
  // unknown.
  stillNames: Effect.fn("SubscriberLookup.stillNames")((partnerId, tariffId) =>
    Effect.map(
      guarded(sql`
        SELECT 1 FROM subscription_object o
        WHERE o.subscription_id = ${partnerId} AND o.kind = 'location' AND (
          o.named @> to_jsonb(${tariffId}::text)
          OR (o.next_at IS NOT NULL AND (o.tries > 0 OR o.claimed_until IS NOT NULL))
          OR (o.named IS NULL AND o.hash IS NOT NULL AND (o.next_at IS NOT NULL OR o.parked_at IS NOT NULL)))
        LIMIT 1`),
      (rows) => rows.length > 0
    )
  )
})

export const layer: Layer.Layer<SubscriberLookup, never, SqlClient.SqlClient> = Layer.effect(
  SubscriberLookup,
  Effect.map(SqlClient.SqlClient, (sql) =>
    SubscriberLookup.of({
      partners: Effect.fn("SubscriberLookup.partners")((wanted) =>
        Effect.map(
          guarded(
            partnerRows(sql`SELECT ${partnerColumns(sql)} FROM partner p WHERE p.id = ANY (${uuidArray(wanted)})`)
          ),
          (rows) => rows.map(partnerOf)
        )
      ),
      addressees: Effect.fn("SubscriberLookup.addressees")((wanted) =>
        Effect.map(
          guarded(
            addresseeRows(
              sql`SELECT ${partnerColumns(sql)}, p.their_token AS "sealedToken" FROM partner p WHERE p.id = ANY (${uuidArray(wanted)})`
            )
          ),
          (rows) => rows.map(({ sealedToken, ...row }) => ({ partner: partnerOf(row), sealedToken }))
        )
      ),
      chargers: Effect.fn("SubscriberLookup.chargers")((wanted) =>
        guarded(
          chargerRows(sql`
            SELECT c.charger_id AS "chargerId", c.organisation_id AS "organisationId", c.site_id AS "siteId", coalesce((
              SELECT json_agg(json_build_object('evseId', e.evse_id, 'uid', e.uid)) FROM evse e
              WHERE e.organisation_id = c.organisation_id AND e.charger_id = c.charger_id AND e.site_id = c.site_id), '[]') AS evses
            FROM charger c WHERE c.charger_id = ANY (${textArray(wanted)})`)
        )
      ),
      sites: Effect.fn("SubscriberLookup.sites")((organisationId) =>
        Effect.map(
          guarded(sql<{ id: string }>`
            SELECT s.id FROM site s WHERE s.organisation_id = ${organisationId}
            UNION SELECT l.id FROM location l WHERE l.organisation_id = ${organisationId} ORDER BY id`),
          ids
        )
      ),
      ...marks(sql),
      tariffs: Effect.fn("SubscriberLookup.tariffs")((organisationId) =>
        Effect.map(
          guarded(
            sql<{ id: string }>`SELECT t.id FROM tariff t WHERE t.organisation_id = ${organisationId} ORDER BY t.id`
          ),
          ids
        )
      ),
      sessions: Effect.fn("SubscriberLookup.sessions")((wanted) =>
        guarded(
          ownedRows(sql`
            SELECT s.id, s.organisation_id AS "organisationId", s.partner_id AS "partnerId", s.id AS "sessionId"
            FROM session s WHERE s.id = ANY (${uuidArray(wanted)}) AND s.partner_id IS NOT NULL`)
        )
      ),
      cdrs: Effect.fn("SubscriberLookup.cdrs")((wanted) =>
        guarded(
          ownedRows(sql`
            SELECT d.id, d.organisation_id AS "organisationId", d.partner_id AS "partnerId", d.session_id AS "sessionId"
            FROM cdr d WHERE d.id = ANY (${uuidArray(wanted)}) AND d.partner_id IS NOT NULL`)
        )
      ),
      ...given(sql)
    })
  )
)
