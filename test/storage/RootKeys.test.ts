/** The secret key of a database: fixed by the first start, and changed without making what was stored with it invalid. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { sealPurposes } from "../../src/domain/values/SealPurpose.ts"
import { rotateKey, sealedColumns } from "../../src/storage/operators/KeyRotation.ts"
import * as RootKeys from "../../src/storage/operators/RootKeys.ts"
import { forEachDatabase } from "../support/databases.ts"

const key = (name: string) => Redacted.make(`the ${name} key of this database, 0123456789`)

const startWith = (secretKey: Redacted.Redacted) =>
  Effect.gen(function* () {
    return yield* Secrets
  }).pipe(Effect.provide(Layer.fresh(RootKeys.layer(secretKey))))

/** More than are encrypted anew by one statement. */
const answers = 1_203

forEachDatabase("the secret key", (it) => {
  it.effect("is fixed by the first start: a start with another key is refused", () =>
    Effect.gen(function* () {
      yield* startWith(key("first"))
      const wrong = yield* Effect.flip(startWith(key("second")))
      assert.strictEqual(wrong._tag, "WrongSecretKey")
      assert.notInclude(wrong.message, "0123456789")
      yield* startWith(key("first"))
    })
  )

  it.effect("knows every encrypted column of the schema", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = yield* sql<{ table: string; column: string; kind: string }>`
        SELECT a.attrelid::regclass::text AS table, a.attname AS column, c.relkind AS kind
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE a.atttypid IN ('sealed'::regtype, 'sealed_document'::regtype) AND NOT a.attisdropped AND c.relkind IN ('r', 'p') ORDER BY 1, 2`
      assert.deepStrictEqual(
        columns.map(({ column, kind, table }) => ({ table, column, kind })),
        // The place of a row is unique only in a table without partitions.
        sealedColumns.map(({ column, table }) => ({ table, column, kind: "r" }))
      )
    })
  )

  it.effect("is changed with all that is encrypted, and hashes stay valid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* startWith(key("first"))
      const verifier = before.verifier("api-key", "a key")
      const sealed = Array.from({ length: answers }, (_, n) =>
        before.seal(sealPurposes.idempotentAnswer, `answer ${n}`)
      )
      const foreign = before.seal(sealPurposes.totp, "of another purpose")
      yield* sql`
        INSERT INTO idempotency (key_id, idempotency_key, fingerprint, claimed_at, body)
        SELECT 'k', x.value, '', now(), x.value FROM jsonb_array_elements_text(${JSON.stringify([...sealed, foreign])}::text::jsonb) x`

      const done = yield* rotateKey(key("first"), key("second"), { isExclusive: true })
      assert.deepStrictEqual(done, { sealed: answers, unreadable: 1 })

      assert.strictEqual((yield* Effect.flip(startWith(key("first"))))._tag, "WrongSecretKey")
      const after = yield* startWith(key("second"))
      const rows = yield* sql<{ was: string; body: string }>`SELECT idempotency_key AS was, body FROM idempotency`
      const texts = rows.flatMap(({ body }) => after.open(sealPurposes.idempotentAnswer, body) ?? [])
      assert.deepStrictEqual(texts.toSorted(), Array.from({ length: answers }, (_, n) => `answer ${n}`).toSorted())
      assert.deepStrictEqual(
        rows.filter(({ body, was }) => body === was).map(({ was }) => was),
        [foreign]
      )
      // An attacker who has the old key and an old copy of the database cannot open what is stored from now on.
      assert.isUndefined(before.open(sealPurposes.totp, after.seal(sealPurposes.totp, "new")))
      assert.isTrue(after.verify("api-key", "a key", verifier))
      assert.deepStrictEqual(after.transactionIdKeys, before.transactionIdKeys)
    })
  )

  it.effect("is not changed while a process uses the database, nor with a wrong key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ value: Uint8Array }>`SELECT value FROM service WHERE name = 'root-keys'`
      yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES ('node-7', now(), now() + interval '15 s')`
      const inUse = yield* Effect.flip(rotateKey(key("second"), key("third"), { isExclusive: false }))
      assert.deepInclude(inUse, { _tag: "DatabaseInUse", nodeIds: ["node-7"] })
      yield* sql`UPDATE node SET lease_until = now() - interval '1 s'`
      const wrong = yield* Effect.flip(rotateKey(key("other"), key("third"), { isExclusive: false }))
      assert.strictEqual(wrong._tag, "WrongSecretKey")
      const [same] = yield* sql<{ value: Uint8Array }>`SELECT value FROM service WHERE name = 'root-keys'`
      assert.deepStrictEqual(same, row)
    })
  )
})
