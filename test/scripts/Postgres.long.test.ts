/** The temporary PostgreSQL of tests: it starts, requires a password, may create databases, and leaves nothing behind. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { findBinaries, startPostgres } from "../../scripts/postgres.ts"

const node = "node_modules/.bin/node"

const connect = <A, E>(url: string, use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    return yield* use(yield* PgClient.PgClient)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)

// Without an installed PostgreSQL there is nothing to start; `npm run test:postgres` reports that.
describe.skipIf(findBinaries() === undefined)("a PostgreSQL for tests", () => {
  it("requires its password, may create databases, and is removed when stopped", async () => {
    const postgres = await startPostgres({ fsync: false })
    try {
      const rows = await connect(postgres.url, (sql) =>
        Effect.andThen(sql`CREATE DATABASE another`, sql<{ fsync: string }>`SHOW fsync`)
      )
      expect(rows).toEqual([{ fsync: "off" }])
      await connect(postgres.url.replace(/postgres$/, "another"), (sql) => sql`SELECT 1`)

      const stranger = postgres.url.replace(/:[^:@]+@/, ":guess@")
      await expect(connect(stranger, (sql) => sql`SELECT 1`)).rejects.toThrow()
    } finally {
      await postgres.stop()
    }
    expect(existsSync(postgres.directory)).toBe(false)
    await expect(connect(postgres.url, (sql) => sql`SELECT 1`)).rejects.toThrow()
    await postgres.stop()
  })

  it("gives its address to a command and ends as the command does", () => {
    const env = { ...process.env }
    delete env["TEST_DATABASE_URL"]
    const run = (script: string) =>
      execFileSync(node, ["scripts/with-postgres.ts", "sh", "-c", script], { encoding: "utf8", env, stdio: "pipe" })
    expect(run('echo "$TEST_DATABASE_URL"')).toMatch(/^postgres:\/\/postgres:.+@127\.0\.0\.1:\d+\/postgres\n$/)
    expect(() => run("exit 7")).toThrow(expect.objectContaining({ status: 7 }))
  })

  it("starts nothing when an address is given", () => {
    const env = { ...process.env, TEST_DATABASE_URL: "postgres://given@127.0.0.1:1/x" }
    const command = ["scripts/with-postgres.ts", "sh", "-c", 'echo "$TEST_DATABASE_URL"']
    expect(execFileSync(node, command, { encoding: "utf8", env })).toBe("postgres://given@127.0.0.1:1/x\n")
  })
})
