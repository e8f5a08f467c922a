/** How PostgreSQL plans a page of locations and of tariffs for a partner: along an index, wherever the page is. */
import { expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Locations } from "../../src/domain/site/Locations.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { drivers } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { planOf, statementsOf } from "../support/statements.ts"

const rows = 6000

/** Half of them belong to the organisation; there is a minute between each two. */
const fill = (ours: TestOrganisation, theirs: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = new Date(noon)
    yield* sql`INSERT INTO location (id, organisation_id, ordinal, body, last_updated, looked_at)
      SELECT gen_random_uuid(), CASE WHEN n % 2 = 0 THEN ${ours.id}::uuid ELSE ${theirs.id}::uuid END, (n + 1) / 2, '{}',
        ${now}::timestamptz + n * interval '1 minute', ${now}
      FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO location_text (format, location_id, text)
      SELECT f, id, '{}' FROM location, unnest(ARRAY['2.1.1', '2.2', '2.2.1']) f`
    yield* sql`INSERT INTO evse (uid, organisation_id, site_id, charger_id, evse_id, number, public_id, created_at)
      SELECT gen_random_uuid(), organisation_id, id, 'C' || id, 1, ordinal, 'E', ${now} FROM location`
    yield* sql`ANALYZE`
  })

const wholeTable = /Seq Scan on (?:location|location_text|evse)\b/

const expectIndexed = (asked: Effect.Effect<unknown, unknown>, index: string) =>
  Effect.gen(function* () {
    const plans: Array<string> = []
    for (const statement of yield* statementsOf(asked)) {
      const plan = yield* planOf(statement)
      expect(plan).not.toMatch(wholeTable)
      plans.push(plan)
    }
    expect(plans.join("\n")).toContain(index)
  })

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(repositories, driver.layer), { excludeTestServices: true, timeout: "120 seconds" })(
    `Plans on ${driver.name}`,
    (it) => {
      it.effect("of locations and offered tariffs read no whole table", () =>
        Effect.gen(function* () {
          const locations = yield* Locations
          const tariffs = yield* Tariffs
          const sql = yield* SqlClient.SqlClient
          const ours = yield* anOrganisation
          yield* fill(ours, yield* anOrganisation)
          const json = (window: object) =>
            locations.json(ours.id, "2.2.1", { offset: 0, limit: 50, ...window }, { before: "[", after: "]" })
          expect(yield* json({})).toMatchObject({ count: 50, total: rows / 2 })
          yield* expectIndexed(json({}), "location_order")
          yield* expectIndexed(json({ offset: rows / 2 - 50 }), "location_order")
          // A span that excludes nothing is read by number as well, another one by the time of the change.
          yield* expectIndexed(json({ from: noon, offset: rows / 2 - 50 }), "location_order")
          const hour = 3_600_000
          yield* expectIndexed(json({ from: noon + hour, to: noon + 2 * hour }), "location_changed")
          const [{ id } = { id: "" }] = yield* sql<{ readonly id: string }>`
            SELECT id FROM location WHERE organisation_id = ${ours.id} LIMIT 1`
          yield* expectIndexed(
            locations.evseOf(ours.id, `C${id}`, 1),
            "evse_organisation_id_charger_id_evse_id_site_id_key"
          )
          yield* expectIndexed(Effect.exit(locations.ofSites(ours.id, [id])), "location_pkey")
          expect(yield* tariffs.offered(ours.id, { offset: 0, limit: 50 })).toEqual({ items: [], total: 0 })
        })
      )
    }
  )
}
