/** The stored history of statuses and connections: the same whatever the order of the facts, read in pages. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { forgetHistory } from "../../src/storage/kernel/Partitions.ts"
import { forEachDriver } from "../support/databases.ts"
import { Random } from "../support/random.ts"
import { failureOf } from "../support/repositories.ts"
import {
  minute,
  hour,
  day,
  october,
  connect,
  disconnect,
  aCharger,
  status,
  storeFacts,
  statuses,
  connections,
  uptime,
  live
} from "../support/chargerPast.ts"

forEachDriver("the history of a charger", live, (it) => {
  it.effect("has every status with all reported fields, newest first, by charger and by connector", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        status(world, 1, october + minute, "Available"),
        status(world, 2, october + 2 * minute, "Faulted"),
        status(world, 0, october + 3 * minute, "Available"),
        status(world, 1, october + 4 * minute, "Preparing")
      )
      assert.deepStrictEqual(yield* statuses(world), [
        [1, 4, "Preparing"],
        [0, 3, "Available"],
        [2, 2, "Faulted"],
        [1, 1, "Available"]
      ])
      assert.deepStrictEqual(yield* statuses(world, { evseId: 1 }), [
        [1, 4, "Preparing"],
        [1, 1, "Available"]
      ])
      const window = { from: october + 2 * minute, to: october + 4 * minute }
      assert.deepStrictEqual(yield* statuses(world, window), [
        [0, 3, "Available"],
        [2, 2, "Faulted"]
      ])
      const history = yield* ChargerHistory
      const { items } = yield* history.connectors(world.organisationId, world.id, {
        limit: 1,
        evseId: 2,
        connectorId: 1
      })
      assert.deepStrictEqual(items, [
        {
          evseId: 2,
          connectorId: 1,
          at: october + 2 * minute,
          heardAt: october + 2 * minute + 500,
          status: "Faulted",
          errorCode: "GroundFailure",
          info: "F3",
          vendorId: undefined,
          vendorErrorCode: "17"
        }
      ])
    })
  )

  it.effect("has all statuses of a connector from one commit, and none twice", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const journal = yield* Journal
      const facts = (["Available", "Preparing", "Charging"] as const).map((word, n) =>
        status(world, 1, october + n * minute, word)
      )
      yield* journal.commit(facts)
      // A repeat changes nothing.
      yield* journal.commit(facts)
      assert.deepStrictEqual(yield* statuses(world), [
        [1, 2, "Charging"],
        [1, 1, "Preparing"],
        [1, 0, "Available"]
      ])
    })
  )

  it.effect("is read in pages of any size without repeats or gaps, also where times are equal", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const facts = Array.from({ length: 25 }, (_, n) =>
        // Five at each time, all received at the same moment.
        status(world, n % 3, october + Math.floor(n / 5) * minute, n % 2 === 0 ? "Available" : "Preparing", {
          heardAt: october + hour
        })
      )
      yield* storeFacts(...facts)
      const history = yield* ChargerHistory
      const all = (yield* history.connectors(world.organisationId, world.id, { limit: 500 })).items
      assert.lengthOf(all, 25)
      for (const limit of [1, 3, 24, 25]) {
        let read: ReadonlyArray<unknown> = []
        let cursor: string | undefined
        do {
          const page = yield* history.connectors(world.organisationId, world.id, { limit, cursor })
          read = [...read, ...page.items]
          cursor = page.nextCursor ?? undefined
        } while (cursor !== undefined)
        assert.deepStrictEqual(read, all, `pages of ${limit}`)
      }
    })
  )

  it.effect("is the same whatever the order in which statuses are received (seeds 1 to 5)", () =>
    Effect.gen(function* () {
      const statusNames = ["Available", "Preparing", "Charging", "Faulted", "Unavailable"] as const
      const random = new Random(7)
      // Times collide on purpose; `heardAt` and the key belong to the fact, whenever it is stored.
      const script = Array.from({ length: 40 }, (_, n) => ({
        evseId: random.between(0, 2),
        at: october + random.between(0, 12) * minute,
        word: random.pick(statusNames),
        heardAt: october + 20 * minute + random.between(0, 3),
        key: `script-${n}`
      }))
      const outcomes: Array<unknown> = []
      for (let seed = 1; seed <= 5; seed++) {
        const world = yield* aCharger
        const facts = script.map(({ at, evseId, heardAt, key, word }) =>
          status(world, evseId, at, word, { heardAt, key: `${key}|${seed}` })
        )
        // The key breaks the last ties and differs between the chargers here, so only facts without such ties are kept.
        const distinct = [
          ...new Map(facts.map((fact) => [`${fact.body.evseId}|${fact.at}|${fact.heardAt}`, fact])).values()
        ]
        yield* storeFacts(...new Random(seed).shuffled(distinct))
        const [ups] = [yield* uptime(world, october + 30 * minute, { month: "2026-10" })]
        outcomes.push([
          yield* statuses(world, { evseId: 0 }),
          yield* statuses(world, { evseId: 1 }),
          yield* statuses(world, { evseId: 2 }),
          ups.items.map(({ chargerId: _, siteId: __, ...rest }) => rest)
        ])
      }
      for (const outcome of outcomes) assert.deepStrictEqual(outcome, outcomes[0])
    })
  )

  it.effect("inserts a past status and leaves the current status unchanged", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        status(world, 1, october + 10 * minute, "Faulted"),
        status(world, 1, october + 5 * minute, "Charging", { past: true, heardAt: october + 11 * minute })
      )
      assert.deepStrictEqual(yield* statuses(world), [
        [1, 10, "Faulted"],
        [1, 5, "Charging"]
      ])
      const chargers = yield* Chargers
      const charger = yield* chargers.get(world.organisationId, world.id)
      assert.deepStrictEqual(
        charger.connectors.map((one) => [one.status, one.statusAt]),
        [["Faulted", october + 10 * minute]]
      )
    })
  )

  it.effect("limits the time of a status to when it was received, so that a clock that is ahead does no harm", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        status(world, 1, october + 20 * hour, "Faulted", { heardAt: october + minute }),
        status(world, 1, october + 2 * minute, "Available")
      )
      assert.deepStrictEqual(yield* statuses(world), [
        [1, 2, "Available"],
        [1, 1, "Faulted"]
      ])
    })
  )

  it.effect("has every connection and why it ended: closed, replaced, or its node gone", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* disconnect(world, october + 10 * minute)
      yield* connect(world, october + 20 * minute)
      const older = { ...world }
      yield* connect(world, october + 30 * minute)
      // The old socket's end comes late and changes nothing.
      yield* disconnect(older, october + 31 * minute)
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT connection_close(ARRAY[${world.id}], ARRAY[${world.epoch}::float8], ARRAY[${new Date(october + 40 * minute)}],
        ARRAY['the node that held the connection is gone'])`
      yield* connect(world, october + 50 * minute)
      assert.deepStrictEqual(yield* connections(world), [
        [50, undefined, undefined],
        [30, 40, "the node that held the connection is gone"],
        [20, 30, "the charger connected anew"],
        [0, 10, "the line was cut"]
      ])
      const history = yield* ChargerHistory
      const first = yield* history.connections(world.organisationId, world.id, { limit: 3 })
      const cursor = first.nextCursor ?? undefined
      const rest = yield* history.connections(world.organisationId, world.id, { limit: 3, cursor })
      assert.deepStrictEqual(rest.items, [
        {
          connectedAt: october,
          disconnectedAt: october + 10 * minute,
          reason: "the line was cut",
          ocppVersion: "1.6",
          securityProfile: 0,
          remoteAddress: "192.0.2.7"
        }
      ])
    })
  )

  it.effect("has the days on which transactions were only counted, in pages", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      for (const n of [0, 1, 2]) {
        const at = new Date(october + n * day)
        yield* sql`INSERT INTO negligible_transactions (charger_id, day, organisation_id, transactions, energy_wh, first_at, last_at)
          VALUES (${world.id}, ${at}, ${world.organisationId}, ${10 + n}, ${n}, ${at}, ${new Date(at.getTime() + minute)})`
      }
      const history = yield* ChargerHistory
      const first = yield* history.countedDays(world.organisationId, world.id, { limit: 2 })
      const cursor = first.nextCursor ?? undefined
      const rest = yield* history.countedDays(world.organisationId, world.id, { limit: 2, cursor })
      const dayOf = (n: number) => october + n * day
      assert.deepStrictEqual(
        [...first.items, ...rest.items].map((one) => [one.day, one.transactions, one.energyWh]),
        [2, 1, 0].map((n) => [dayOf(n), 10 + n, n])
      )
      assert.deepStrictEqual(rest.items[0], {
        day: dayOf(0),
        transactions: 10,
        energyWh: 0,
        firstAt: october,
        lastAt: october + minute
      })
      const { organisationId: other } = yield* aCharger
      assert.deepStrictEqual((yield* history.countedDays(other, world.id, { limit: 2 })).items, [])
    })
  )

  it.effect("is hidden from other organisations, and refuses forged cursors", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(status(world, 1, october, "Available"))
      const stranger = { ...world, organisationId: (yield* aCharger).organisationId }
      assert.deepStrictEqual(yield* statuses(stranger), [])
      assert.deepStrictEqual(yield* connections(stranger), [])
      const others = yield* uptime(stranger, october + day, { chargerId: world.id })
      assert.deepStrictEqual(others.items, [])
      const history = yield* ChargerHistory
      const forged = (list: string, after: unknown) =>
        Buffer.from(JSON.stringify({ list, after })).toString("base64url")
      const wrong = [
        "x",
        forged("history/connectors", [1e300, 0, "0"]),
        forged("history/connectors", [0, 0, "9223372036854775808"]),
        forged("history/connections", [0, "0"])
      ]
      for (const cursor of wrong) {
        const asked = history.connectors(world.organisationId, world.id, { limit: 5, cursor })
        assert.deepStrictEqual(yield* failureOf(asked), ["InvalidInput", "/cursor"])
      }
    })
  )

  it.effect("is deleted with its charger", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(status(world, 1, october, "Available"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM charger WHERE charger_id = ${world.id}`
      const [left] = yield* sql<{ n: number }>`
        SELECT ((SELECT count(*) FROM connector_history WHERE charger_id = ${world.id}) +
          (SELECT count(*) FROM connection_history WHERE charger_id = ${world.id}))::int AS n`
      assert.strictEqual(left?.n, 0)
    })
  )

  it.effect("is deleted after 25 months, except for the last status before that limit", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        status(world, 1, october, "Available"),
        status(world, 1, october + day, "Faulted"),
        status(world, 1, october + 40 * day, "Available"),
        status(world, 2, october, "Available")
      )
      yield* disconnect(world, october + hour)
      yield* connect(world, october + 2 * hour)
      yield* disconnect(world, october + 3 * hour)
      const sql = yield* SqlClient.SqlClient
      // 25 months before is 3 October 2026. Many small statements have the same result as one large one.
      yield* forgetHistory(sql, Date.UTC(2028, 10, 3), 5)
      assert.deepStrictEqual(yield* statuses(world), [
        [1, (40 * day) / minute, "Available"],
        [1, day / minute, "Faulted"],
        [2, 0, "Available"]
      ])
      assert.deepStrictEqual(yield* connections(world), [[120, 180, "the line was cut"]])
    })
  )
})
