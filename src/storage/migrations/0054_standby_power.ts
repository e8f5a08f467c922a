/** Up to which power a vehicle counts as parked: a setting of the organisation, since it decides what its drivers pay. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statement = `ALTER TABLE organisation ADD COLUMN standby_power_w integer NOT NULL DEFAULT 100
  CHECK (standby_power_w BETWEEN 1 AND 10000)`

export const standbyPower = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
