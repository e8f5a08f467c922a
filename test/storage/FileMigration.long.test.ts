/** Files that were there before firmware stay where they are, and can be read. */
import { assert } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { Files } from "../../src/domain/ports/Files.ts"
import { layerDisk } from "../../src/storage/blobs/Disk.ts"
import { layer } from "../../src/storage/Files.ts"
import { migrate } from "../../src/storage/Migrations.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import * as Secrets from "../../src/storage/Secrets.ts"
import { forEachDatabase } from "../support/databases.ts"

const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0013"))
const organisation = "01970000-0000-7000-8000-00000000000a"
const [stored, waiting] = ["01970000-0000-7000-8000-000000000001", "01970000-0000-7000-8000-000000000002"]

forEachDatabase(
  "the migration to firmware",
  (it) =>
    it.effect("leaves files that have come to be read, and those that wait to come", () => {
      const folder = mkdtempSync(join(tmpdir(), "voltlane-migration-"))
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // As the version before wrote them, in a folder that this one sweeps at its start: not older than their retention.
        const at = new Date()
        yield* sql`INSERT INTO file (id, organisation_id, charger_id, kind, name, state, size, sha256, token_verifier, created_at)
          VALUES (${stored}, ${organisation}, 'C1', 'Log', 'a.log', 'Stored', 3, 'aa', ${new Uint8Array([1])}, ${at}),
            (${waiting}, ${organisation}, 'C1', 'Diagnostics', '', 'Waiting', 0, NULL, ${new Uint8Array([2])}, ${at})`
        writeFileSync(join(folder, stored), "log")
        yield* migrate(migrations)
        const files = layer({ ...limits.files, folder }).pipe(
          Layer.provide(layerDisk(folder)),
          Layer.provide(Secrets.layer(Redacted.make("a secret of the tests")))
        )
        const read = Effect.flatMap(Files, ({ content, list }) =>
          Effect.gen(function* () {
            const { items } = yield* list(organisation, { limit: 10 })
            const chunks = yield* Stream.runCollect(yield* content(organisation, stored))
            return [items.map(({ id, state }) => [id, state]), Buffer.concat(chunks).toString()]
          })
        )
        assert.deepStrictEqual(yield* Effect.provide(read, files), [
          [
            [waiting, "Waiting"],
            [stored, "Stored"]
          ],
          "log"
        ])
      })
    }),
  { migrations: before }
)
