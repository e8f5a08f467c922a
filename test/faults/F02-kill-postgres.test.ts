/** F02: `kill -9` at random instants on PostgreSQL. */
import { expect, it } from "vitest"
import { onPostgres, withPostgres } from "../simulation/Database.ts"
import { killCycles } from "../simulation/KillCycles.ts"

const server = process.env["TEST_DATABASE_URL"] ?? ""

it.skipIf(server === "")(
  "neither loses nor duplicates acknowledged messages when it is killed on PostgreSQL",
  async () => {
    await expect(
      withPostgres(server, (databaseUrl) =>
        killCycles({
          fault: "F02",
          databaseUrl,
          chargers: 200,
          cycles: 100,
          part: 4,
          truth: (_service, read) => read(onPostgres(databaseUrl))
        })
      )
    ).resolves.toBeUndefined()
  },
  3_600_000
)
