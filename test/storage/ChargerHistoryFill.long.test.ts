/** A database of an older version has no history: what stands when it is migrated is where its history begins. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrate } from "../../src/storage/Migrations.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import { forEachDatabase } from "../support/databases.ts"
import { noon, seedChargers } from "../support/journalFacts.ts"

forEachDatabase(
  "The history of an older version's chargers",
  (it) => {
    it.effect("begins with what stood", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(Object.fromEntries(Object.entries(migrations).filter(([key]) => key < "0012")))
        yield* seedChargers(["OLD-1", "OLD-2"])
        const [at, later] = [new Date(noon), new Date(noon + 60_000)]
        yield* sql`INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, error_code, status_at, heard_at)
          VALUES ('OLD-1', 0, 0, 'Available', 'Available', 'NoError', ${at}, ${later}), ('OLD-1', 1, 1, 'Faulted', 'Faulted', 'F', ${later}, ${at})`
        yield* sql`SELECT epoch FROM connection_open(ARRAY['OLD-1', 'OLD-2'], ARRAY['1.6', '1.6'], ARRAY[1, 2], ARRAY['a', 'b'],
          ARRAY[${at}, ${at}]::timestamptz[], 'node')`
        yield* sql`UPDATE connection SET closed_at = ${later} WHERE charger_id = 'OLD-2'`
        yield* migrate(migrations)
        const statuses = yield* sql`
          SELECT evse_id, status, error_code, from_at, heard_at FROM connector_history ORDER BY evse_id`
        assert.deepStrictEqual(statuses, [
          { evse_id: 0, status: "Available", error_code: "NoError", from_at: at, heard_at: later },
          { evse_id: 1, status: "Faulted", error_code: "F", from_at: at, heard_at: at }
        ])
        const connections = () => sql`
          SELECT charger_id, connected_at, disconnected_at, security_profile::int AS profile FROM connection_history ORDER BY charger_id`
        assert.deepStrictEqual(yield* connections(), [
          { charger_id: "OLD-1", connected_at: at, disconnected_at: null, profile: 1 },
          { charger_id: "OLD-2", connected_at: at, disconnected_at: later, profile: 2 }
        ])
        // And goes on from there.
        yield* sql`SELECT connection_close(ARRAY['OLD-1'], (SELECT array_agg(epoch::float8) FROM connection WHERE charger_id = 'OLD-1'),
          ARRAY[${later}]::timestamptz[], ARRAY['bye'])`
        assert.deepInclude((yield* connections())[0], { disconnected_at: later })
      })
    )
  },
  { migrations: {} }
)
