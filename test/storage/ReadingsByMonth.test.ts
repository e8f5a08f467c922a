/**
 * What a look-up of readings costs after two years: a statement about one session visits the partition of its month and no other, whatever the number
 * of months. Counted by the database itself, while the statements of the repositories run.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Ledgers } from "../../src/domain/session/Ledgers.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { monthsBefore } from "../../src/domain/values/Month.ts"
import { maintain } from "../../src/storage/kernel/Partitions.ts"
import { forEachDriver } from "../support/databases.ts"
import { aReading, aSession } from "../support/reported.ts"
import { visitedTables } from "../support/visitedTables.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"

const months = 24
const minute = 60_000

/** The partitions of readings that are visited while `effect` runs. */
const visited = <A, E, R>(effect: Effect.Effect<A, E, R>) => visitedTables("meter%", effect)

/** Two years of a charger: a session with two readings in each month, of which the first is the oldest. */
const twoYears = (ours: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const site = yield* (yield* Sites).create({ name: "Here" }, ours.writing())
    yield* (yield* Chargers).register(
      { chargerId: "AGED", name: "C", siteId: site.id, securityProfile: 0, passwordVerifier: undefined },
      ours.writing()
    )
    const kept = {
      messageRetentionDays: 30,
      readingsRetentionMonths: 100,
      factsRetentionMonths: 100,
      sessionsRetentionMonths: undefined,
      auditRetentionMonths: undefined,
      commandsRetentionMonths: 100
    }
    const sessions: Array<string> = []
    for (let ago = months; ago > 0; ago--) {
      const at = monthsBefore(noon, ago)
      yield* maintain(sql, kept, at)
      const id = yield* aSession(ours, { chargerId: "AGED", siteId: site.id, startedAt: at, endedAt: at + 60 * minute })
      for (const n of [1, 2]) yield* aReading(ours, "AGED", id, at + n * minute, n)
      sessions.push(id)
    }
    return { site, sessions }
  })

forEachDriver("readings after two years", repositories, (it) => {
  it.effect("are read from the month of their session alone, and a start visits only recent and unassigned ones", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const { sessions, site } = yield* twoYears(ours)
      const [one = "", other = ""] = [sessions[10], sessions[20]]
      const [month, otherMonth] = ["meter_202503", "meter_202601"]
      const page = (yield* Sessions).readings(ours.id, one, { limit: 50 })
      assert.lengthOf((yield* page).items, 2)
      assert.deepStrictEqual(yield* visited(page), [month])
      const ledgers = yield* Ledgers
      assert.deepStrictEqual(yield* visited(ledgers.ofSession(ours.id, one)), [month])
      const both = ledgers.read([one, other])
      assert.deepStrictEqual(
        (yield* both).map(({ readings }) => readings.length),
        [2, 2]
      )
      assert.deepStrictEqual(yield* visited(both), [month, otherMonth])
      const start = aSession(ours, { chargerId: "AGED", siteId: site.id, startedAt: noon })
      assert.deepStrictEqual(yield* visited(start), [
        "meter_202602",
        "meter_202603",
        "meter_202604",
        // Unassigned readings, from the month of the start on.
        "meter_unassigned_202605",
        "meter_unassigned_202606",
        "meter_unassigned_other"
      ])
    })
  )
})
