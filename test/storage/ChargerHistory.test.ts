/** What the database keeps of statuses and connections: the same history in whatever order facts come, page by page, and uptime of it. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ConnectorStatus } from "../../src/domain/site/Connector.ts"
import type { ConnectorStatusChanged, PastStatusReported } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Presence } from "../../src/domain/charger/Presence.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { availability } from "../../src/storage/charging/ConnectorAvailability.ts"
import { forgetHistory } from "../../src/storage/kernel/Partitions.ts"
import { directoryAndJournal } from "../support/commandedCharger.ts"
import { forEachDriver } from "../support/databases.ts"
import { freshId, seedChargers, type Seeded } from "../support/journalFacts.ts"
import { Random } from "../support/random.ts"
import { failureOf, repositories } from "../support/repositories.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** The first of a month in UTC, which is the zone of the sites here. */
const october = Date.UTC(2026, 9, 1)

const live = Layer.mergeAll(directoryAndJournal, repositories)

interface World extends Seeded {
  readonly id: string
  epoch: number
}

let made = 0

const connect = (world: World, at: number) =>
  Effect.gen(function* () {
    const directory = yield* ChargerDirectory
    const { id: chargerId, organisationId } = world
    const state = yield* directory.open({
      chargerId,
      organisationId,
      ocppVersion: "1.6",
      securityProfile: 0,
      remoteAddress: "192.0.2.7",
      at
    })
    world.epoch = state?.epoch ?? 0
  })

const disconnect = ({ epoch, id: chargerId, organisationId }: World, at: number, reason = "the line was cut") =>
  Effect.flatMap(ChargerDirectory, (directory) => directory.close({ chargerId, organisationId, epoch, at, reason }))

/** A charger of an organisation of its own, connected from the beginning of October. */
const aCharger = Effect.gen(function* () {
  const id = `HIST-${made++}`
  const seeded = yield* seedChargers([id])
  const world: World = { ...seeded, id, epoch: 0 }
  yield* connect(world, october)
  return world
})

const status = (
  world: World,
  evseId: number,
  at: number,
  word: ConnectorStatus,
  more: { readonly past?: boolean; readonly heardAt?: number; readonly key?: string } = {}
): ConnectorStatusChanged | PastStatusReported => ({
  type: more.past === true ? "PastStatusReported" : "ConnectorStatusChanged",
  key: more.key ?? freshId(),
  organisationId: world.organisationId,
  chargerId: world.id,
  epoch: world.epoch,
  at,
  heardAt: more.heardAt ?? at + 500,
  body: {
    evseId,
    connectorId: evseId === 0 ? 0 : 1,
    status: word,
    rawStatus: word,
    errorCode: word === "Faulted" ? "GroundFailure" : "NoError",
    info: word === "Faulted" ? "F3" : undefined,
    vendorId: undefined,
    vendorErrorCode: word === "Faulted" ? "17" : undefined
  }
})

const told = (...facts: ReadonlyArray<ConnectorStatusChanged | PastStatusReported>) =>
  Effect.flatMap(Journal, (journal) => Effect.forEach(facts, (fact) => journal.commit([fact]), { discard: true }))

const statuses = (world: World, more: object = {}) =>
  Effect.gen(function* () {
    const history = yield* ChargerHistory
    const { items } = yield* history.connectors(world.organisationId, world.id, { limit: 500, ...more })
    return items.map((one) => [one.evseId, (one.at - october) / minute, one.status])
  })

const connections = (world: World) =>
  Effect.gen(function* () {
    const history = yield* ChargerHistory
    const { items } = yield* history.connections(world.organisationId, world.id, { limit: 500 })
    return items.map((one) => [
      (one.connectedAt - october) / minute,
      one.disconnectedAt === undefined ? undefined : (one.disconnectedAt - october) / minute,
      one.reason
    ])
  })

const uptime = (world: World, now: number, more: object = {}) =>
  Effect.flatMap(ChargerHistory, (history) => history.uptime(world.organisationId, { limit: 50, ...more }, now))

forEachDriver("the history of a charger", live, (it) => {
  it.effect("has every status newest first, with all that was told, by charger and by connector", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
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

  it.effect("has all statuses of one connector that came in one commit", () =>
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

  it.effect("is read in pages that neither repeat nor leave out, whatever the size, ties included", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const facts = Array.from({ length: 25 }, (_, n) =>
        // Five of each instant, all heard at once.
        status(world, n % 3, october + Math.floor(n / 5) * minute, n % 2 === 0 ? "Available" : "Preparing", {
          heardAt: october + hour
        })
      )
      yield* told(...facts)
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

  it.effect(
    "comes out the same in whatever order statuses are heard of, and the past never stands (seeds 1 to 5)",
    () =>
      Effect.gen(function* () {
        const words = ["Available", "Preparing", "Charging", "Faulted", "Unavailable"] as const
        const random = new Random(7)
        // Times collide on purpose; heardAt and the key are the fact's own, whenever it is stored.
        const script = Array.from({ length: 40 }, (_, n) => ({
          evseId: random.between(0, 2),
          at: october + random.between(0, 12) * minute,
          word: random.pick(words),
          heardAt: october + 20 * minute + random.between(0, 3),
          key: `script-${n}`
        }))
        const outcomes: Array<unknown> = []
        for (let seed = 1; seed <= 5; seed++) {
          const world = yield* aCharger
          const facts = script.map(({ at, evseId, heardAt, key, word }) =>
            status(world, evseId, at, word, { heardAt, key: `${key}|${seed}` })
          )
          // The key ranks the last ties, and is the charger's own in the service: here it is made equal in rank by its time alone.
          const distinct = [
            ...new Map(facts.map((fact) => [`${fact.body.evseId}|${fact.at}|${fact.heardAt}`, fact])).values()
          ]
          yield* told(...new Random(seed).shuffled(distinct))
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

  it.effect("takes a past status in between and leaves what stands", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
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

  it.effect("lets no status be later than it was heard, so that a clock that was ahead does not stand for a day", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
        status(world, 1, october + 20 * hour, "Faulted", { heardAt: october + minute }),
        status(world, 1, october + 2 * minute, "Available")
      )
      assert.deepStrictEqual(yield* statuses(world), [
        [1, 2, "Available"],
        [1, 1, "Faulted"]
      ])
    })
  )

  it.effect("has every connection with why it ended, by farewell, by a newer one, and by the end of its node", () =>
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

  it.effect("is nobody else's, and refuses cursors that it did not make", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(status(world, 1, october, "Available"))
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

  it.effect("goes with its charger", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(status(world, 1, october, "Available"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM charger WHERE charger_id = ${world.id}`
      const [left] = yield* sql<{ n: number }>`
        SELECT ((SELECT count(*) FROM connector_history WHERE charger_id = ${world.id}) +
          (SELECT count(*) FROM connection_history WHERE charger_id = ${world.id}))::int AS n`
      assert.strictEqual(left?.n, 0)
    })
  )

  it.effect("goes after 25 months, but for what stood then", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
        status(world, 1, october, "Available"),
        status(world, 1, october + day, "Faulted"),
        status(world, 1, october + 40 * day, "Available"),
        status(world, 2, october, "Available")
      )
      yield* disconnect(world, october + hour)
      yield* connect(world, october + 2 * hour)
      yield* disconnect(world, october + 3 * hour)
      const sql = yield* SqlClient.SqlClient
      // 25 months before, it was the 3rd of October 2026. Many small statements, as one large one would.
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

forEachDriver("uptime", live, (it) => {
  it.effect("counts a month's seconds by what stood, offline time and an operator's own order included", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* told(
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
      yield* told(
        status(world, 1, october + 6 * day + hour, "Unavailable"),
        status(world, 1, october + 7 * day + hour, "Available"),
        // The other one's order is not its own; that of the whole charger is everybody's.
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

  it.effect("excludes what an order of before the month excludes, each evse's and the charger's last one", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* told(status(world, 1, october, "Unavailable"), status(world, 2, october, "Unavailable"))
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
      // Of two of one time the one that ends it counts.
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

  it.effect("of the current month goes to now, by the organisation's zone where none is named", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* told(status(world, 1, october, "Available"))
      yield* sql`UPDATE organisation SET time_zone = 'Pacific/Auckland' WHERE id = ${world.organisationId}::uuid`
      // In Auckland it is November already, where the site stands October.
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

  it.effect("is of the connectors of a site or a charger, page by page", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
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

  it.effect("of a connector that flickers looks at the last 50,000 changes, and counts from there", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      yield* told(status(world, 1, october, "Available"))
      // Every 50 seconds; the first 51 are left out, with the one that is told above.
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

  it.effect("refuses a month that has begun nowhere, and one that is not kept", () =>
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

forEachDriver("the availability of connectors over time", live, (it) => {
  const range = { from: october, to: october + 4 * hour, stepMillis: hour }
  const series = (world: World, now: number, more: object = {}) =>
    Effect.gen(function* () {
      const history = yield* ChargerHistory
      const { overall, points } = yield* history.availability(world.organisationId, { ...range, ...more }, now)
      return [points.map(({ value }) => value), overall]
    })

  it.effect("adds up connectors by what each was when the range began, and by what changed in it", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
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
      yield* told(status(world, 2, october + 5 * hour, "Faulted"))
      assert.deepStrictEqual(yield* series(world, october + day), [[50, 100, 50, 100], 75])
      assert.deepStrictEqual(yield* series(world, october + 2 * hour), [[50, 100], 75])
    })
  )

  it.effect("counts the charger as a whole and its connections for each of its connectors", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* told(
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

  it.effect("is that of one site or one charger where it is asked for, and never that of others", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const stranger = yield* aCharger
      yield* told(status(world, 1, october, "Available"), status(stranger, 1, october, "Faulted"))
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

  it.effect("agrees with the uptime of the same month, whatever happened in it (seeds 1 to 5)", () =>
    Effect.gen(function* () {
      const words = ["Available", "Charging", "Faulted", "Unavailable"] as const
      for (let seed = 1; seed <= 5; seed++) {
        const random = new Random(seed)
        const world = yield* aCharger
        const facts = Array.from({ length: 30 }, () =>
          status(world, random.between(0, 1), october + random.between(0, 40 * 24) * hour, random.pick(words))
        )
        // Some of the same time and the same moment of hearing: the last by rank counts, here and there.
        yield* told(...random.shuffled(facts))
        yield* disconnect(world, october + random.between(1, 10) * day)
        yield* connect(world, october + random.between(11, 20) * day)
        const now = october + 50 * day
        const { items } = yield* uptime(world, now, { month: "2026-10" })
        const [, overall] = yield* series(world, now, { to: october + 31 * day, stepMillis: day })
        assert.strictEqual(overall, items[0]?.uptimePercent ?? null)
      }
    })
  )

  it.effect("is refused for more connectors, or out of more changes, than may be read", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      const sql = yield* SqlClient.SqlClient
      const presence = yield* Presence
      yield* told(
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
