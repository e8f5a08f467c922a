/** The REST face over the real storage, on both databases: what a fake could promise by mistake. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { keyLookup } from "../../src/domain/operator/Keys.ts"
import { permissions } from "../../src/domain/operator/Permission.ts"
import { Access } from "../../src/domain/ports/Access.ts"
import { Secrets } from "../../src/domain/ports/Secrets.ts"
import type { Commands } from "../../src/domain/ports/Commands.ts"
import * as CommandsStorage from "../../src/storage/Commands.ts"
import type { Database } from "../../src/storage/Database.ts"
import { forEachDriver } from "../support/databases.ts"
import { beside } from "../support/fakePorts.ts"
import { FakeWorld } from "../support/fakeRecords.ts"
import { aSession } from "../support/reported.ts"
import { repositories, type Repositories, type TestOrganisation } from "../support/repositories.ts"
import { makeOrganisation, restApp, type TestCredentials } from "../support/restApp.ts"
import { foreignIds, foreignIdsRefused, leaks } from "../support/tenantSuite.ts"

const operators = permissions.filter((permission) => permission !== "platform:admin")

/** The organisation behind credentials, as the fixtures of storage want it. */
const organisationOf = (given: TestCredentials) =>
  Effect.gen(function* () {
    const access = yield* Access
    const lookup = keyLookup(yield* Secrets, given.key)
    const found = yield* access.findKey(lookup?.publicId ?? "")
    if (found === undefined) return yield* Effect.die("a key just made was not found")
    const { principal } = found
    const organisation: TestOrganisation = {
      id: given.organisationId,
      operatorId: principal.operatorId ?? "",
      publicId: lookup?.publicId ?? "",
      clientId: given.clientId,
      principal,
      writing: (now = 0) => ({ by: principal, now })
    }
    return organisation
  })

/** The face over this suite's database; what has no database stays in memory. */
const rest = Effect.gen(function* () {
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const ports = Layer.merge(Layer.succeedContext(context), beside(new FakeWorld()))
  return yield* Effect.acquireRelease(
    Effect.sync(() => restApp(ports)),
    (app) => Effect.promise(() => app.close())
  )
})

const twoOrganisations = Effect.gen(function* () {
  const { ask } = yield* rest
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const owner = yield* makeOrganisation()
  const stranger = yield* makeOrganisation(operators)
  const organisation = yield* organisationOf(owner)
  const makeSession = (charger: { readonly chargerId: string; readonly siteId: string }): Promise<string> =>
    Effect.runPromiseWith(context)(aSession(organisation, charger))
  return { ask, owner, stranger, makeSession }
})

const ports = CommandsStorage.layer({
  maxWaiting: 10,
  chargersPerMinute: 10,
  tls: true,
  clientCertificates: true
}).pipe(Layer.provideMerge(repositories))

forEachDriver("REST over storage", ports, (it) => {
  it.effect("shows and changes nothing of another organisation on any route", () =>
    Effect.gen(function* () {
      const world = yield* twoOrganisations
      assert.deepStrictEqual(yield* Effect.promise(() => leaks(world)), [])
    })
  )

  it.effect("takes no id of another organisation inside a request", () =>
    Effect.gen(function* () {
      const world = yield* twoOrganisations
      assert.deepStrictEqual(yield* Effect.promise(() => foreignIds(world)), foreignIdsRefused)
    })
  )

  it.effect("answers a repeated POST with what it answered first, and stores no secret in clear", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest

      const sql = yield* SqlClient.SqlClient
      const { key } = yield* makeOrganisation()
      const asked = { key, body: { name: "For the fleet" }, headers: { "idempotency-key": "once" } }
      const first = yield* Effect.promise(() => ask("POST", "/cpo/v2/api-keys", asked))
      const second = yield* Effect.promise(() => ask("POST", "/cpo/v2/api-keys", asked))
      const made: string = first.json.key

      assert.deepStrictEqual([first.status, second.status], [201, 201])
      assert.strictEqual(second.text, first.text)
      const kept = yield* sql<{ body: string }>`SELECT body FROM idempotency WHERE idempotency_key = 'once'`
      assert.strictEqual(kept.length, 1)
      const stored = yield* sql<{ row: string }>`
          SELECT to_jsonb(i)::text AS row FROM idempotency i UNION ALL SELECT to_jsonb(k)::text FROM api_key k
          UNION ALL SELECT to_jsonb(j)::text FROM journal j`
      assert.deepStrictEqual(
        stored.filter(({ row }) => row.includes(made) || row.includes(made.split("_")[2] ?? "")),
        []
      )

      const other = { ...asked, body: { name: "Other" } }
      const reused = yield* Effect.promise(() => ask("POST", "/cpo/v2/api-keys", other))
      assert.deepStrictEqual([reused.status, reused.json.code], [409, "idempotency_key_reused"])
    })
  )

  it.effect("follows its own links from page to page until every site was there once", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest

      const { key } = yield* makeOrganisation()
      for (let n = 0; n < 5; n++)
        yield* Effect.promise(() => ask("POST", "/cpo/v2/sites", { key, body: { name: `Site ${n}` } }))
      const names: Array<string> = []
      let path: string | undefined = "/cpo/v2/sites?limit=2"
      for (let pages = 0; path !== undefined && pages < 10; pages++) {
        const asked: string = path
        const page = yield* Effect.promise(() => ask("GET", asked, { key }))
        assert.strictEqual(page.status, 200)
        names.push(...page.json.items.map((site: { readonly name: string }) => site.name))
        path = /^<https:\/\/cpo\.example([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1]
      }
      assert.deepStrictEqual(names, ["Site 0", "Site 1", "Site 2", "Site 3", "Site 4"])
    })
  )

  it.effect("refuses a cursor of another list, or of nobody, as input that does not fit", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest

      const { key } = yield* makeOrganisation()
      const refused = yield* Effect.promise(() => ask("GET", "/cpo/v2/sites?cursor=nonsense", { key }))
      assert.deepStrictEqual([refused.status, refused.json.code], [400, "invalid_input"])
      assert.strictEqual(refused.json.errors[0].pointer, "/cursor")
    })
  )

  it.effect("refuses the next call of a key whose operator lost the permission", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest

      const sql = yield* SqlClient.SqlClient
      const given = yield* makeOrganisation()
      const before = yield* Effect.promise(() => ask("GET", "/cpo/v2/sites", { key: given.key }))
      yield* sql`UPDATE operator SET permissions = ARRAY['chargers:read'] WHERE organisation_id = ${given.organisationId}`
      const after = yield* Effect.promise(() => ask("GET", "/cpo/v2/sites", { key: given.key }))
      assert.deepStrictEqual([before.status, after.status, after.json.requiredPermissions], [200, 403, ["sites:read"]])
    })
  )
})
