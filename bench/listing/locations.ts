/**
 * What a page of 50 locations out of 10,000 costs when partners read it: the CPU of this process from the query to the bytes of the body. It is
 * compared with writing the same objects as JSON from memory; pages further on are measured as well. Runs on a PostgreSQL of its own. Gate: 1.5 times
 * the cost from memory.
 *
 *     node bench/listing/locations.ts [LOCATIONS]          # 10,000 by default
 */
import { Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { loadavg } from "node:os"
import { startPostgres } from "../../scripts/postgres.ts"
import { Locations } from "../../src/domain/site/Locations.ts"
import type { Window } from "../../src/domain/values/Window.ts"
import { success, successAround } from "../../src/ocpi/protocol/Envelope.ts"
import { locationTexts } from "../../src/ocpi/objects/location/Texts.ts"
import { madePageReply } from "../../src/ocpi/modules/Paging.ts"
import { factsOf } from "../../src/ocpi/protocol/Version.ts"
import * as Database from "../../src/storage/kernel/Database.ts"
import * as LocationsRepository from "../../src/storage/sites/Locations.ts"

const count = Number(process.argv[2] ?? 10_000)
const gate = 1.5
/** Connectors of each location's charger. */
const evses = 4
const pageSize = 50
const reads = 20
const rounds = 100
const organisationId = "01990000-0000-7000-8000-000000000001"

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO organisation (id, name, country_code, party_id, created_at)
    VALUES (${organisationId}, 'Bench', 'NO', 'BEN', now())`
  yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES ('bench', now(), now() + interval '1 day')`
  yield* sql`
    INSERT INTO site (id, organisation_id, name, time_zone, street_address, street_number, postal_number, city, country, latitude,
      longitude, opening_hours, created_at, updated_at)
    SELECT ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${organisationId}::uuid, 'Site ' || n, 'Europe/Oslo', 'Street',
      n::text, '0150', 'Oslo', 'NOR', 59 + n / 100000.0, 10, '{"twentyfourseven": true}', now(), now()
    FROM generate_series(1, ${count}::int) n`
  yield* sql`
    INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
    SELECT 'BENCH-' || n, ${organisationId}::uuid, ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Charger', 0, now(), now()
    FROM generate_series(1, ${count}::int) n`
  yield* sql`
    INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at)
    SELECT charger_id, organisation_id, 'bench', 1, '1.6', 0, '127.0.0.1', now() FROM charger`
  yield* sql`
    INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, status_at, heard_at)
    SELECT charger_id, k, 1, 'Available', 'Available', now(), now() FROM charger, generate_series(1, ${evses}::int) k`
  yield* sql`ANALYZE`
})

const refreshed = Effect.gen(function* () {
  const locations = yield* Locations
  while (yield* locations.refresh(50)) yield* Effect.void
})

/** The least and the median of the cost of one run, in ms of CPU, over rounds of many runs each. */
interface Figure {
  readonly least: number
  readonly middle: number
}

const figureOf = (rounds: ReadonlyArray<number>): Figure => {
  const sorted = rounds.toSorted((a, b) => a - b)
  return { least: sorted[0] ?? Number.NaN, middle: sorted[sorted.length >> 1] ?? Number.NaN }
}

/**
 * The runs take turns in each round, so that other load on the machine disturbs all of them. The first round is not counted. The least contains
 * hardly any garbage collection, the median the usual amount.
 */
const measured = <E, R>(runs: ReadonlyArray<Effect.Effect<unknown, E, R>>) =>
  Effect.gen(function* () {
    const taken = runs.map((): Array<number> => [])
    for (let round = 0; round <= rounds; round++) {
      for (const [i, run] of runs.entries()) {
        const before = process.cpuUsage()
        yield* Effect.repeat(run, { times: reads - 1 })
        const { system, user } = process.cpuUsage(before)
        if (round > 0) taken[i]?.push((system + user) / 1000 / reads)
      }
    }
    return taken.map(figureOf)
  })

const exchange = { facts: factsOf("2.2.1"), query: new URLSearchParams() }
const place = { base: "https://bench.example/ocpi", module: "locations" } as const

/** As the request handler does it, down to the bytes of the body. */
const body = (window: Window) =>
  Effect.gen(function* () {
    const locations = yield* Locations
    const page = yield* locations.json(organisationId, "2.2.1", window, successAround(Date.now()))
    return madePageReply(exchange, place, window, page).body ?? new Uint8Array()
  })

/** How long it takes until a changed connector status shows in the location that is read; all durations, sorted, in ms. */
const changed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const locations = yield* Locations
  const id = `01990000-0000-7000-8000-${String(count / 2).padStart(12, "0")}`
  const took: Array<number> = []
  for (let n = 0; n < 200; n++) {
    const status = n % 2 === 0 ? "Charging" : "Available"
    yield* sql`UPDATE connector SET status = ${status} WHERE charger_id = ${`BENCH-${count / 2}`} AND evse_id = 1`
    const [duration] = yield* Effect.timed(locations.get(organisationId, id))
    took.push(Duration.toMillis(duration))
  }
  return took.toSorted((a, b) => a - b)
})

const ms = (value: number) => `${value.toFixed(3)} ms`

const program = Effect.gen(function* () {
  yield* fill
  const [took] = yield* Effect.timed(refreshed)
  console.log(`${count} locations of ${evses} evses made in ${(Duration.toMillis(took) / 1000).toFixed(1)} s`)
  const sql = yield* SqlClient.SqlClient
  yield* sql`VACUUM (ANALYZE)`
  const first = yield* body({ offset: 0, limit: pageSize })
  const objects = (JSON.parse(new TextDecoder().decode(first)) as { readonly data: unknown }).data
  const fromMemory = Effect.sync(() => Buffer.from(JSON.stringify(success(objects, Date.now()))))
  const from = Date.now() - 86_400_000
  const to = Date.now() + 86_400_000
  const pages: ReadonlyArray<readonly [string, Window]> = [
    ["the first page", { offset: 0, limit: pageSize }],
    ["a page in the middle", { offset: count / 2, limit: pageSize }],
    ["the last page", { offset: count - pageSize, limit: pageSize }],
    ["since yesterday, the last page", { from, offset: count - pageSize, limit: pageSize }],
    ["until tomorrow, the last page", { from, to, offset: count - pageSize, limit: pageSize }]
  ]
  const [floor, ...figures] = yield* measured([fromMemory, ...pages.map(([, window]) => body(window))])
  const { least, middle } = floor ?? figureOf([])
  console.log(
    `a page has ${first.length} bytes; from memory it costs ${ms(least)}, ${ms(middle)} in the middle of the rounds`
  )
  for (const [i, [name]] of pages.entries()) {
    const figure = figures[i] ?? figureOf([])
    const ratio = figure.least / least
    console.log(
      `${name.padEnd(32)} ${ms(figure.least)} of CPU: ${ratio.toFixed(2)} (gate ${gate}); ${ms(figure.middle)}: ${(figure.middle / middle).toFixed(2)}`
    )
    if (!(ratio <= gate)) process.exitCode = 1
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)}`)
  const sorted = yield* changed
  console.log(`a status shows after ${ms(sorted[100] ?? 0)}, p99 ${ms(sorted[197] ?? 0)}`)
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
const layer = LocationsRepository.layer({ texts: locationTexts, version: "bench" }).pipe(Layer.provideMerge(database))
await Effect.runPromise(Effect.provide(program, layer)).finally(() => postgres.stop())
