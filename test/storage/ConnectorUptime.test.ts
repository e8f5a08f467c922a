/** The uptime of a month, computed from the history of a charger. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { forEachDriver } from "../support/databases.ts"
import { freshId } from "../support/journalFacts.ts"
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
  uptime,
  live
} from "../support/chargerPast.ts"

forEachDriver("uptime", live, (it) => {
  it.effect("counts the seconds of a month by status, with offline time and the operator's own orders", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* storeFacts(
        status(world, 1, october - 3 * day, "Charging", { past: true, heardAt: october }),
        status(world, 2, october + day, "Available"),
        status(world, 1, october + 2 * day, "Faulted"),
        status(world, 1, october + 2 * day + hour, "Available"),
        status(world, 0, october + 3 * day, "Unavailable"),
        status(world, 0, october + 3 * day + 2 * hour, "Available")
      )
      yield* disconnect(world, october + 4 * day)
      yield* connect(world, october + 4 * day + 3 * minute)
      yield* disconnect(world, october + 5 * day)
      yield* connect(world, october + 5 * day + 4 * hour)
      yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, completed_at)
        SELECT gen_random_uuid(), ${world.organisationId}::uuid, ${world.id}, 'ChangeAvailability', 'Accepted',
          jsonb_build_object('_tag', 'ChangeAvailability', 'place', jsonb_build_object('evseId', e, 'connectorId', e), 'availability', w),
          '{}', 'operator', t, t
        FROM (VALUES (1, 'Inoperative', ${new Date(october + 6 * day)}::timestamptz), (1, 'Operative', ${new Date(october + 7 * day)}),
          (0, 'Inoperative', ${new Date(october + 8 * day)}), (0, 'Operative', ${new Date(october + 9 * day)})) v(e, w, t)`
      yield* storeFacts(
        status(world, 1, october + 6 * day + hour, "Unavailable"),
        status(world, 1, october + 7 * day + hour, "Available"),
        // An order for one EVSE does not count for the other; an order for the whole charger counts for both.
        status(world, 2, october + 6 * day + hour, "Unavailable"),
        status(world, 2, october + 6 * day + 2 * hour, "Available"),
        status(world, 0, october + 8 * day + hour, "Unavailable"),
        status(world, 0, october + 8 * day + 3 * hour, "Available")
      )
      const { items } = yield* uptime(world, october + 40 * day, { month: "2026-10" })
      const hours = items.map((one) => [
        one.evseId,
        ...[one.totalSeconds, one.offlineSeconds, one.faultedSeconds, one.unavailableSeconds, one.excludedSeconds].map(
          (seconds) => seconds / 3600
        )
      ])
      assert.deepStrictEqual(hours, [
        // Unavailable by the whole charger for two hours, and for one after the order was taken back.
        [1, 31 * 24, 4, 1, 3, 25],
        [2, 30 * 24, 4, 0, 3, 2]
      ])
      assert.strictEqual(items[0]?.uptimePercent, Math.floor(((744 - 8) / 744) * 100_000) / 1000)
    })
  )

  it.effect("excludes time by orders from before the month: the last of each EVSE and of the charger", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* storeFacts(status(world, 1, october, "Unavailable"), status(world, 2, october, "Unavailable"))
      const order = (evseId: number, availability: string, at: number) =>
        sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, completed_at)
          VALUES (gen_random_uuid(), ${world.organisationId}::uuid, ${world.id}, 'ChangeAvailability', 'Accepted',
            jsonb_build_object('place', jsonb_build_object('evseId', ${evseId}::int, 'connectorId', 1), 'availability', ${availability}::text),
            '{}', 'operator', ${new Date(at)}, ${new Date(at)})`
      const excluded = Effect.map(uptime(world, october + 40 * day, { month: "2026-10" }), ({ items }) =>
        items.map(({ evseId, excludedSeconds, unavailableSeconds }) => [
          evseId,
          excludedSeconds / 86_400,
          unavailableSeconds / 86_400
        ])
      )
      yield* order(1, "Operative", october - 30 * day)
      yield* order(1, "Inoperative", october - 20 * day)
      yield* order(2, "Inoperative", october - 20 * day)
      yield* order(2, "Operative", october - 10 * day)
      assert.deepStrictEqual(yield* excluded, [
        [1, 31, 0],
        [2, 0, 31]
      ])
      // Of two orders at the same time, the one that ends the exclusion counts.
      yield* order(1, "Operative", october - 20 * day)
      assert.deepStrictEqual(yield* excluded, [
        [1, 0, 31],
        [2, 0, 31]
      ])
      yield* order(0, "Inoperative", october - 5 * day)
      yield* order(2, "Operative", october + day)
      assert.deepStrictEqual(yield* excluded, [
        [1, 31, 0],
        [2, 1, 30]
      ])
    })
  )

  it.effect("covers the current month up to now, in the organisation's time zone where no month is given", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* storeFacts(status(world, 1, october, "Available"))
      yield* sql`UPDATE organisation SET time_zone = 'Pacific/Auckland' WHERE id = ${world.organisationId}::uuid`
      // In Auckland it is already November, at the site it is still October.
      const now = Date.UTC(2026, 9, 31, 12)
      const asked = yield* uptime(world, now)
      assert.deepStrictEqual(
        asked.items.map((one) => [one.month, one.timeZone, one.totalSeconds, one.uptimePercent]),
        [["2026-11", "UTC", 0, null]]
      )
      yield* sql`UPDATE site SET time_zone = 'Pacific/Auckland' WHERE id = ${world.siteId}::uuid`
      const there = yield* uptime(world, now)
      // Daylight saving time: thirteen hours ahead.
      assert.deepStrictEqual(
        there.items.map((one) => [one.month, one.totalSeconds, one.uptimePercent]),
        [["2026-11", 3600, 100]]
      )
    })
  )

  it.effect("is listed for the connectors of a site or a charger, in pages", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* storeFacts(
        ...[1, 2, 3].map((evseId) => status(world, evseId, october, "Available")),
        status(world, 0, october, "Available")
      )
      const places = (page: { readonly items: ReadonlyArray<{ readonly evseId: number }> }) =>
        page.items.map(({ evseId }) => evseId)
      const now = october + day
      const first = yield* uptime(world, now, { limit: 2, siteId: world.siteId })
      assert.deepStrictEqual(places(first), [1, 2])
      const second = yield* uptime(world, now, { limit: 2, siteId: world.siteId, cursor: first.nextCursor })
      assert.deepStrictEqual([places(second), second.nextCursor], [[3], null])
      assert.deepStrictEqual(places(yield* uptime(world, now, { chargerId: world.id })), [1, 2, 3])
      assert.deepStrictEqual(places(yield* uptime(world, now, { siteId: freshId() })), [])
      assert.deepStrictEqual(places(yield* uptime(world, now, { siteId: "no id" })), [])
    })
  )

  it.effect("reads only the last 50,000 changes of a flickering connector, and counts from there", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* storeFacts(status(world, 1, october, "Available"))
      // Every 50 seconds; the first 51 are left out, with the one that is reported above.
      yield* sql`INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status)
        SELECT ${world.id}, 1, 1, t, t, n, ${world.organisationId}::uuid, CASE WHEN n % 2 = 0 THEN 'Available' ELSE 'Faulted' END
        FROM (SELECT n, ${new Date(october)}::timestamptz + n * interval '50 seconds' AS t FROM generate_series(1, 50050) n) s`
      const { items } = yield* uptime(world, october + 40 * day, { month: "2026-10" })
      assert.deepStrictEqual(
        items.map((one) => [one.totalSeconds, one.faultedSeconds]),
        [[(31 * day) / 1000 - 51 * 50, 25_000 * 50]]
      )
    })
  )

  it.effect("refuses a month that has not begun in any time zone, and one before the retention", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const refused = (month: string, now: number) => failureOf(uptime(world, now, { month }))
      const now = Date.UTC(2026, 9, 31, 9)
      assert.deepStrictEqual(yield* refused("2026-12", now), ["InvalidInput", "/month"])
      assert.deepStrictEqual(yield* refused("2026-11", now), ["InvalidInput", "/month"])
      assert.isEmpty((yield* uptime(world, now + hour, { month: "2026-11" })).items)
      assert.deepStrictEqual(yield* refused("2024-09", now), ["InvalidInput", "/month"])
      assert.isEmpty((yield* uptime(world, now, { month: "2024-10" })).items)
    })
  )
})
