/**
 * What Node made of our sources and libraries, kept for the next process: a service that has to compile them all again takes a third
 * more to start. It is made once per machine and version, by a process that ends in order, since most services in tests are killed.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Of everything that a service loads. What is of an earlier version in the cache is seen by Node, and not used. */
const fingerprint = (root: string): string => {
  const hash = createHash("sha256")
    .update(process.version)
    .update(readFileSync(join(root, "package-lock.json")))
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts")
  )
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(root, "src", name)))
  return hash.digest("hex").slice(0, 16)
}

/** The environment in which a Node process finds it. Deno keeps its own without being asked. */
export const compiled = (root: string, node: string): Readonly<Record<string, string>> => {
  const directory = join(tmpdir(), "voltlane-test-seeds", "compiled")
  const env = { NODE_COMPILE_CACHE: directory }
  const made = join(directory, `made-${fingerprint(root)}`)
  if (existsSync(made)) return env
  mkdirSync(directory, { recursive: true })
  const load = ["Run", "Export"].map((name) => `await import("./src/main/${name}.ts")`).join("\n")
  execFileSync(node, ["--input-type=module", "--eval", load], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: "ignore"
  })
  writeFileSync(made, "")
  return env
}
