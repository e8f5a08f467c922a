/** The port `Expectations` over SQL: one document of each kind per organisation, replaced as a whole. */
import { Effect, Equal, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Quirk } from "../../domain/charger/Quirks.ts"
import { keptSecrets, shownTemplate, type TemplateKey } from "../../domain/charger/Template.ts"
import { InvalidInput } from "../../domain/Errors.ts"
import { Expectations } from "../../domain/charger/Expectations.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { openedEntry, sealedEntry, StoredTemplate } from "./SealedConfiguration.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

/** How many charger ids of a make are listed; the count includes all of them. */
const idsShown = 20

/** The most makes that are read: a fleet has a few models, each with a few firmware versions. */
const makesMost = 1000

const QuirksBody = Schema.Struct({ rules: Schema.Array(Quirk) })

const documentRow = <S extends Schema.Top & { readonly DecodingServices: never }>(body: S) =>
  rowOf(Schema.Struct({ body, updatedAt: Millis }))

const templateRow = documentRow(StoredTemplate)
const quirksRow = documentRow(QuirksBody)

type Kind = "configurationTemplate" | "quirks"

const document = (sql: SqlClient.SqlClient, organisationId: string, kind: Kind) => {
  const own = scopedTo(sql, organisationId)
  return own`
    SELECT d.body, d.updated_at AS "updatedAt" FROM organisation_document d WHERE ${own.rowsOf("d")} AND d.kind = ${kind}`
}

const put = (sql: SqlClient.SqlClient, kind: Kind, body: object, { by, now }: AuditContext) => {
  const own = scopedTo(sql, by.organisationId)
  return own`
    INSERT INTO organisation_document (organisation_id, kind, body, updated_at)
    VALUES (${own.id}, ${kind}, ${JSON.stringify(body)}::text::jsonb, ${new Date(now)})
    ON CONFLICT (organisation_id, kind) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`
}

const noTemplate = { keys: [], updatedAt: undefined }

const readTemplate = ({ secrets, sql }: Recording, organisationId: string) =>
  Effect.map(templateRow(document(sql, organisationId, "configurationTemplate")), (row) =>
    row === undefined
      ? noTemplate
      : { keys: row.body.keys.map((one) => openedEntry(secrets, one)), updatedAt: row.updatedAt }
  )

const readQuirks = (sql: SqlClient.SqlClient, organisationId: string) =>
  Effect.map(quirksRow(document(sql, organisationId, "quirks")), (row) => row?.body.rules ?? [])

const subjectOf = ({ by }: AuditContext): string => `organisation:${by.organisationId}`

const setTemplate = (records: Recording) =>
  Effect.fn("Expectations.setTemplate")(function* (given: ReadonlyArray<TemplateKey>, audit: AuditContext) {
    const { journaled, secrets, sql } = records
    yield* storable({ given })
    const write = Effect.gen(function* () {
      const before = yield* readTemplate(records, audit.by.organisationId)
      const keys = keptSecrets(given, before.keys)
      if (keys instanceof InvalidInput) return yield* keys
      if (before.updatedAt !== undefined && Equal.equals(before.keys, keys)) return { result: before, facts: [] }
      yield* put(sql, "configurationTemplate", { keys: keys.map((one) => sealedEntry(secrets, one)) }, audit)
      const fact = factOf("ConfigurationTemplateChanged", subjectOf(audit), secrets.uuid(audit.now), audit)
      const body = {
        by: audit.by.actor,
        before: { keys: shownTemplate(before.keys) },
        after: { keys: shownTemplate(keys, before.keys) }
      }
      return { result: { keys, updatedAt: audit.now }, facts: [{ ...fact, body }] }
    })
    return yield* journaled(refusingValues(write))
  })

const setQuirks = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Expectations.setQuirks")(function* (rules: ReadonlyArray<Quirk>, audit: AuditContext) {
    yield* storable({ rules })
    const write = Effect.gen(function* () {
      const before = yield* readQuirks(sql, audit.by.organisationId)
      if (Equal.equals(before, rules)) return { result: before, facts: [] }
      yield* put(sql, "quirks", { rules }, audit)
      const fact = factOf("QuirksChanged", subjectOf(audit), secrets.uuid(audit.now), audit)
      return {
        result: rules,
        facts: [{ ...fact, body: { by: audit.by.actor, before: { rules: before }, after: { rules } } }]
      }
    })
    return yield* journaled(refusingValues(write))
  })

const fleetRows = rowsOf(
  Schema.Struct({
    vendor: Schema.String,
    model: Schema.String,
    firmwareVersion: Schema.String,
    chargers: Schema.Int,
    chargerIds: Schema.Array(Schema.String)
  })
)

const fleets = (sql: SqlClient.SqlClient) =>
  Effect.fn("Expectations.fleets")(function* (organisationId: string) {
    const own = scopedTo(sql, organisationId)
    return yield* guarded(
      fleetRows(own`
        SELECT c.manufacturer AS vendor, c.model, c.firmware_version AS "firmwareVersion", count(*)::int AS chargers,
          (array_agg(c.charger_id ORDER BY c.charger_id))[1:${idsShown}::int] AS "chargerIds"
        FROM charger c WHERE ${own.rowsOf("c")} AND (c.manufacturer <> '' OR c.model <> '')
        GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT ${makesMost}`)
    )
  })

export const layer: Layer.Layer<Expectations, never, RecordingServices> = Layer.effect(
  Expectations,
  Effect.map(recording, (records) => {
    const { sql } = records
    return Expectations.of({
      template: (organisationId) => guarded(readTemplate(records, organisationId)),
      setTemplate: setTemplate(records),
      quirks: (organisationId) => guarded(readQuirks(sql, organisationId)),
      setQuirks: setQuirks(records),
      fleets: fleets(sql)
    })
  })
)
