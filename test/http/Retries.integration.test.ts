/** A POST with an `Idempotency-Key` whose process dies before the answer is stored: the retry does the work, or answers it if it was done. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Commands } from "../../src/domain/command/Commands.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { forEachDriver } from "../support/databases.ts"
import { beside } from "../support/fakePorts.ts"
import { FakeWorld } from "../support/fakeRecords.ts"
import { repositories, type Repositories } from "../support/repositories.ts"
import { type Json, makeOrganisation, restApp } from "../support/restApp.ts"

const limits = { nodeId: "node-1", maxWaiting: 10, chargersPerMinute: 10, tls: true, clientCertificates: true }
const ports = CommandsStorage.layer(limits).pipe(Layer.provideMerge(repositories))

const rest = Effect.gen(function* () {
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const app = Layer.merge(Layer.succeedContext(context), beside(new FakeWorld()))
  return yield* Effect.acquireRelease(
    Effect.sync(() => restApp(app)),
    ({ close }) => Effect.promise(() => close())
  )
})

interface Case {
  readonly path: string
  readonly body: Json
  /** The table in which the created object is counted. */
  readonly table: string
  /** The work takes more than one transaction: it is kept although its answer could not be stored. */
  readonly staged?: boolean
  /** A part of the answer that is shown once and never stored. */
  readonly secret?: string
}

const tariff = { currency: "EUR", elements: [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }] }
const commands = "chargers/RETRIED/commands"
const waits = { expiresIn: 3600 }

const cases: ReadonlyArray<Case> = [
  { path: "sites", body: { name: "Harbour" }, table: "site" },
  { path: "tariffs", body: tariff, table: "tariff" },
  { path: "tokens", body: { uid: "CARD-1" }, table: "token" },
  {
    path: "chargers",
    body: { name: "Q", chargerId: "Q-1", generatePassword: true },
    table: "charger",
    secret: "password"
  },
  { path: "api-keys", body: { name: "For a script" }, table: "api_key", secret: "key" },
  {
    path: "partners",
    body: { name: "A partner", countryCode: "DE", partyId: "EMP", roles: ["EMSP"] },
    table: "partner",
    secret: "credentialsToken"
  },
  {
    path: "parties",
    body: { countryCode: "NL", partyId: "RTR", businessDetails: { name: "Retried" } },
    table: "party"
  },
  { path: commands, body: { type: "Reset", resetType: "Soft", ...waits }, table: "command", staged: true },
  { path: `${commands}?wait=1`, body: { type: "ClearCache", ...waits }, table: "command", staged: true },
  { path: commands, body: { type: "GetDiagnostics", ...waits }, table: "command", staged: true },
  {
    path: commands,
    body: { type: "ChangeConfiguration", key: "AuthorizationKey", ...waits },
    table: "command",
    staged: true,
    secret: "password"
  }
]

/** Every attempt to store an answer fails with this error, as if the process ended there. */
const dying = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE FUNCTION dies() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the process ends here' USING ERRCODE = '57P01'; END $$`)
  yield* sql.unsafe(`CREATE TRIGGER dies BEFORE UPDATE OF status ON idempotency FOR EACH ROW EXECUTE FUNCTION dies()`)
})
const living = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("DROP FUNCTION dies CASCADE"))

forEachDriver("A retried POST", ports, (it) => {
  it.effect("does its work once and answers it, although the process died before the answer was stored", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest
      const sql = yield* SqlClient.SqlClient
      const { key, organisationId } = yield* makeOrganisation()
      const post = (path: string, body: Json, idempotencyKey: string) =>
        Effect.promise(() =>
          ask("POST", `/cpo/v2/${path}`, { key, body, headers: { "idempotency-key": idempotencyKey } })
        )
      yield* post("sites", { name: "First" }, "site")
      yield* post("chargers", { name: "R", chargerId: "RETRIED" }, "charger")
      for (const [n, { body, path, secret, staged = false, table }] of cases.entries()) {
        const about = `${path} ${JSON.stringify(body)}`
        const count = Effect.map(
          sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(table)} WHERE organisation_id = ${organisationId}`,
          (rows) => rows[0]!.n
        )
        const before = yield* count
        yield* dying
        const first = yield* post(path, body, `case ${n}`)
        yield* living
        assert.strictEqual(first.status >= 500, !staged, `${about}: ${first.text}`)
        const second = yield* post(path, body, `case ${n}`)
        assert.isBelow(second.status, 300, `${about}: ${second.text}`)
        if (staged) assert.strictEqual(second.json.id, first.json.id, about)
        if (staged && secret !== undefined) assert.strictEqual(second.json[secret], first.json[secret], about)
        if (secret !== undefined) assert.isAbove(String(second.json[secret]).length, 15, about)
        const third = yield* post(path, body, `case ${n}`)
        assert.deepStrictEqual([third.status, third.text], [second.status, second.text], about)
        assert.strictEqual((yield* count) - before, 1, about)
      }
    })
  )
})
