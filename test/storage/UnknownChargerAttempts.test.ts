/** Unknown chargers: counted in memory, written behind, bounded whatever ids are made up, and gone once they are registered. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { limits } from "../../src/Config.ts"
import { type UnknownChargerAttempt, UnknownChargerAttempts } from "../../src/domain/charger/UnknownChargerAttempts.ts"
import { type AttemptLimits, AttemptMemory } from "../../src/storage/charging/AttemptMemory.ts"
import * as AttemptsRepository from "../../src/storage/charging/UnknownChargerAttempts.ts"
import * as NodeSecrets from "../../src/storage/operators/Secrets.ts"
import { emptyTables, forEachDatabase } from "../support/databases.ts"
import { seedChargers } from "../support/journalFacts.ts"
import { statementsOf } from "../support/statements.ts"

const hour = 3_600_000
const day = 24 * hour
/** Rows age by the real clock, so these attempts happen now. */
const now = Math.floor(Date.now() / hour) * hour

const attempt = (chargerId: string, more: Partial<UnknownChargerAttempt> = {}): UnknownChargerAttempt => ({
  chargerId,
  remoteAddress: "192.0.2.7",
  network: "192.0.2.0/24",
  subprotocols: ["ocpp1.6"],
  at: now,
  ...more
})

const audit = {
  by: {
    organisationId: "01940000-0000-7000-8000-000000000001",
    actor: "operator:1",
    keyId: "1",
    operatorId: undefined,
    permissions: []
  },
  now
}

describe("the memory of unknown chargers", () => {
  const memory = (more: Partial<AttemptLimits> = {}) => new AttemptMemory({ ...limits.attempts, ...more })
  const ids = (one: AttemptMemory) => one.take(100_000).map(({ chargerId }) => chargerId)

  it("accepts a limited number of new ids of one network an hour, and known ids always", () => {
    const one = memory({ newPerNetworkPerHour: 2 })
    expect(["A", "B", "C"].map((id) => one.attempted(attempt(id)))).toEqual([true, true, false])
    expect(one.attempted(attempt("A", { at: now + 1 })), "known by now").toBe(true)
    expect(one.attempted(attempt("C", { network: "198.51.100.0/24" })), "from elsewhere").toBe(true)
    expect(one.attempted(attempt("D", { at: now + hour })), "an hour later").toBe(true)
  })

  it("accepts a limited number of new ids an hour across all networks", () => {
    const one = memory()
    const taken = Array.from({ length: 20_000 }, (_, n) =>
      one.attempted(attempt(`R${n}`, { network: `2001:db8::${n}/64` }))
    )
    expect(taken.filter((was) => was)).toHaveLength(limits.attempts.newPerHour)
  })

  it("holds at most `maxWaiting` ids while nothing can be written", () => {
    const one = memory({ newPerHour: 1e9, newPerNetworkPerHour: 1e9 })
    for (let n = 0; n < 1_000_000; n++) one.attempted(attempt(`R${n}`))
    expect(ids(one)).toHaveLength(limits.attempts.maxWaiting)
  })

  it("keeps an id with repeated attempts among the known ids", () => {
    const one = memory({ maxRows: 3, newPerHour: 4, newPerNetworkPerHour: 100 })
    for (const id of ["REAL", "A", "B", "REAL", "C"]) one.attempted(attempt(id))
    ids(one)
    expect([one.attempted(attempt("REAL")), one.attempted(attempt("A"))], "A was the longest silent").toEqual([
      true,
      false
    ])
  })

  it("adds unwritten attempts to those made since", () => {
    const one = memory()
    one.attempted(attempt("A"))
    const batch = one.take(10)
    one.attempted(attempt("A", { at: now + 5, remoteAddress: "192.0.2.8" }))
    one.again(batch)
    expect(one.take(10)).toEqual([
      {
        chargerId: "A",
        firstSeenAt: now,
        lastSeenAt: now + 5,
        attempts: 2,
        remoteAddress: "192.0.2.8",
        subprotocols: ["ocpp1.6"]
      }
    ])
  })
})

/** Runs the repository in a scope of its own on the database of this suite; nothing is flushed by the clock. */
const withRepository = <A, E, R>(
  use: (repository: UnknownChargerAttempts["Service"]) => Effect.Effect<A, E, R>,
  options: Partial<AttemptsRepository.AttemptsOptions> = {}
) =>
  Effect.gen(function* () {
    const layer = AttemptsRepository.layer({ ...limits.attempts, flushEveryMillis: hour, ...options }).pipe(
      Layer.provide(NodeSecrets.layer(Redacted.make("a secret of the tests")))
    )
    return yield* Effect.provide(Effect.flatMap(UnknownChargerAttempts, use), yield* Layer.build(layer))
  }).pipe(Effect.scoped)

const page = { limit: 50 }

forEachDatabase("unknown chargers", (it) => {
  it.effect("include registered ones whose request was wrong, with what to change at its last attempt", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        const chargerId = "REG-9"
        yield* seedChargers([chargerId])
        repository.attempted(attempt(chargerId))
        assert.deepStrictEqual((yield* repository.list(page)).items, [])
        repository.attempted(attempt(chargerId, { advice: "remove the id" }))
        repository.attempted(attempt("NEW", { advice: "remove the id" }))
        const shown = Effect.map(repository.list(page), ({ items }) =>
          items.map((one) => [one.chargerId, one.advice]).toSorted()
        )
        assert.deepStrictEqual(
          yield* shown,
          [
            [chargerId, "remove the id"],
            ["NEW", "remove the id"]
          ].toSorted()
        )
        repository.attempted(attempt("NEW"))
        assert.deepInclude(yield* shown, ["NEW", null])
        yield* repository.forget(chargerId, audit)
        assert.deepStrictEqual(yield* shown, [["NEW", null]])
      })
    )
  )

  it.effect("are listed immediately, each with all its attempts, the newest id first", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        repository.attempted(attempt("OLD", { at: now - 1000 }))
        repository.attempted(attempt("NEW"))
        repository.attempted(attempt("OLD", { at: now + 1000, remoteAddress: "2001:db8::1", subprotocols: [] }))
        const { items, nextCursor } = yield* repository.list(page)
        assert.isNull(nextCursor)
        assert.deepStrictEqual(items, [
          {
            chargerId: "NEW",
            firstSeenAt: now,
            lastSeenAt: now,
            attempts: 1,
            remoteAddress: "192.0.2.7",
            subprotocols: ["ocpp1.6"],
            advice: null
          },
          {
            chargerId: "OLD",
            firstSeenAt: now - 1000,
            lastSeenAt: now + 1000,
            attempts: 2,
            remoteAddress: "2001:db8::1",
            subprotocols: [],
            advice: null
          }
        ])
        repository.attempted(attempt("OLD", { at: now + 2000, subprotocols: ["ocpp2.1", "ocpp1.6"] }))
        const updated = (yield* repository.list(page)).items[1]
        assert.deepStrictEqual(
          [updated?.firstSeenAt, updated?.lastSeenAt, updated?.attempts, updated?.subprotocols],
          [now - 1000, now + 2000, 3, ["ocpp2.1", "ocpp1.6"]]
        )
      })
    )
  )

  it.effect("survive a restart, and do not count as new afterwards", () =>
    Effect.gen(function* () {
      yield* emptyTables
      yield* withRepository((repository) => Effect.sync(() => repository.attempted(attempt("A"))))
      const items = yield* withRepository(
        (repository) =>
          Effect.gen(function* () {
            for (const id of ["A", "B"]) repository.attempted(attempt(id))
            return (yield* repository.list(page)).items
          }),
        { newPerHour: 0 }
      )
      assert.deepStrictEqual(
        items.map(({ attempts, chargerId }) => [chargerId, attempts]),
        [["A", 2]]
      )
    })
  )

  it.effect("are read page by page without gaps during further attempts", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        for (let n = 0; n < 7; n++) repository.attempted(attempt(`P${n}`, { at: now + Math.floor(n / 3) }))
        const seen: Array<string> = []
        let cursor: string | undefined
        do {
          const found = yield* repository.list({ limit: 2, cursor })
          seen.push(...found.items.map(({ chargerId }) => chargerId))
          cursor = found.nextCursor ?? undefined
          for (let n = 0; n < 7; n++) repository.attempted(attempt(`P${n}`, { at: now + 1000 + seen.length }))
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, ["P6", "P5", "P4", "P3", "P2", "P1", "P0"])
        const refused = yield* Effect.flip(repository.list({ limit: 2, cursor: "nonsense" }))
        assert.strictEqual(refused._tag, "InvalidInput")
      })
    )
  )

  it.effect("are gone when they are registered, even before they are written", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        for (const id of ["REG-1", "REG-2", "STRANGER"]) repository.attempted(attempt(id))
        yield* repository.list(page)
        repository.attempted(attempt("REG-3"))
        yield* seedChargers(["REG-1", "REG-3"])
        assert.deepStrictEqual(
          (yield* repository.list(page)).items.map(({ chargerId }) => chargerId),
          ["STRANGER", "REG-2"]
        )
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ id: string }>`SELECT charger_id AS id FROM unknown_charger ORDER BY 1`
        assert.deepStrictEqual(
          rows.map(({ id }) => id),
          ["REG-2", "STRANGER"]
        )
      })
    )
  )

  it.effect("can be forgotten by id, and are listed again after another attempt", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        repository.attempted(attempt("F"))
        yield* repository.forget("F", audit)
        assert.deepStrictEqual((yield* repository.list(page)).items, [])
        assert.strictEqual((yield* Effect.flip(repository.forget("F", audit)))._tag, "NotFound")
        repository.attempted(attempt("F", { at: now + 5 }))
        assert.deepStrictEqual(
          (yield* repository.list(page)).items.map(({ attempts, firstSeenAt }) => [attempts, firstSeenAt]),
          [[1, now + 5]]
        )
      })
    )
  )

  it.effect("are limited in number, and the one without attempts for the longest time is dropped first", () =>
    withRepository(
      (repository) =>
        Effect.gen(function* () {
          yield* emptyTables
          repository.attempted(attempt("REAL", { at: now - 10 }))
          yield* repository.list(page)
          for (let n = 0; n < 8; n++) {
            repository.attempted(attempt(`R${n}`, { at: now + n }))
            if (n % 3 === 0) repository.attempted(attempt("REAL", { at: now + n }))
            yield* repository.list(page)
          }
          const { items } = yield* repository.list(page)
          assert.deepStrictEqual(
            items.map(({ chargerId }) => chargerId),
            ["R7", "R6", "R5", "REAL"]
          )
        }),
      { maxRows: 4 }
    )
  )

  it.effect("are kept for `keepDays` days", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        repository.attempted(attempt("GONE", { at: now - (limits.attempts.keepDays + 1) * day }))
        repository.attempted(attempt("KEPT", { at: now - (limits.attempts.keepDays - 1) * day }))
        assert.deepStrictEqual(
          (yield* repository.list(page)).items.map(({ chargerId }) => chargerId),
          ["KEPT"]
        )
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`SELECT 1 FROM unknown_charger`, 1)
      })
    )
  )

  it.effect("are written with one statement, however many attempts they make", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        for (let n = 0; n < 50; n++) for (let times = 0; times < 20; times++) repository.attempted(attempt(`S${n}`))
        const sent = yield* statementsOf(repository.list({ limit: 1 }))
        assert.lengthOf(
          sent.filter(({ text }) => text.includes("INSERT")),
          1
        )
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ sum: bigint }>`SELECT sum(attempts) AS sum FROM unknown_charger`
        assert.strictEqual(Number(row?.sum), 1000)
      })
    )
  )

  it.effect("concern an organisation alone only while there is no other", () =>
    withRepository((repository) =>
      Effect.gen(function* () {
        yield* emptyTables
        const { organisationId } = yield* seedChargers([])
        assert.isTrue(yield* repository.concernOnly(organisationId))
        const other = yield* seedChargers([])
        assert.isFalse(yield* repository.concernOnly(organisationId))
        assert.isFalse(yield* repository.concernOnly(other.organisationId))
      })
    )
  )
})
