/** The image of the embedded database, as `npm ci` builds it, for tests; built again if the sources have changed since. */
import { Effect } from "effect"
import { existsSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeImage } from "../../scripts/build-database.ts"
import { imageName, imagePath } from "../../src/storage/pglite/Image.ts"

/** The path of its file. */
export const builtImage: Effect.Effect<string> = Effect.gen(function* () {
  const built = imagePath()
  if (built !== undefined && existsSync(built)) return built
  const folder = join(tmpdir(), "voltlane-test-seeds")
  const path = join(folder, imageName())
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  yield* writeImage(path)
  return path
}).pipe(Effect.orDie)
