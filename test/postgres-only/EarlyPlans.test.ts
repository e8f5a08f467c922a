/**
 * A database uses the plans that it made for empty tables until it has counted their rows, which may take minutes. The queries of every message and
 * command must not read a growing table with such a plan. The database itself counts.
 */
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { findStarts, findTokens } from "../../src/storage/charging/TokenLookups.ts"
import { drivers } from "../support/databases.ts"
import { ended, freshId, metered, started } from "../support/journalFacts.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"

/** No loop looks for expired commands meanwhile, since that would be counted too. */
const ports = Layer.mergeAll(
  CommandsStorage.layer({
    nodeId: "node-1",
    maxWaiting: 3,
    chargersPerMinute: 100,
    tls: true,
    clientCertificates: true,
    sweepEveryMillis: 3_600_000
  }),
  ChargerDirectoryStorage.layer({ ...limits.directory, nodeId: "node-1" }),
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 1000 })
).pipe(Layer.provideMerge(repositories))

const chargerId = "EARLY"
const rows = 5_000

interface World {
  readonly organisation: TestOrganisation
  readonly siteId: string
  readonly epoch: number
}

const world = Effect.gen(function* () {
  const organisation = yield* anOrganisation
  const site = yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const registration = {
    chargerId,
    name: "Early",
    siteId: undefined,
    securityProfile: 0,
    passwordVerifier: undefined
  } as const
  yield* (yield* Chargers).register(registration, organisation.writing())
  const opened = { chargerId, organisationId: organisation.id, ocppVersion: "1.6", securityProfile: 0 } as const
  const state = yield* (yield* ChargerDirectory).open({ ...opened, remoteAddress: "192.0.2.7", at: noon })
  assert(state !== undefined)
  const made: World = { organisation, siteId: site.id, epoch: state.epoch }
  return made
})

let transactions = 0

/** The queries for a connection, a session and a command of one charger. */
const work = ({ epoch, organisation, siteId }: World) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { commit } = yield* Journal
    const commands = yield* Commands
    assert.isDefined(yield* (yield* ChargerDirectory).reload(chargerId, epoch))
    const wanted = { organisationId: organisation.id, tokenUid: "Unknown", chargerId, at: noon }
    const start = { place: { evseId: 1, connectorId: 1 }, sentSince: noon }
    yield* findTokens(sql)([wanted])
    yield* findStarts(sql)([{ ...wanted, start: start as never }])
    const seeded = { organisationId: organisation.id, siteId }
    const tx = { chargerId, sessionId: freshId(), transactionId: ++transactions }
    yield* commit([started(seeded, tx)])
    yield* commit([metered(seeded, tx, noon + 60_000, 2500)])
    yield* commit([ended(seeded, tx)])
    const asked = { chargerId, command: { _tag: "Reset", kind: "Soft" }, parameters: {}, expiresInSeconds: undefined }
    const { id } = yield* commands.issue(asked as never, organisation.writing())
    assert.strictEqual((yield* commands.take(chargerId, epoch, noon))?.id, id)
    const body = { commandId: id, type: "Reset", status: "Accepted", result: {} } as const
    const fact = { key: `answered|${id}`, organisationId: organisation.id, chargerId, at: noon, heardAt: noon }
    yield* commit([{ ...fact, type: "CommandAnswered", body }])
    assert.strictEqual((yield* commands.get(organisation.id, id)).status, "Accepted")
  })

/** Running and ended sessions of other cards and chargers, and commands to those. They have no statistics. */
const fill = ({ organisation, siteId }: World) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = new Date(noon)
    yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
        token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh,
        created_at, updated_at)
      SELECT gen_random_uuid(), ${organisation.id}::uuid, 'C' || n, ${siteId}::uuid, 1, 1, n::text, '1.6', 'Card' || n, 'card' || n,
        CASE WHEN n % 2 = 0 THEN 'ACTIVE' ELSE 'COMPLETED' END, 'Accepted', 'LocalToken', ${at}, ${at},
        CASE WHEN n % 2 = 0 THEN NULL ELSE ${at}::timestamptz END, 0, ${at}, ${at}
      FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at)
      SELECT gen_random_uuid(), ${organisation.id}::uuid, 'C' || n, 'Reset', CASE WHEN n % 2 = 0 THEN 'Pending' ELSE 'Accepted' END, '{}', '{}',
        'operator', ${at}::timestamptz - interval '1 hour' FROM generate_series(1, ${rows}) n`
  })

const readSoFar = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const counted = yield* sql<{ name: string; rows: number }>`
    SELECT t.relname AS name, (coalesce(t.seq_tup_read, 0) + coalesce(sum(i.idx_tup_read), 0))::float8 AS rows
    FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i ON i.relid = t.relid
    WHERE t.relname IN ('session', 'command') GROUP BY t.relname, t.seq_tup_read`
  return new Map(counted.map(({ name, rows }) => [name, rows]))
})

for (const driver of drivers({ poolSize: 1 }).filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(ports, driver.layer), { excludeTestServices: true, timeout: "60 seconds" })(
    `Plans of a new database on ${driver.name}`,
    (it) => {
      it.effect("read no more once there are thousands of sessions and commands", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          // As after some executions: this connection keeps its plans.
          yield* sql`SET plan_cache_mode = 'force_generic_plan'`
          const made = yield* world
          yield* work(made)
          yield* fill(made)
          const before = yield* readSoFar
          yield* work(made)
          const after = yield* readSoFar
          for (const [table, rowsRead] of after) {
            assert.isBelow(rowsRead - before.get(table)!, 60, `rows of "${table}" read`)
          }
        })
      )
    }
  )
}
