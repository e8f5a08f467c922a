/**
 * Which test runs when. A project is a set of files; `npm test` runs usual, `npm run test:all` also long, and `npx vitest run FILE` finds the file in
 * whichever it is. Workers are made anew for each project, so what runs together is one. The environment adds what needs more than this machine,
 * or much time:
 *
 * - `TEST_DATABASE_URL` (postgres://… of a role that may CREATE DATABASE) adds the PostgreSQL half of every contract suite
 *   and `test/postgres-only`; without it that half is skipped and says so. `TEST_DRIVERS=postgres` leaves out the embedded half.
 * - `TEST_ALL=true` runs suites in full that otherwise run a part of their cases, as OCPI on every version.
 * - `FAULTS=full` or `FAULTS=tenth` adds `test/faults`: all of them or a seeded tenth (`FAULTS_SEED`).
 * - `TEST_SELECT=unit`, `integration`, `property`, `database` or `long` runs only that part (`scripts/testing/select.ts`).
 * - `TEST_REPORT` names a file that gets the results (`scripts/testing/results.ts`; CI adds them up).
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { TestReporter } from "./scripts/testing/reporter.ts"
import { filesOf, selection } from "./scripts/testing/select.ts"
import { faults, long, postgresOnly } from "./scripts/testing/sets.ts"

// What Node makes of libraries and of what threads load is kept for the next process, beside what `test/support/compiled.ts` keeps.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "voltlane-test-seeds", "compiled")

/** A worker that blocks its event loop, or whose file takes longer, is ended: the file fails and the others run on. */
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
    // Forks, not threads: vitest's thread pool does not end cleanly on Deno, and a fork that dies takes no other with it.
    pool: "forks",
    // A file that loads everything anew takes two seconds of a processor for it, and there are hundreds. What files share so is modules
    // without state; databases, services and fakes each makes for itself.
    isolate: false,
    // One more than a small machine has processors: for services and partners, tests wait as often as they work.
    maxWorkers: 3,
    testTimeout: 60_000,
    // A first start of the embedded database alone may take seven seconds on a cold machine, and ten times that on a busy one.
    hookTimeout: 180_000,
    setupFiles: ["scripts/testing/workerLimits.ts"],
    // What passing tests log is of no use to anybody.
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
