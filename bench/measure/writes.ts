/**
 * What a workload wrote: rows and commits of one database (`pg_stat_database`) and the cluster's WAL bytes.
 *
 * A session of PostgreSQL 15 reports its counters at most once a second while it works, and otherwise after ten seconds
 * of idleness. So `writesSince` waits until the counters no longer change before it reads them.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type Cluster, query } from "./postgres.ts"

export interface Writes {
  readonly rows: number
  readonly commits: number
  readonly walBytes: number
}

/** More than `PGSTAT_IDLE_INTERVAL` of PostgreSQL, which is 10 s. */
const COUNTERS_AT_REST_MS = 10_500

/** Waits until every session has reported its counters. */
export const countersAtRest = (): Promise<void> => sleep(COUNTERS_AT_REST_MS)

export const writesOf = async (cluster: Cluster, database: string): Promise<Writes> => {
  const [row] = await query(
    cluster.url("postgres"),
    `SELECT (tup_inserted + tup_updated + tup_deleted)::float8 AS rows, xact_commit::float8 AS commits,
       (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal FROM pg_stat_database WHERE datname = '${database}'`
  )
  return { rows: Number(row?.["rows"]), commits: Number(row?.["commits"]), walBytes: Number(row?.["wal"]) }
}

/**
 * The difference to `before`. The WAL position is exact at once and is read first. So what a checkpoint or an idle
 * timer writes during the wait for the counters is not charged to the workload.
 */
export const writesSince = async (cluster: Cluster, database: string, before: Writes): Promise<Writes> => {
  const { walBytes } = await writesOf(cluster, database)
  await countersAtRest()
  const after = await writesOf(cluster, database)
  return {
    rows: after.rows - before.rows,
    commits: after.commits - before.commits,
    walBytes: walBytes - before.walBytes
  }
}
