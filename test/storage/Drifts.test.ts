/** The list of chargers that differ from what is expected, on both databases: what puts a charger on it, what takes it off, and what is published. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { defaultDriftOptions, driftWatching } from "../../src/actors/background/DriftWatching.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Drifts } from "../../src/domain/charger/Drifts.ts"
import { Expectations } from "../../src/domain/charger/Expectations.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Work } from "../../src/domain/work/Work.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, failureOf, noon, repositories, type TestOrganisation } from "../support/repositories.ts"

let made = 0

type Key = readonly [key: string, value: string, readonly?: boolean]

/** A round that sees all facts, and compares few chargers at once. */
const round = driftWatching({ ...defaultDriftOptions, factsPerRound: 100_000, chargersAtOnce: 2 })

/** The charger's configuration as it reported it, in the table and in the journal, as a commit writes both. */
const reports = (organisation: TestOrganisation, chargerId: string, ...keys: ReadonlyArray<Key>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const stored = JSON.stringify(keys.map(([key, value, readonly = false]) => ({ key, value, readonly })))
    yield* sql`INSERT INTO charger_configuration (charger_id, keys, reported_at)
      VALUES (${chargerId}, ${stored}::text::jsonb, ${new Date(noon)})
      ON CONFLICT (charger_id) DO UPDATE SET keys = excluded.keys`
    yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      VALUES (decode(md5(${`drift ${made++}`}), 'hex'), ${organisation.id}, 'ConfigurationReported', ${`charger:${chargerId}`},
        ${new Date(noon)}, ${new Date(noon)}, '{}')`
  })

/** A new organisation that expects a heartbeat every 300 s, with chargers. */
const world = (chargers: number) =>
  Effect.gen(function* () {
    const organisation = yield* anOrganisation
    yield* (yield* Sites).create({ name: "Quay", timeZone: "UTC" }, organisation.writing())
    const ids = Array.from({ length: chargers }, () => `DRIFT-${String(made++).padStart(4, "0")}`)
    const registry = yield* Chargers
    for (const chargerId of ids) {
      const charger = {
        chargerId,
        name: chargerId,
        siteId: undefined,
        securityProfile: 0,
        passwordVerifier: undefined
      } as const
      yield* registry.register(charger, organisation.writing())
    }
    const expectations = yield* Expectations
    yield* expectations.setTemplate([{ key: "HeartbeatInterval", value: "300" }], organisation.writing())
    return { organisation, ids }
  })

const listed = ({ id }: TestOrganisation) =>
  Effect.map(
    Effect.flatMap(Drifts, (drifts) => drifts.list(id, { limit: 100 })),
    ({ items }) => items.map(({ chargerId, keys, siteName }) => [chargerId, keys, siteName])
  )

const counted = ({ id }: TestOrganisation) =>
  Effect.map(
    Effect.flatMap(Work, (work) => work.counts(id, ["configurationDrifts"])),
    ({ configurationDrifts }) => configurationDrifts
  )

/** The counts that were published, in their order. */
const published = ({ id }: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ body: { configurationDrifts: number } }>`
      SELECT j.body FROM journal j WHERE j.organisation_id = ${id} AND j.type = 'WorkChanged' ORDER BY j.position`
    return rows.map(({ body }) => body.configurationDrifts)
  })

forEachDriver("configuration drifts", repositories, (it) => {
  it.effect("are found by consecutive rounds when the backlog is longer than one round reads", () =>
    Effect.gen(function* () {
      const { ids, organisation } = yield* world(3)
      yield* round
      for (const id of ids) yield* reports(organisation, id, ["HeartbeatInterval", "60"])
      const short = driftWatching({ ...defaultDriftOptions, factsPerRound: 2 })
      let rounds = 1
      while (yield* short) rounds++
      assert.isAbove(rounds, 1)
      assert.deepStrictEqual(
        (yield* listed(organisation)).map(([chargerId]) => chargerId),
        ids
      )
    })
  )

  it.effect("begin with a report that differs in a writable key, and end with one that matches", () =>
    Effect.gen(function* () {
      const { ids, organisation } = yield* world(4)
      const [differs, isAsExpected, cannotBeSet, lacksIt] = ids as [string, string, string, string]
      yield* reports(organisation, differs, ["heartbeatinterval", "60"])
      yield* reports(organisation, isAsExpected, ["HeartbeatInterval", "0300"])
      yield* reports(organisation, cannotBeSet, ["HeartbeatInterval", "60", true])
      yield* reports(organisation, lacksIt, ["Other", "1"])
      yield* round
      assert.deepStrictEqual(yield* listed(organisation), [[differs, 1, "Quay"]])
      assert.deepStrictEqual([yield* counted(organisation), yield* published(organisation)], [1, [1]])
      yield* round
      assert.deepStrictEqual(yield* published(organisation), [1])
      yield* reports(organisation, differs, ["HeartbeatInterval", "300"])
      yield* round
      assert.deepStrictEqual(yield* listed(organisation), [])
      assert.deepStrictEqual([yield* counted(organisation), yield* published(organisation)], [0, [1, 0]])
    })
  )

  it.effect("are updated for all chargers when the template changes, and keep their start time", () =>
    Effect.gen(function* () {
      const { ids, organisation } = yield* world(5)
      for (const id of ids)
        yield* reports(organisation, id, ["HeartbeatInterval", "300"], ["MeterValueSampleInterval", "60"])
      yield* round
      assert.deepStrictEqual(yield* listed(organisation), [])
      const expectations = yield* Expectations
      const keys = [{ key: "MeterValueSampleInterval", value: "30" }]
      yield* expectations.setTemplate(keys, organisation.writing())
      yield* round
      assert.deepStrictEqual(
        yield* listed(organisation),
        ids.map((id) => [id, 1, "Quay"])
      )
      const drifts = yield* Drifts
      const [before] = (yield* drifts.list(organisation.id, { limit: 1 })).items
      yield* expectations.setTemplate([...keys, { key: "HeartbeatInterval", value: "60" }], organisation.writing())
      yield* round
      const [after] = (yield* drifts.list(organisation.id, { limit: 1 })).items
      assert.deepStrictEqual(after, { ...before!, keys: 2 })
      yield* expectations.setTemplate([], organisation.writing())
      yield* round
      assert.deepStrictEqual([yield* listed(organisation), yield* published(organisation)], [[], [5, 0]])
    })
  )

  it.effect("are listed by organisation in pages, and removed with their charger", () =>
    Effect.gen(function* () {
      const one = yield* world(3)
      const other = yield* world(1)
      for (const { ids, organisation } of [one, other]) {
        for (const id of ids) yield* reports(organisation, id, ["HeartbeatInterval", "60"])
      }
      yield* round
      const drifts = yield* Drifts
      const first = yield* drifts.list(one.organisation.id, { limit: 2 })
      const second = yield* drifts.list(one.organisation.id, { limit: 2, cursor: first.nextCursor ?? "" })
      const pages = [...first.items, ...second.items].map(({ chargerId }) => chargerId)
      assert.deepStrictEqual([pages, second.nextCursor], [one.ids, null])
      const wrong = yield* failureOf(drifts.list(one.organisation.id, { limit: 2, cursor: "x" }))
      assert.deepStrictEqual(wrong, ["InvalidInput", "/cursor"])
      assert.deepStrictEqual(yield* listed(other.organisation), [[other.ids[0], 1, "Quay"]])
      const registry = yield* Chargers
      yield* registry.remove(one.ids[0]!, one.organisation.writing())
      yield* round
      assert.deepStrictEqual([yield* counted(one.organisation), yield* published(one.organisation)], [2, [3, 2]])
    })
  )

  it.effect("are not stored for a charger that was removed or belongs to another organisation", () =>
    Effect.gen(function* () {
      const { organisation } = yield* world(1)
      const { ids } = yield* world(1)
      const drifts = yield* Drifts
      const compared = [...ids, "DRIFT-GONE"].map((chargerId) => ({ chargerId, keys: 1 }))
      yield* drifts.put(organisation.id, compared, noon)
      assert.deepStrictEqual(yield* listed(organisation), [])
    })
  )
})
