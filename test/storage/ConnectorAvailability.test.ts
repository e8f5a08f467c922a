/** The availability of connectors over time, and that it agrees with their uptime. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Presence } from "../../src/domain/charger/Presence.ts"
import { availability } from "../../src/storage/charging/ConnectorAvailability.ts"
import { forEachDriver } from "../support/databases.ts"
import { Random } from "../support/random.ts"
import { failureOf } from "../support/repositories.ts"
import {
  minute,
  hour,
  day,
  october,
  type World,
  connect,
  disconnect,
  aCharger,
  status,
  storeFacts,
  uptime,
  live
} from "../support/chargerPast.ts"

forEachDriver("the availability of connectors over time", live, (it) => {
  const range = { from: october, to: october + 4 * hour, stepMillis: hour }
  const series = (world: World, now: number, more: object = {}) =>
    Effect.gen(function* () {
      const history = yield* ChargerHistory
      const { overall, points } = yield* history.availability(world.organisationId, { ...range, ...more }, now)
      return [points.map(({ value }) => value), overall]
    })

  it.effect("is computed from the status of each connector when the range begins and its changes within it", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        status(world, 1, october - day, "Faulted", { past: true, heardAt: october }),
        status(world, 1, october + hour, "Available"),
        status(world, 1, october + hour + 10 * minute, "Charging"),
        status(world, 1, october + 2 * hour, "Faulted"),
        status(world, 1, october + 2 * hour + 30 * minute, "Unavailable"),
        status(world, 1, october + 3 * hour, "Preparing"),
        status(world, 2, october, "Available")
      )
      assert.deepStrictEqual(yield* series(world, october + day), [[50, 100, 50, 100], 75])
      // Nothing that happened after the range changes it, and nothing after now.
      yield* storeFacts(status(world, 2, october + 5 * hour, "Faulted"))
      assert.deepStrictEqual(yield* series(world, october + day), [[50, 100, 50, 100], 75])
      assert.deepStrictEqual(yield* series(world, october + 2 * hour), [[50, 100], 75])
    })
  )

  it.effect("applies the status and the connections of the whole charger to each of its connectors", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        status(world, 1, october, "Available"),
        status(world, 2, october, "Available"),
        status(world, 0, october + hour, "Faulted"),
        status(world, 0, october + hour + 30 * minute, "Available")
      )
      yield* disconnect(world, october + 2 * hour)
      yield* connect(world, october + 3 * hour)
      assert.deepStrictEqual(yield* series(world, october + day), [[100, 50, 0, 100], 62.5])
    })
  )

  it.effect("can be limited to one site or charger, and never includes other organisations", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const stranger = yield* aCharger
      yield* storeFacts(status(world, 1, october, "Available"), status(stranger, 1, october, "Faulted"))
      const well = [[100, 100, 100, 100], 100]
      const nothing = [[null, null, null, null], null]
      const now = october + day
      assert.deepStrictEqual(yield* series(world, now), well)
      assert.deepStrictEqual(yield* series(world, now, { siteId: world.siteId }), well)
      assert.deepStrictEqual(yield* series(world, now, { chargerId: world.id }), well)
      assert.deepStrictEqual(yield* series(world, now, { chargerId: stranger.id }), nothing)
      assert.deepStrictEqual(yield* series(world, now, { siteId: stranger.siteId, chargerId: stranger.id }), nothing)
      assert.deepStrictEqual(yield* series(stranger, now), [[0, 0, 0, 0], 0])
    })
  )

  it.effect("agrees with the uptime of the same month for random histories (seeds 1 to 5)", () =>
    Effect.gen(function* () {
      const statuses = ["Available", "Charging", "Faulted", "Unavailable"] as const
      for (let seed = 1; seed <= 5; seed++) {
        const random = new Random(seed)
        const world = yield* aCharger
        const facts = Array.from({ length: 30 }, () =>
          status(world, random.between(0, 1), october + random.between(0, 40 * 24) * hour, random.pick(statuses))
        )
        // Some have the same time and the same time of receipt: the last by rank counts in both.
        yield* storeFacts(...random.shuffled(facts))
        yield* disconnect(world, october + random.between(1, 10) * day)
        yield* connect(world, october + random.between(11, 20) * day)
        const now = october + 50 * day
        const { items } = yield* uptime(world, now, { month: "2026-10" })
        const [, overall] = yield* series(world, now, { to: october + 31 * day, stepMillis: day })
        assert.strictEqual(overall, items[0]?.uptimePercent ?? null)
      }
    })
  )

  it.effect("is refused when more connectors or changes than allowed would be read", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      const presence = yield* Presence
      yield* storeFacts(
        status(world, 1, october, "Available"),
        status(world, 2, october, "Available"),
        status(world, 1, october + minute, "Faulted"),
        status(world, 1, october + 2 * minute, "Available")
      )
      const asked = (connectors: number, changes: number) =>
        availability(sql, presence, { connectors, changes })(world.organisationId, range, october + day)
      assert.deepStrictEqual(yield* failureOf(asked(1, 100)), ["InvalidInput", "/siteId"])
      assert.deepStrictEqual(yield* failureOf(asked(2, 4)), ["InvalidInput", "/from"])
      assert.strictEqual((yield* asked(2, 100)).points.length, 4)
    })
  )
})
