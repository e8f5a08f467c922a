import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as Nodes from "../../src/storage/charging/Nodes.ts"
import { forEachDatabase } from "../support/databases.ts"
import { noon, seedChargers, type Seeded } from "../support/journalFacts.ts"

const leaseMillis = 15_000

/** Runs a node until `use` ends. */
const life = <A, E, R>(nodeId: string, use: Effect.Effect<A, E, R>, lease = leaseMillis) =>
  Effect.andThen(Layer.build(Nodes.layer({ nodeId, leaseMillis: lease })), use).pipe(Effect.scoped)

/** Connects chargers at a node. */
const connect = (nodeId: string, seeded: Seeded, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      ChargerDirectoryStorage.layer({ nodeId, maxBatch: 100, maxQueue: 100, maxCards: 1000, maxCardBytes: 1_000_000 })
    )
    const { open } = yield* Effect.provide(ChargerDirectory, context)
    yield* Effect.forEach(ids, (chargerId) =>
      open({
        chargerId,
        organisationId: seeded.organisationId,
        ocppVersion: "1.6",
        securityProfile: 0,
        remoteAddress: "192.0.2.1",
        at: noon
      })
    )
  }).pipe(Effect.scoped)

const openConnections = (prefix: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ id: string }>`
      SELECT charger_id AS id FROM connection WHERE closed_at IS NULL AND charger_id LIKE ${`${prefix}%`} ORDER BY charger_id`
    return rows.map(({ id }) => id)
  })

/** How long a node's lease runs, in ms by the database's clock; undefined for a node that never ran. */
const leaseOf = (nodeId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ left: number }>`
      SELECT (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::float8 AS left FROM node WHERE node_id = ${nodeId}`
    return row?.left
  })

const disconnections = (prefix: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ subject: string; reason: string }>`
      SELECT subject, body ->> 'reason' AS reason FROM journal
      WHERE type = 'ChargerDisconnected' AND subject LIKE ${`charger:${prefix}%`} ORDER BY position`
  })

forEachDatabase("a node among several", (it, driver) => {
  it.effect("closes and records connections that its previous run left open, and no others", () =>
    Effect.gen(function* () {
      const seeded = yield* seedChargers(["N-1-a", "N-1-b", "N-1-other"])
      yield* connect("node-a", seeded, ["N-1-a", "N-1-b"])
      yield* connect("node-b", seeded, ["N-1-other"])
      assert.deepStrictEqual(yield* openConnections("N-1"), ["N-1-a", "N-1-b", "N-1-other"])
      yield* life(
        "node-a",
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* openConnections("N-1"), ["N-1-other"])
          yield* connect("node-a", seeded, ["N-1-a"])
          assert.deepStrictEqual(yield* openConnections("N-1"), ["N-1-a", "N-1-other"])
        })
      )
      assert.deepStrictEqual((yield* disconnections("N-1")).map(({ subject }) => subject).toSorted(), [
        "charger:N-1-a",
        "charger:N-1-b"
      ])
      yield* life("node-c", Effect.void)
      assert.deepStrictEqual(yield* openConnections("N-1"), ["N-1-a", "N-1-other"])
    })
  )

  it.effect("holds a lease while it runs, and gives it up at its end", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* leaseOf("node-d"))
      yield* life(
        "node-d",
        Effect.gen(function* () {
          const left = Number(yield* leaseOf("node-d"))
          assert.isAbove(left, 0)
          assert.isAtMost(left, leaseMillis)
        })
      )
      assert.isAtMost(Number(yield* leaseOf("node-d")), 0)
      yield* life(
        "node-d",
        Effect.map(leaseOf("node-d"), (left) => assert.isAbove(Number(left), 0))
      )
    })
  )

  it.effect("renews its lease before it runs out", () =>
    life(
      "node-e",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const until = Effect.map(
          sql<{ at: number }>`SELECT extract(epoch FROM lease_until)::float8 AS at FROM node WHERE node_id = 'node-e'`,
          ([row]) => row!.at
        )
        const first = yield* until
        while ((yield* until) === first) yield* Effect.sleep(20)
        assert.isAbove(Number(yield* leaseOf("node-e")), 0)
      }),
      // Renewed after a third of it.
      3000
    )
  )

  if (driver.name === "PostgreSQL") {
    it.effect("refuses a second process of the same name while the first runs, and accepts one afterwards", () =>
      Effect.gen(function* () {
        const second = yield* life("twin", Effect.flip(life("twin", Effect.void)))
        assert.strictEqual(second._tag, "NodeIdInUse")
        yield* life("twin", Effect.void)
      })
    )
  }
})
