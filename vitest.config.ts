/**
 * Which test runs when. A project is a set of files: `npm test` runs the project `usual`, `npm run test:all` also `long`, and `npx vitest run FILE`
 * finds the file in either. Workers are started anew for each project, so files that run together are in one project. Environment variables add tests
 * that need more than this machine, or much time:
 *
 * - `TEST_DATABASE_URL` (postgres://… of a role that may CREATE DATABASE) adds the PostgreSQL half of every contract suite and `test/postgres-only`.
 *   Without it that half is skipped, with a notice. `TEST_DRIVERS=postgres` leaves out the embedded half.
 * - `TEST_ALL=true` runs suites in full that otherwise run a part of their cases, for example OCPI on every version.
 * - `FAULTS=full` or `FAULTS=tenth` adds `test/faults`: all of them or a seeded tenth (`FAULTS_SEED`).
 * - `TEST_SELECT=unit`, `integration`, `runtime`, `property`, `database` or `long` runs only that part (`scripts/testing/select.ts`).
 * - `TEST_REPORT` names a file that gets the results (`scripts/testing/results.ts`; CI adds them up).
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { TestReporter } from "./scripts/testing/reporter.ts"
import { filesOf, selection } from "./scripts/testing/select.ts"
import { faults, long, postgresOnly } from "./scripts/testing/sets.ts"

// Node's compile cache for libraries and for what threads load is kept for the next process, beside what `test/support/compiled.ts` keeps.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "voltlane-test-seeds", "compiled")

/** A worker that blocks its event loop, or whose file takes longer, is ended: the file fails and the others continue. */
const limits = { blocked_s: 180, file_s: 600 }

const selected = process.env["TEST_SELECT"]
const cut = (include: Array<string>): Array<string> =>
  selected === undefined ? include : filesOf(include).filter(selection(selected))

const project = (name: string, include: Array<string>, exclude: Array<string> = [], workerLimits = limits) => ({
  extends: true as const,
  test: { name, include: cut(include), exclude, provide: { workerLimits } }
})

export default defineConfig({
  test: {
    // Forks, not threads: vitest's thread pool does not end cleanly on Deno, and a fork that dies does not end the others.
    pool: "forks",
    // A file that loads everything anew needs two seconds of CPU for that, and there are hundreds of files. What they share are modules without
    // state; each file creates its own databases, services and fakes.
    isolate: false,
    // One more than a small machine has processors: tests wait for services and partners as much as they compute.
    maxWorkers: 3,
    testTimeout: 60_000,
    // The first start of the embedded database alone may take seven seconds on a cold machine, and ten times that on a busy one.
    hookTimeout: 180_000,
    setupFiles: ["scripts/testing/workerLimits.ts"],
    // The log output of passing tests is of no use.
    silent: "passed-only",
    reporters: [new TestReporter({ report: process.env["TEST_REPORT"] })],
    projects: [
      project("usual", ["test/**/*.test.ts"], [...long, ...faults, ...postgresOnly]),
      project("long", long),
      ...(process.env["TEST_DATABASE_URL"] === undefined ? [] : [project("postgres-only", postgresOnly)]),
      ...(process.env["FAULTS"] === undefined ? [] : [project("faults", faults, [], { ...limits, file_s: 3600 })])
    ]
  }
})
