/**
 * The PostgreSQL of a run: a private cluster that waits for the disk at every commit, as production does. Otherwise the
 * one at `BENCH_DATABASE_URL`, which must run on this machine, since its CPU time must be readable.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Duration, Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { rmSync } from "node:fs"
import { startPostgres } from "../../scripts/postgres.ts"
import { parentOf } from "./process.ts"

export type Row = Readonly<Record<string, unknown>>

const inSession = <A>(
  url: string,
  use: (session: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
): Promise<A> =>
  PgConnection.make({ url: Redacted.make(url) }).pipe(Effect.flatMap(use), Effect.scoped, Effect.runPromise)

/** Runs one statement on a session of its own. */
export const query = (url: string, sql: string): Promise<ReadonlyArray<Row>> =>
  inSession(url, (session) => Effect.map(session.query(sql), (result) => result.rows))

/** Runs statements one after the other on one session; `after` is called after each one with its seconds. */
export const script = (
  url: string,
  statements: ReadonlyArray<string>,
  after: (statement: string, seconds: number) => void
): Promise<void> =>
  inSession(url, (session) =>
    Effect.forEach(
      statements,
      (statement) =>
        Effect.map(Effect.timed(session.query(statement)), ([duration]) =>
          after(statement, Duration.toSeconds(duration))
        ),
      { discard: true }
    )
  )

export interface Cluster extends AsyncDisposable {
  /** Root of PostgreSQL's process tree. */
  readonly pid: number
  readonly version: string
  /** Connection string of a database of this cluster. */
  readonly url: (database: string) => string
  /** Creates an empty database, dropping an old one of that name; returns its connection string. */
  readonly createDatabase: (name: string) => Promise<string>
}

const joined = async (base: string, dispose: () => Promise<void>): Promise<Cluster> => {
  const url = (database: string) => Object.assign(new URL(base), { pathname: `/${database}` }).toString()
  // The parent of a session's process is the postmaster; it is looked up while the session is open.
  const { pid, version } = await inSession(base, (session) =>
    Effect.map(session.query("SHOW server_version"), ({ rows: [row] }) => ({
      pid: parentOf(session.processId),
      version: String(row?.["server_version"])
    }))
  )
  if (pid <= 1) throw new Error("BENCH_DATABASE_URL is not on this machine: its CPU time could not be counted")
  const createDatabase = async (name: string) => {
    await query(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await query(base, `CREATE DATABASE ${name}`)
    return url(name)
  }
  return { pid, version, url, createDatabase, [Symbol.asyncDispose]: dispose }
}

export const startCluster = async (): Promise<Cluster> => {
  const given = process.env["BENCH_DATABASE_URL"]
  if (given !== undefined) return joined(given, async () => {})
  const postgres = await startPostgres({ fsync: true })
  const abandon = () => {
    // The bench itself is being ended. An immediate shutdown is enough, since nothing in the cluster is needed any more.
    process.kill(postgres.pid, "SIGQUIT")
    rmSync(postgres.directory, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once("exit", abandon)
  return joined(postgres.url, () => {
    process.off("exit", abandon)
    return postgres.stop()
  })
}
