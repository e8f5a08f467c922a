/**
 * Node's compile cache of our sources and libraries, kept for the next process: a service that has to compile all of them needs a third more time to
 * start. It is created once per machine and version, by a process that ends normally, since most services in tests are killed.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Covers what seldom changes. Node itself detects which of our files have changed, and caches them again when a service ends normally. */
const fingerprint = (root: string): string => {
  const lock = readFileSync(join(root, "package-lock.json"))
  return createHash("sha256").update(process.version).update(root).update(lock).digest("hex").slice(0, 16)
}

/** The environment in which a Node process finds the cache. Deno has a cache of its own anyway. */
export const compiled = (root: string, node: string): Readonly<Record<string, string>> => {
  const directory = join(tmpdir(), "voltlane-test-seeds", "compiled")
  const env = { NODE_COMPILE_CACHE: directory }
  const made = join(directory, `made-${fingerprint(root)}`)
  if (existsSync(made)) return env
  mkdirSync(directory, { recursive: true })
  const load = ["Run", "Export"].map((name) => `await import("./src/main/${name}.ts")`).join("\n")
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: "ignore" } as const
  // Sources that cannot be loaded are reported by the service that needs them.
  const { status } = spawnSync(node, ["--input-type=module", "--eval", load], options)
  if (status === 0) writeFileSync(made, "")
  return env
}
