/**
 * Every list of REST v2 with every filter in the API's description, requested over REST from a service with two years of data: how PostgreSQL plans
 * each statement, and how many rows it reads. A new list or filter is covered without a change here. Lists that may read more say why.
 */
import { assert, layer as suite } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { pastStatements } from "../../bench/age/fill.ts"
import { type Known, listCases, pagedPaths } from "../../bench/age/lists.ts"
import type { Commands } from "../../src/domain/command/Commands.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { drivers } from "../support/databases.ts"
import { beside } from "../support/fakePorts.ts"
import { FakeWorld } from "../support/fakeRecords.ts"
import { repositories, type Repositories } from "../support/repositories.ts"
import { makeOrganisation, restApp } from "../support/restApp.ts"
import type { SentStatement } from "../support/statements.ts"

const dayMillis = 86_400_000
const past = { sessions: 12_000, days: 720, chargers: 100, driven: 0, drivenCards: 0, readingsPerSession: 3 }

/** Tables of so few pages PostgreSQL rightly reads whole, instead of looking for a row. */
const smallPages = 16

/** A page has 50 items: some rows for each, and as many that do not match. */
const rowsMost = 1_500

/** Lists that read more, since they show figures of so many rows, however old the service is. */
const reasons: ReadonlyArray<readonly [RegExp, number]> = [
  // For every connector of a page, its history of a month: connections, troubles and the last values before.
  [/^\/v2\/statistics\/uptime/, 20_000],
  // The figures of a day, from the sessions of some days and all connectors.
  [/^\/v2\/statistics$/, 4_000],
  [/^\/v2\/statistics\/series/, 700],
  // A page of the feed reads a limited number of facts of all organisations. With a filter by charger or site, only facts about those.
  [/^\/v2\/events (?:chargerId|siteId)/, 12_000],
  [/^\/v2\/events/, 60_000],
  // Text is searched in all names of the fleet and in all cards.
  [/^\/v2\/(chargers|charger-rows|tokens|search)/, 60_000],
  [/^\/v2\/sites\/\{siteId\}/, 4_000]
]

/** Paged lists that are not tested here: limited in size, or tested elsewhere. */
const leftOut = [
  // Of one person, and limited.
  "/v2/me/views",
  "/v2/me/passkeys",
  "/v2/sign-ins",
  // What one person has made: each kind of it has a limit.
  "/v2/operators/{operatorId}/access",
  // At most 10,000 of each.
  "/v2/command-batches/{id}/targets",
  "/v2/firmware-campaigns/{id}/targets",
  // A ring of slots: ListPlans.test.ts.
  "/v2/webhooks/{webhookId}/deliveries"
]

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}

interface Scan {
  readonly table: string
  readonly isWhole: boolean
  /** Rows read from the table, including those that were discarded. */
  readonly rows: number
}

/** What a plan read from tables that are not small. */
const scansOf = (node: Node, large: ReadonlySet<string>): ReadonlyArray<Scan> => {
  const { "Actual Loops": loops, "Actual Rows": rows, "Node Type": type, Plans = [], "Relation Name": table } = node
  const thrown = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  const own =
    table === undefined || loops === 0 || !large.has(table)
      ? []
      : [{ table, isWhole: type === "Seq Scan", rows: (rows + thrown) * loops }]
  return [...own, ...Plans.flatMap((plan) => scansOf(plan, large))]
}

const ports = CommandsStorage.layer({
  nodeId: "node-1",
  maxWaiting: 10,
  chargersPerMinute: 10,
  tls: true,
  clientCertificates: true
}).pipe(Layer.provideMerge(repositories))

/** The REST interface over this database; its statements are added to `sent`. */
const watched = (sent: Array<SentStatement>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Repositories | Commands | Database>()
    const all = Layer.merge(Layer.succeedContext(context), beside(new FakeWorld()))
    const watching = Context.make(Statement.CurrentTransformer, (statement: Statement.Statement<unknown>) =>
      Effect.sync(() => {
        const [text, values] = statement.compile()
        sent.push({ text, values })
        return statement
      })
    )
    return yield* Effect.acquireRelease(
      Effect.sync(() => restApp(all, { context: watching as never })),
      (app) => Effect.promise(() => app.close())
    )
  })

/** The problems of a statement's plan. The fleet may be read whole if `most` allows it. */
const troubles = ({ text, values }: SentStatement, large: ReadonlySet<string>, most: number) =>
  Effect.gen(function* () {
    if (!/^\s*(?:SELECT|WITH)/i.test(text) || /\b(?:INSERT|UPDATE|DELETE)\b/.test(text)) return []
    const sql = yield* SqlClient.SqlClient
    const lines = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values
    )
    const plan = lines[0]?.["QUERY PLAN"][0]?.Plan
    assert(plan !== undefined)
    const scans = scansOf(plan, large)
    const whole = scans.filter(({ isWhole }) => isWhole).map(({ table }) => table)
    const months = new Set(scans.map(({ table }) => table).filter((name) => /^meter_\d/.test(name))).size
    const read = Math.round(scans.reduce((sum, { rows }) => sum + rows, 0))
    return [
      ...(whole.length > 0 && most === rowsMost ? [`all of ${whole.join(", ")}`] : []),
      ...(months > 2 ? [`${months} months of readings`] : []),
      ...(read > most ? [`${read} rows`] : [])
    ]
  })

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(ports, driver.layer), { excludeTestServices: true, timeout: "300 seconds" })(
    `Plans of every list on ${driver.name}`,
    (it) => {
      it.effect("read neither a whole table nor old rows, whatever the filter", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const sent: Array<SentStatement> = []
          const { ask } = yield* watched(sent)
          const { key } = yield* makeOrganisation()
          const made = (path: string, body: object) =>
            Effect.map(
              Effect.promise(() => ask("POST", `/cpo/v2/${path}`, { key, body })),
              ({ json }) => json
            )
          const components = [{ type: "ENERGY", price: 0.4, stepSize: 1 }]
          const tariff = yield* made("tariffs", { currency: "EUR", elements: [{ priceComponents: components }] })
          const partner = yield* made("partners", {
            name: "Age",
            countryCode: "DE",
            partyId: "AGE",
            roles: ["EMSP"]
          })
          const others = { tariff: tariff.id, partner: partner.id, partnerToken: partner.credentialsToken }
          // On one connection, since its settings belong to the session.
          yield* sql.withTransaction(
            Effect.forEach(pastStatements(past, others), (statement) => sql.unsafe(statement), { discard: true })
          )
          yield* sql.unsafe("VACUUM (ANALYZE)")
          const at = Date.now() - (past.days / 2) * dayMillis
          const [session] = yield* sql<{ readonly id: string }>`
            SELECT id::text AS id FROM session WHERE partner_id IS NULL ORDER BY id OFFSET 100 LIMIT 1`
          const time = (millis: number) => new Date(millis).toISOString()
          const known: Known = {
            ...others,
            sessionId: session?.id ?? "",
            leastUsedCharger: `AGE-${past.chargers}`,
            leastUsedSite: "01990000-0000-7000-8000-000000000100",
            from: time(at),
            to: time(at + dayMillis),
            month: time(at).slice(0, 7),
            recentFrom: time(Date.now() - 20 * dayMillis),
            recentTo: time(Date.now() - 19.75 * dayMillis)
          }
          const description = (yield* Effect.promise(() => ask("GET", "/cpo/swagger.json"))).json
          const cases = listCases(description, known)
          const tried = new Set(cases.map(({ name }) => name.split(" ")[0]))
          assert.deepStrictEqual(
            pagedPaths(description)
              .filter((path) => !tried.has(path))
              .sort(),
            leftOut.toSorted()
          )
          const tables = yield* sql<{ readonly name: string }>`
            SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relpages >= ${smallPages}::int`
          const large = new Set(tables.map(({ name }) => name))
          assert.include([...large], "journal")
          const found: Array<string> = []
          let statements = 0
          for (const { name, path } of cases) {
            sent.length = 0
            const answer = yield* Effect.promise(() => ask("GET", `/cpo${path}`, { key }))
            if (answer.status !== 200 && answer.status !== 404) found.push(`${name}: ${answer.status} ${answer.text}`)
            const most = reasons.find(([pattern]) => pattern.test(name))?.[1] ?? rowsMost
            for (const statement of sent) {
              statements++
              for (const trouble of yield* troubles(statement, large, most))
                found.push(`${name}: ${trouble}: ${statement.text}`)
            }
          }
          assert.deepStrictEqual(found, [])
          assert.isAbove(statements, 200)
        })
      )
    }
  )
}
