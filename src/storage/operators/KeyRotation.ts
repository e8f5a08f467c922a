/**
 * Changes the secret key of a database that no process uses: everything encrypted is encrypted anew under another random key, and the root keys are
 * stored under the new secret key, all in one transaction. Hashes (of keys, passwords, cookies) stay valid, since what they were made of is not known.
 */
import { Data, Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type SealPurpose, sealPurposes } from "../../domain/values/SealPurpose.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"
import { rootKeys, storeKeys, withNewSealing } from "./RootKeys.ts"
import { make } from "./Secrets.ts"

/** A column of the SQL type `sealed`, or of the type `sealed_document`, which has encrypted texts inside. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly purpose: SealPurpose
  readonly isDocument?: true
}

/** Every encrypted column. A test compares this with the schema. */
export const sealedColumns: ReadonlyArray<SealedColumn> = [
  { table: "charger_configuration", column: "keys", purpose: sealPurposes.configuration, isDocument: true },
  { table: "command", column: "sealed", purpose: sealPurposes.command },
  { table: "idempotency", column: "body", purpose: sealPurposes.idempotentAnswer },
  { table: "idempotency", column: "reached", purpose: sealPurposes.idempotentAnswer },
  { table: "operator", column: "totp_pending", purpose: sealPurposes.totp },
  { table: "operator", column: "totp_secret", purpose: sealPurposes.totp },
  { table: "organisation_document", column: "body", purpose: sealPurposes.configuration, isDocument: true },
  { table: "partner", column: "their_token", purpose: sealPurposes.partnerToken },
  { table: "partner_command", column: "response_url", purpose: sealPurposes.responseUrl },
  { table: "rollout", column: "sealed", purpose: sealPurposes.rollout },
  { table: "single_sign_on", column: "client_secret", purpose: sealPurposes.singleSignOnSecret },
  { table: "webhook", column: "previous_secret", purpose: sealPurposes.webhookSecret },
  { table: "webhook", column: "secret", purpose: sealPurposes.webhookSecret }
]

/** A process uses the database. */
export class DatabaseInUse extends Data.TaggedError("DatabaseInUse")<{ readonly nodeIds: ReadonlyArray<string> }> {}

/** What was done to the encrypted values. */
export interface Rotated {
  readonly sealed: number
  /** Values that the old key did not open. They are kept as they are. */
  readonly unreadable: number
}

/** Values that are encrypted anew by one statement, as many as `FETCH` reads. */
const rowsAtOnce = 500

type Reseal = (sealed: string) => string | undefined

const Document = Schema.fromJsonString(Schema.Unknown)
const parse = Schema.decodeUnknownSync(Document)
const print = Schema.encodeSync(Document)

/** The same document with its encrypted texts encrypted anew; undefined if one of them cannot be. */
const resealed = (document: string, reseal: Reseal): string | undefined => {
  let isWhole = true
  const walked = (value: unknown, name?: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walked(item))
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walked(item, key)]))
    }
    if (name !== "sealed" || typeof value !== "string") return value
    const again = reseal(value)
    isWhole &&= again !== undefined
    return again
  }
  const text = print(walked(parse(document)))
  return isWhole ? text : undefined
}

/**
 * One column. The cursor sees the rows as they were when it was opened, so that changed rows, which move to the table's end, are not read again.
 */
const resealColumn = Effect.fnUntraced(function* ({ column, isDocument, table }: SealedColumn, reseal: Reseal) {
  const sql = yield* SqlClient.SqlClient
  const [from, of] = [sql(table), sql(column)]
  let [sealed, unreadable] = [0, 0]
  yield* sql`DECLARE sealed_values NO SCROLL CURSOR FOR SELECT ctid::text AS place, ${of}::text AS value FROM ${from}
    WHERE ${isDocument === true ? sql`${of}::text LIKE ${'%"sealed"%'}` : sql`${of} IS NOT NULL`}`
  for (;;) {
    const rows = yield* sql<{
      place: string
      value: string
    }>`FETCH 500 FROM sealed_values`
    const renewed = rows.flatMap(({ place, value }) => {
      const again = isDocument === true ? resealed(value, reseal) : reseal(value)
      return again === undefined ? [] : [{ place, value: again }]
    })
    sealed += renewed.length
    unreadable += rows.length - renewed.length
    yield* sql`
      UPDATE ${from} AS t SET ${of} = v.value${isDocument === true ? sql`::jsonb` : sql``}
      FROM (SELECT x->>'place' AS place, x->>'value' AS value FROM jsonb_array_elements(${JSON.stringify(renewed)}::text::jsonb) x) v
      WHERE t.ctid = v.place::tid`
    if (rows.length < rowsAtOnce) break
  }
  yield* sql`CLOSE sealed_values`
  return { sealed, unreadable }
})

/**
 * `isExclusive`: nothing else can have the database open, as with the embedded one. Otherwise it fails while the lease of a process is valid, which it
 * is for some seconds after a process was killed.
 */
export const rotateKey = (from: Redacted.Redacted, to: Redacted.Redacted, options: { readonly isExclusive: boolean }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rotation = Effect.gen(function* () {
      // A process that starts meanwhile waits here with its own row.
      yield* sql`LOCK TABLE node IN EXCLUSIVE MODE`
      const live = yield* sql<{ nodeId: string }>`SELECT node_id AS "nodeId" FROM node WHERE lease_until > now()`
      if (!options.isExclusive && live.length > 0)
        return yield* new DatabaseInUse({ nodeIds: live.map(({ nodeId }) => nodeId) })
      const keys = yield* rootKeys(from)
      const renewed = withNewSealing(keys)
      const [old, next] = [make(keys), make(renewed)]
      let [sealed, unreadable] = [0, 0]
      for (const one of sealedColumns) {
        const done = yield* resealColumn(one, (value) => {
          const text = old.open(one.purpose, value)
          return text === undefined ? undefined : next.seal(one.purpose, text)
        })
        sealed += done.sealed
        unreadable += done.unreadable
      }
      yield* storeKeys(renewed, to)
      return { sealed, unreadable } satisfies Rotated
    })
    return yield* guardedWrite(sql.withTransaction(rotation))
  })
