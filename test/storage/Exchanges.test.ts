/** The log of exchanges on both databases: its searches, the health of modules, and its retention. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ExchangeRecord } from "../../src/domain/roaming/ExchangeRecord.ts"
import { Exchanges, type ExchangeSearch } from "../../src/domain/roaming/Exchanges.ts"
import * as ExchangesRepository from "../../src/storage/roaming/Exchanges.ts"
import { forgetExchanges, forgetLoud } from "../../src/storage/roaming/ExchangeRetention.ts"
import { forEachDriver } from "../support/databases.ts"
import { idAt } from "../support/reported.ts"
import { failureOf, noon } from "../support/repositories.ts"

const options = {
  maxWaitingChars: 20_000,
  maxBatch: 3,
  maxBatchChars: 3_000,
  flushEveryMillis: 60_000,
  retentionDays: 14,
  maxPerPartner: 1_000_000
}

const own = idAt(1)
const stranger = idAt(2)

/** An exchange of a partner of its own unless said otherwise. */
const exchange = (over: Partial<ExchangeRecord> = {}): ExchangeRecord => ({
  organisationId: own,
  partnerId: idAt(3),
  at: noon,
  direction: "in",
  module: "tokens",
  method: "PUT",
  path: "/ocpi/2.2.1/tokens/DE/ABC/1",
  httpStatus: 200,
  ocpiStatus: 1000,
  millis: 12,
  requestId: "r",
  correlationId: "c",
  requestBody: '{"uid":"1"}',
  responseBody: undefined,
  error: undefined,
  ...over
})

const aPartner = (): string => idAt(4)

const found = (partnerId: string, search: Partial<ExchangeSearch> = {}, organisationId = own) =>
  Effect.flatMap(Exchanges, (log) => log.search(organisationId, partnerId, { limit: 50, ...search }))

const paths = (partnerId: string, search: Partial<ExchangeSearch> = {}) =>
  Effect.map(found(partnerId, search), ({ items }) => items.map(({ path }) => path))

forEachDriver("The log of exchanges", Layer.fresh(ExchangesRepository.layer(options)), (it) => {
  it.effect("is written with as few statements as the batch limits allow", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const sql = yield* SqlClient.SqlClient
      const partnerId = idAt(5)
      for (let n = 0; n < 5; n++) record(exchange({ partnerId, path: `/short/${n}` }))
      // Two that do not fit into one batch, and one that is too large for any batch.
      for (const length of [2_000, 2_000, 5_000]) {
        record(exchange({ partnerId, path: `/long/${length}`, requestBody: "x".repeat(length) }))
      }
      expect(yield* paths(partnerId)).toHaveLength(8)
      const statements = yield* sql<{ n: number }>`
        SELECT count(*)::int AS n FROM exchange WHERE partner_id = ${partnerId} GROUP BY xmin ORDER BY min(id)`
      expect(statements.map(({ n }) => n)).toEqual([3, 2, 1, 1, 1])
    })
  )

  it.effect("returns its records newest first, to their organisation alone", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const partnerId = aPartner()
      const all = [
        exchange({ partnerId, path: "/a" }),
        exchange({
          partnerId,
          at: noon + 1,
          path: "/b",
          httpStatus: undefined,
          ocpiStatus: undefined,
          error: "timeout"
        }),
        // Within the same millisecond, the one recorded later is newer.
        exchange({ partnerId, at: noon + 1, path: "/c", requestBody: undefined, responseBody: 'é "x" \\u0000' })
      ]
      for (const one of all) record(one)
      const { items } = yield* found(partnerId)
      expect(items.map(({ id: _, ...rest }) => rest)).toEqual(all.toReversed())
      expect((yield* found(partnerId, {}, stranger)).items).toEqual([])
      expect((yield* found(aPartner())).items).toEqual([])
      expect((yield* found("no id")).items).toEqual([])
    })
  )

  it.effect("is searched by time, module, direction and outcome, in pages", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const partnerId = aPartner()
      for (let n = 0; n < 8; n++) {
        record(
          exchange({
            partnerId,
            path: `/${n}`,
            at: noon + n * 1000,
            module: n % 2 === 0 ? "tokens" : "cdrs",
            direction: n < 4 ? "in" : "out",
            ocpiStatus: n % 4 === 0 ? 2001 : 1000
          })
        )
      }
      expect(yield* paths(partnerId, { from: noon + 2000, to: noon + 5000 })).toEqual(["/4", "/3", "/2"])
      expect(yield* paths(partnerId, { module: "cdrs", direction: "out" })).toEqual(["/7", "/5"])
      expect(yield* paths(partnerId, { failed: true })).toEqual(["/4", "/0"])
      expect(yield* paths(partnerId, { failed: false, direction: "in" })).toEqual(["/3", "/2", "/1"])
      const first = yield* found(partnerId, { limit: 5 })
      const second = yield* found(partnerId, { limit: 5, cursor: first.nextCursor ?? undefined })
      expect([...first.items, ...second.items].map(({ path }) => path)).toEqual([
        "/7",
        "/6",
        "/5",
        "/4",
        "/3",
        "/2",
        "/1",
        "/0"
      ])
      expect(second.nextCursor).toBeNull()
      expect(yield* failureOf(found(partnerId, { cursor: "x" }))).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("counts the successes and failures of each module across batches", () =>
    Effect.gen(function* () {
      const log = yield* Exchanges
      const partnerId = aPartner()
      for (let n = 0; n < 4; n++) log.record(exchange({ partnerId, at: noon + n }))
      log.record(exchange({ partnerId, at: noon + 4, httpStatus: 404, ocpiStatus: 2004 }))
      log.record(
        exchange({ partnerId, at: noon + 9, direction: "out", module: "cdrs", httpStatus: undefined, error: "no" })
      )
      const health = [
        {
          module: "cdrs",
          direction: "out",
          lastSuccessAt: undefined,
          lastFailureAt: noon + 9,
          lastFailure: "no",
          successes: 0,
          failures: 1
        },
        {
          module: "tokens",
          direction: "in",
          lastSuccessAt: noon + 3,
          lastFailureAt: noon + 4,
          lastFailure: "HTTP 404, status 2004",
          successes: 4,
          failures: 1
        }
      ]
      expect(yield* log.health(own, partnerId)).toEqual(health)
      expect(yield* log.health(stranger, partnerId)).toEqual([])
      log.record(exchange({ partnerId, at: noon + 5 }))
      expect((yield* log.health(own, partnerId))[1]).toEqual({
        ...health[1],
        lastSuccessAt: noon + 5,
        successes: 5
      })
    })
  )

  it.effect("drops records that exceed its buffer, and accepts more afterwards", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const partnerId = aPartner()
      for (let n = 0; n < 5; n++) record(exchange({ partnerId, path: `/${n}`, responseBody: "x".repeat(7_000) }))
      expect(yield* paths(partnerId)).toEqual(["/1", "/0"])
      record(exchange({ partnerId, at: noon + 1, path: "/later" }))
      expect(yield* paths(partnerId)).toEqual(["/later", "/1", "/0"])
    })
  )

  it.effect("deletes records that are older than the retention", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const sql = yield* SqlClient.SqlClient
      const partnerId = aPartner()
      record(exchange({ partnerId, at: 1_000, path: "/old" }))
      record(exchange({ partnerId, at: 2_000, path: "/kept" }))
      expect(yield* paths(partnerId)).toEqual(["/kept", "/old"])
      expect(yield* forgetExchanges(sql, 2_000)).toBe(1)
      expect(yield* paths(partnerId)).toEqual(["/kept"])
    })
  )

  it.effect("keeps only the newest records of a partner above the limit, and all records of others", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const sql = yield* SqlClient.SqlClient
      const [many, few] = [idAt(6), idAt(7)]
      for (let n = 0; n < 7; n++) record(exchange({ partnerId: many, at: noon + n, path: `/${n}` }))
      for (let n = 0; n < 4; n++) record(exchange({ partnerId: few, at: noon + n, path: `/${n}` }))
      expect((yield* paths(many)).length).toBe(7)
      expect(yield* forgetLoud(sql, 4)).toBeGreaterThanOrEqual(3)
      expect(yield* paths(many)).toEqual(["/6", "/5", "/4", "/3"])
      expect(yield* paths(few)).toEqual(["/3", "/2", "/1", "/0"])
      expect(yield* forgetLoud(sql, 4)).toBe(0)
    })
  )

  it.effect("is reduced to its limit in several steps, however many records there are", () =>
    Effect.gen(function* () {
      const { record } = yield* Exchanges
      const sql = yield* SqlClient.SqlClient
      const partnerId = idAt(8)
      record(exchange({ partnerId, at: noon, path: "/newest" }))
      expect(yield* paths(partnerId)).toEqual(["/newest"])
      yield* sql`UPDATE exchange_health SET successes = 24000 WHERE partner_id = ${partnerId}`
      yield* sql`INSERT INTO exchange (organisation_id, partner_id, at, direction, module, method, path, failed, millis, request_id, correlation_id)
        SELECT ${own}::uuid, ${partnerId}::uuid, ${new Date(noon)}::timestamptz - n * interval '1 second', 'in', 'tokens', 'PUT', '/', false, 1,
          'r', 'c' FROM generate_series(1, 23999) n`
      // More than one step of the index, and more statements than run in a row.
      expect(yield* forgetLoud(sql, 2_500)).toBe(21_500)
      const [left] = yield* sql<{ readonly oldest: Date; readonly rows: number }>`
        SELECT min(at) AS oldest, count(*)::int AS rows FROM exchange WHERE partner_id = ${partnerId}`
      expect(left).toEqual({ oldest: new Date(noon - 2_499_000), rows: 2_500 })
    })
  )
})
