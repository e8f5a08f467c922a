/** F01: `kill -9` at random instants on the embedded database. */
import { expect, it } from "vitest"
import { onFiles } from "../simulation/Database.ts"
import { killCycles } from "../simulation/KillCycles.ts"

it("neither loses nor duplicates acknowledged messages when it is killed on the embedded database", async () => {
  await expect(
    killCycles({
      fault: "F01",
      chargers: 200,
      cycles: 100,
      part: 3,
      truth: (service, read) => onFiles(service.dataDir, read)
    })
  ).resolves.toBeUndefined()
}, 3_600_000)
