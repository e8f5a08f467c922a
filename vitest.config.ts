/**
 * Which test runs when. `vitest run` (that is `npm test`) runs the projects unit, property and integration; the rest is
 * asked for by the environment, so that no plain run waits for it:
 *
 * - `TEST_DATABASE_URL` (postgres://… of a role that may CREATE DATABASE) adds the PostgreSQL half of every contract suite
 *   and `test/postgres-only`; without it that half is skipped and says so.
 * - `FAULTS=full` or `FAULTS=tenth` adds `test/faults`: the long ones, all of them or a seeded tenth (`FAULTS_SEED`).
 * - `TEST_REPORT` names a file that gets the same results as JSON (CI adds them up).
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

// What Node makes of libraries and of what threads load is kept for the next process, beside what `test/support/compiled.ts` keeps.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "voltlane-test-seeds", "compiled")

/** Tests that start a database, a listener or a process: by name, or by living where everything does so. */
const integration = [
  "test/**/*.integration.test.ts",
  "test/storage/**/*.test.ts",
  "test/runtime/**/*.test.ts",
  "test/examples/**/*.test.ts"
]
const property = ["test/**/*.property.test.ts"]
const faults = ["test/faults/**/*.test.ts"]
const postgresOnly = ["test/postgres-only/**/*.test.ts"]

const project = (name: string, include: Array<string>, exclude: Array<string> = []) => ({
  extends: true as const,
  test: { name, include, exclude }
})

const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    // Forks, not threads: vitest's thread pool does not end cleanly on Deno.
    pool: "forks",
    // A file that loads everything anew takes two seconds of a processor for it, and there are hundreds. What files share so is modules
    // without state; databases, services and fakes each makes for itself.
    isolate: false,
    // One more than a small machine has processors: for services and partners, tests wait as often as they work.
    maxWorkers: 3,
    testTimeout: 60_000,
    // A first start of the embedded database alone may take seven seconds on a cold machine, and ten times that on a busy one.
    hookTimeout: 180_000,
    // CI's machine may be busy with others' work, and a process that is late there proves nothing; what fails twice does. Whoever works
    // on the code sees every failure.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      project("unit", ["test/**/*.test.ts"], [...integration, ...property, ...faults, ...postgresOnly]),
      project("property", property, [...integration, ...faults, ...postgresOnly]),
      project("integration", integration, [...faults, ...postgresOnly]),
      ...(process.env["TEST_DATABASE_URL"] === undefined ? [] : [project("postgres-only", postgresOnly)]),
      ...(process.env["FAULTS"] === undefined ? [] : [project("faults", faults)])
    ]
  }
})
