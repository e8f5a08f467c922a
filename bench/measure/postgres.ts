/**
 * The PostgreSQL of a run: a private cluster that waits for the disk at every commit, as production does, or the one at
 * `BENCH_DATABASE_URL` when that runs on this machine, since its CPU time must be readable.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted } from "effect"
import { rmSync } from "node:fs"
import { startPostgres } from "../../scripts/postgres.ts"
import { parentOf } from "./process.ts"

export type Row = Readonly<Record<string, unknown>>

/** Runs one statement on a session of its own. */
export const query = (url: string, sql: string): Promise<ReadonlyArray<Row>> =>
  PgConnection.make({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((session) => session.query(sql)),
    Effect.map((result) => result.rows),
    Effect.scoped,
    Effect.runPromise
  )

export interface Cluster extends AsyncDisposable {
  /** Root of PostgreSQL's process tree. */
  readonly pid: number
  readonly version: string
  /** Connection string of a database of this cluster. */
  readonly url: (database: string) => string
  /** Makes an empty database, dropping an old one of that name; answers its connection string. */
  readonly createDatabase: (name: string) => Promise<string>
}

const joined = async (base: string, dispose: () => Promise<void>): Promise<Cluster> => {
  const url = (database: string) => Object.assign(new URL(base), { pathname: `/${database}` }).toString()
  const [row] = await query(base, "SELECT pg_backend_pid() AS pid, current_setting('server_version') AS version")
  const pid = parentOf(Number(row?.["pid"]))
  if (pid <= 1) throw new Error("BENCH_DATABASE_URL is not on this machine: its CPU time could not be counted")
  const createDatabase = async (name: string) => {
    await query(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await query(base, `CREATE DATABASE ${name}`)
    return url(name)
  }
  return { pid, version: String(row?.["version"]), url, createDatabase, [Symbol.asyncDispose]: dispose }
}

export const startCluster = async (): Promise<Cluster> => {
  const given = process.env["BENCH_DATABASE_URL"]
  if (given !== undefined) return joined(given, async () => {})
  const postgres = await startPostgres({ fsync: true })
  const abandon = () => {
    // The bench itself is being ended: an immediate shutdown, since nothing of the cluster is wanted any more.
    process.kill(postgres.pid, "SIGQUIT")
    rmSync(postgres.directory, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once("exit", abandon)
  return joined(postgres.url, () => {
    process.off("exit", abandon)
    return postgres.stop()
  })
}
