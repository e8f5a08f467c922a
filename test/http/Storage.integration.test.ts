/** The REST interface over the real storage, on both databases: checks that fakes could pass by mistake. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unguarded } from "../../src/http/v2/requests/ConditionalLive.ts"
import { keyLookup } from "../../src/domain/operator/Keys.ts"
import { permissions } from "../../src/domain/operator/Permission.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import type { Commands } from "../../src/domain/command/Commands.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { record } from "../contracts/CdrsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { beside } from "../support/fakePorts.ts"
import { FakeWorld } from "../support/fakeRecords.ts"
import { aSession } from "../support/reported.ts"
import { repositories, type Repositories, type TestOrganisation } from "../support/repositories.ts"
import { makeOrganisation, restApp, type TestCredentials } from "../support/restApp.ts"
import { foreignIds, foreignIdsRefused, leaks } from "../support/tenantSuite.ts"
import { makeOwned, requestsOf } from "../support/tenantWalk.ts"

const operators = permissions.filter((permission) => permission !== "platform:admin")

/** The organisation that owns the credentials, in the form that the storage fixtures need. */
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

/** The REST interface over this suite's database; everything that needs no database stays in memory. */
const rest = Effect.gen(function* () {
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const ports = Layer.merge(Layer.succeedContext(context), beside(new FakeWorld()))
  return yield* Effect.acquireRelease(
    Effect.sync(() => restApp(ports)),
    (app) => Effect.promise(() => app.close())
  )
})

const rank = (method: string, path: string): number => (method !== "DELETE" ? 0 : path.includes("/sites/") ? 2 : 1)

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
  nodeId: "node-1",
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

  it.effect("refuses ids of another organisation inside a request", () =>
    Effect.gen(function* () {
      const world = yield* twoOrganisations
      assert.deepStrictEqual(yield* Effect.promise(() => foreignIds(world)), foreignIdsRefused)
    })
  )

  it.effect("answers a repeated POST with its first answer and stores no secret in plain text", () =>
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

  it.effect("accepts one of several concurrent writes with the same ETag, for every kind of object", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest
      const { key } = yield* makeOrganisation()
      const made = (path: string, body: object) => Effect.promise(() => ask("POST", `/cpo/v2/${path}`, { key, body }))
      const site = yield* made("sites", { name: "Site" })
      const chargerId = `RACE-${site.json.groupId}`
      yield* made("chargers", { name: "Charger", chargerId })
      yield* made("tokens", { uid: "RACE" })
      const elements = [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }]
      const tariff = yield* made("tariffs", { currency: "EUR", elements })
      const hook = yield* made("webhooks", { url: "https://hooks.example/race" })
      const partner = yield* made("partners", { name: "P", countryCode: "DE", partyId: "RAC", roles: ["EMSP"] })
      // Quirks and templates are replaced as a whole.
      const cases: ReadonlyArray<readonly [method: string, path: string, body: (n: number) => object]> = [
        ["PATCH", `sites/${site.json.id}`, (n) => ({ city: `City ${n}` })],
        ["PATCH", `chargers/${chargerId}`, (n) => ({ name: `Name ${n}` })],
        ["PATCH", "tokens/RACE", (n) => ({ note: `Note ${n}` })],
        ["PATCH", `tariffs/${tariff.json.id}`, (n) => ({ tariffAltUrl: `https://cpo.example/${n}` })],
        ["PATCH", `webhooks/${hook.json.id}`, (n) => ({ url: `https://hooks.example/${n}` })],
        ["PATCH", `partners/${partner.json.id}`, (n) => ({ name: `Partner ${n}` })],
        ["PATCH", "organisation", (n) => ({ name: `Organisation ${n}` })],
        ["PUT", "configuration-template", (n) => ({ keys: [{ key: "HeartbeatInterval", value: String(n + 1) }] })],
        ["PUT", "quirks", (n) => ({ rules: [{ name: `n${n}`, vendor: "V", tolerances: { callTimeoutSeconds: 90 } }] })]
      ]
      for (const [method, path, body] of cases) {
        const before = yield* Effect.promise(() => ask("GET", `/cpo/v2/${path}`, { key }))
        const headers = { "if-match": before.headers.get("etag") ?? "none" }
        const answers = yield* Effect.promise(() =>
          Promise.all([0, 1, 2, 3].map((n) => ask(method, `/cpo/v2/${path}`, { key, body: body(n), headers })))
        )
        const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
        assert.deepStrictEqual([path, ...statuses], [path, 200, 412, 412, 412])
        const after = yield* Effect.promise(() => ask("GET", `/cpo/v2/${path}`, { key }))
        assert.notStrictEqual(after.headers.get("etag"), headers["if-match"])
      }
      // The same for a concurrent DELETE and PATCH.
      const path = `/cpo/v2/tokens/RACE`
      const { headers } = yield* Effect.promise(() => ask("GET", path, { key }))
      const asked = { key, headers: { "if-match": headers.get("etag") ?? "" } }
      const [gone, changed] = yield* Effect.promise(() =>
        Promise.all([ask("DELETE", path, asked), ask("PATCH", path, { ...asked, body: { note: "late" } })])
      )
      assert.include(["204,404", "204,412", "412,200"], `${gone.status},${changed.status}`)
    })
  )

  it.effect("checks If-Match inside the transaction that writes the change, for every change", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Repositories | Commands | Database>()
      const { ask, logged } = yield* rest
      const owner = yield* makeOrganisation()
      const organisation = yield* organisationOf(owner)
      const owned = yield* Effect.promise(() =>
        makeOwned(ask, owner, (charger) => Effect.runPromiseWith(context)(aSession(organisation, charger)))
      )
      const { json: document } = yield* Effect.promise(() => ask("GET", "/cpo/swagger.json"))
      const changes = requestsOf(document, owned)
        .filter(({ operation }) => /^(?:PUT|PATCH|DELETE)$/.test(operation.method))
        // Deletions come last, because a deleted object can no longer be changed, and a site can only be deleted after its charger.
        .toSorted((a, b) => rank(a.operation.method, a.path) - rank(b.operation.method, b.path))
      let done = 0
      for (const { asked, operation, path } of changes) {
        const before = yield* Effect.promise(() => ask("GET", path, { key: owner.key }))
        const etag = before.headers.get("etag")
        if (etag === null) continue
        const headers = { "if-match": etag }
        const { status, text } = yield* Effect.promise(() =>
          ask(operation.method, path, { ...asked, key: owner.key, headers })
        )
        if (status < 300) done++
        assert.notInclude([412, 500, 503], status, `${operation.operationId}: ${text}`)
        assert.deepStrictEqual(
          [operation.operationId, logged.filter((line) => line.includes(unguarded))],
          [operation.operationId, []]
        )
      }
      assert.isAbove(done, 10)
    })
  )

  it.effect("lists every site once when its own links are followed from page to page", () =>
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

  it.effect("applies every filter to lists and exports and finds nothing of other organisations", () =>
    Effect.gen(function* () {
      const world = yield* twoOrganisations
      const { ask, owner, stranger } = world
      const { chargerId, sessionId, siteId, uid } = yield* Effect.promise(() =>
        makeOwned(ask, owner, world.makeSession)
      )
      const issued = record({ id: owner.organisationId }, { chargerId, sessionId, siteId })
      yield* (yield* Cdrs).issue([issued], issued.endedAt)
      const when = "from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z"
      const where = `chargerId=${chargerId}&siteId=${siteId}`
      const fitting: ReadonlyArray<readonly [string, string]> = [
        [`sessions?${where}&tokenUid=cARD&${when}&status=ACTIVE&held=false`, sessionId],
        [`cdrs?${where}&tokenUid=cARD&${when}`, sessionId],
        [`exports/cdrs.csv?${where}&tokenUid=cARD&${when}`, sessionId],
        [`exports/cdrs.jsonl?${where}&tokenUid=cARD&${when}`, sessionId],
        [`chargers?connected=false&siteId=${siteId}&q=owners-own`, chargerId],
        [`tokens?status=Accepted&q=owners-own`, uid]
      ]
      const lists = ["sessions", "cdrs", "exports/cdrs.csv", "exports/cdrs.jsonl"]
      const unfitting: ReadonlyArray<readonly [string, string]> = [
        ...lists.flatMap((list) =>
          [
            "tokenUid=Other",
            "chargerId=OTHER",
            `siteId=${sessionId}`,
            "from=2100-01-01T00:00:00Z",
            "to=2000-01-01T00:00:00Z"
          ].map((filter) => [`${list}?${filter}`, sessionId] as const)
        ),
        ["sessions?status=COMPLETED", sessionId],
        ["chargers?connected=true", chargerId],
        ["chargers?status=Faulted", chargerId],
        ["chargers?model=M1", chargerId],
        ["chargers?firmwareVersion=1.0", chargerId],
        [`chargers?siteId=${sessionId}`, chargerId],
        ["chargers?q=nomatch", chargerId],
        ["tokens?status=Blocked", uid],
        ["tokens?q=nomatch", uid]
      ]
      const shows = (key: string) => (asked: readonly [string, string]) =>
        Effect.map(
          Effect.promise(() => ask("GET", `/cpo/v2/${asked[0]}`, { key })),
          (answer) => [asked[0], answer.status, answer.text.includes(asked[1])]
        )
      const wanted = (asked: typeof fitting, isThere: boolean) => asked.map(([path]) => [path, 200, isThere])
      assert.deepStrictEqual(yield* Effect.forEach(fitting, shows(owner.key)), wanted(fitting, true))
      assert.deepStrictEqual(yield* Effect.forEach(fitting, shows(stranger.key)), wanted(fitting, false))
      assert.deepStrictEqual(yield* Effect.forEach(unfitting, shows(owner.key)), wanted(unfitting, false))
    })
  )

  it.effect("refuses an invalid cursor with 400 and its pointer", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest

      const { key } = yield* makeOrganisation()
      const refused = yield* Effect.promise(() => ask("GET", "/cpo/v2/sites?cursor=nonsense", { key }))
      assert.deepStrictEqual([refused.status, refused.json.code], [400, "invalid_input"])
      assert.strictEqual(refused.json.errors[0].pointer, "/cursor")
    })
  )

  it.effect("refuses the next call of a key whose operator has lost the permission", () =>
    Effect.gen(function* () {
      const { ask } = yield* rest

      const sql = yield* SqlClient.SqlClient
      const given = yield* makeOrganisation()
      const before = yield* Effect.promise(() => ask("GET", "/cpo/v2/sites", { key: given.key }))
      yield* sql`UPDATE membership SET role = 'Viewer', removals = '{sites:read}' WHERE organisation_id = ${given.organisationId}`
      const after = yield* Effect.promise(() => ask("GET", "/cpo/v2/sites", { key: given.key }))
      assert.deepStrictEqual([before.status, after.status, after.json.requiredPermissions], [200, 403, ["sites:read"]])
    })
  )
})
