/** The console as `npm run console` builds it: built again if a source is newer than the last build. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export const folder = join(import.meta.dirname, "..", "..", "console", "dist")

const newest = (of: string): number =>
  Math.max(
    ...readdirSync(of, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  )

const sources = join(import.meta.dirname, "..", "..", "console", "src")

/** The folder of the built console; builds it first if necessary. */
export const builtConsole = (): string => {
  const index = join(folder, "index.html")
  if (existsSync(index) && statSync(index).mtimeMs >= newest(sources)) return folder
  const args = "Deno" in globalThis ? ["run", "-A", "scripts/build-console.ts"] : ["scripts/build-console.ts"]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`the console was not built:\n${stderr}`)
  return folder
}
