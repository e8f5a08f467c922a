/**
 * What a page of charge detail records costs when there are ten times as many: ratios within one run, on a PostgreSQL of its own. Every page is read
 * through the repository, as REST reads it. Gate: at most 1.5 times.
 *
 *     node bench/listing/pages.ts [ROWS]          # 1,000,000 by default; a tenth of them is the floor
 */
import { Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { startPostgres } from "../../scripts/postgres.ts"
import { type CdrFilter, Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import * as CdrsRepository from "../../src/storage/billing/Cdrs.ts"
import * as Database from "../../src/storage/kernel/Database.ts"
import * as Secrets from "../../src/storage/operators/Secrets.ts"

const rows = Number(process.argv[2] ?? 1_000_000)
const gate = 1.5
const organisationId = "01990000-0000-7000-8000-000000000001"
const firstStart = Date.UTC(2025, 0, 1)
/** One record every half a minute. */
const everySeconds = 30
const chargers = 400

const price = (exclVat: number) => ({ exclVat, inclVat: exclVat * 1.25 })
const period = {
  startedAt: firstStart,
  endedAt: firstStart + 900_000,
  energyWh: 5000,
  charging: true,
  elements: { ENERGY: 0 }
}
const body = {
  currency: "EUR",
  total: price(8),
  costs: { fixed: price(1), energy: price(6), time: price(0), parking: price(1), reservation: price(0) },
  energyWh: 20_000,
  durationMillis: 3_600_000,
  parkingMillis: 600_000,
  periods: [period, period, period, period],
  tariff: {
    id: "01990000-0000-7000-8000-000000000002",
    version: 1,
    currency: "EUR",
    elements: [{ priceComponents: [{ type: "ENERGY", price: 0.3, vat: 25, stepSize: 1 }] }]
  },
  timeZone: "Europe/Oslo",
  evseId: 1,
  connectorId: 1,
  transactionId: "1",
  ocppVersion: "1.6",
  tokenUid: "CARD",
  authorizationSource: "LocalToken",
  meterStartWh: 0,
  meterStopWh: 20_000
}

const chargerOf = (n: number) => `BENCH-${n % chargers}`

const fillTo = (from: number, to: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const step = 50_000
    for (let first = from + 1; first <= to; first += step) {
      const last = Math.min(to, first + step - 1)
      yield* sql`
        INSERT INTO cdr (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, body, issued_at)
        SELECT gen_random_uuid(), ${organisationId}::uuid, n, gen_random_uuid(), 0, 'BENCH-' || n % ${chargers}::int,
          ('01990000-0000-7000-8000-' || lpad((n % 20)::text, 12, '0'))::uuid, x.at, x.at + interval '1 hour',
          ${JSON.stringify(body)}::text::jsonb, x.at + interval '1 hour'
        FROM generate_series(${first}::int, ${last}::int) n
        CROSS JOIN LATERAL (SELECT ${new Date(firstStart)}::timestamptz + n * ${everySeconds}::int * interval '1 second' AS at) x`
      process.stderr.write(`\r${last.toLocaleString("en-US")} records stored`)
    }
    process.stderr.write("\n")
    yield* sql`VACUUM (ANALYZE) cdr`
  })

/** Typical queries. */
const requests = (total: number): ReadonlyArray<readonly [name: string, filter: CdrFilter, deep: boolean]> => {
  const at = (n: number) => firstStart + n * everySeconds * 1000
  return [
    ["first page", {}, false],
    ["a page in the middle", {}, true],
    ["of one charger", { chargerId: chargerOf(7) }, false],
    ["of one site", { siteId: "01990000-0000-7000-8000-000000000007" }, false],
    ["of the oldest day", { from: at(0), to: at(2880) }, false],
    ["of a day in the middle", { from: at(total / 2), to: at(total / 2 + 2880) }, false],
    ["of the newest day", { from: at(total - 2880), to: at(total + 1) }, false]
  ]
}

const cursorAt = (number: number): string =>
  Buffer.from(JSON.stringify({ list: "cdrs", after: number })).toString("base64url")

/** The fastest of several reads of a page, in ms: the one that was disturbed least. */
const measured = (total: number) =>
  Effect.gen(function* () {
    const cdrs = yield* Cdrs
    const figures = new Map<string, number>()
    for (const [name, filter, deep] of requests(total)) {
      const request = { limit: 50, ...filter, ...(deep ? { cursor: cursorAt(total / 2) } : {}) }
      let best = Number.POSITIVE_INFINITY
      for (let n = 0; n < 60; n++) {
        const [took, page] = yield* Effect.timed(cdrs.list(organisationId, request))
        if (page.items.length !== 50) return yield* Effect.die(new Error(`${name}: ${page.items.length} records`))
        best = Math.min(best, Duration.toMillis(took))
      }
      figures.set(name, best)
    }
    return figures
  })

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO organisation (id, name, country_code, party_id, created_at)
    VALUES (${organisationId}, 'Bench', 'NO', 'BEN', now())`
  yield* fillTo(0, rows / 10)
  const few = yield* measured(rows / 10)
  yield* fillTo(rows / 10, rows)
  const many = yield* measured(rows)
  for (const [name, millis] of many) {
    const before = few.get(name) ?? Number.NaN
    const ratio = millis / before
    console.log(
      `${name.padEnd(24)} ${before.toFixed(2)} ms, ${millis.toFixed(2)} ms with ten times the records: ${ratio.toFixed(2)} (gate ${gate})`
    )
    if (!(ratio <= gate)) process.exitCode = 1
  }
})

const postgres = await startPostgres({ fsync: false })
const database = Database.layer({
  url: Redacted.make(postgres.url),
  dataDir: "",
  nodeId: "bench",
  minFreeBytes: 0,
  poolSize: 2,
  watchdogMillis: 60_000
})
const layer = CdrsRepository.layer.pipe(
  Layer.provideMerge(Secrets.layer(Redacted.make("a secret of the bench that protects nothing"))),
  Layer.provideMerge(database)
)
await Effect.runPromise(Effect.provide(program, layer)).finally(() => postgres.stop())
