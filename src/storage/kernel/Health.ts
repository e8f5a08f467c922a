/**
 * `StorageHealth` for both databases: the durability of acknowledged data, as determined at the start, and a health check that always
 * answers soon.
 */
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { StorageHealth, type StorageReport } from "../../domain/values/StorageHealth.ts"
import { schemaVersion } from "./Migrations.ts"
import { toUnavailable } from "./SqlErrors.ts"
import type { Engine } from "../pglite/Engine.ts"
import type { FreeSpace } from "../pglite/FreeSpace.ts"

/** Readiness is checked often, by callers with short timeouts. */
const checkMillis = 2_000

/**
 * Runs the check's query to its end in the background and waits for it at most {@link checkMillis}, since interrupting a query could take
 * longer than that. While one query is running, other callers wait for the same one, so queries do not pile up on a database that hangs.
 */
const makeCheck = Effect.fnUntraced(function* (question: Effect.Effect<Omit<StorageReport, "ok">, SqlError>) {
  const scope = yield* Effect.scope
  let pending: Deferred.Deferred<StorageReport> | undefined
  let version = 0
  const report = Effect.match(question, {
    onFailure: (error): StorageReport => ({
      ok: false,
      detail: toUnavailable(error)?.message ?? error.message,
      schemaVersion: version
    }),
    onSuccess: (found): StorageReport => {
      version = found.schemaVersion
      return { ok: true, ...found }
    }
  })
  // A caller may be interrupted at any time; a pending query always has a fiber that completes it.
  const ask = Effect.uninterruptible(
    Effect.gen(function* () {
      const answer = yield* Deferred.make<StorageReport>()
      pending = answer
      yield* report.pipe(
        Effect.flatMap((found) => Deferred.succeed(answer, found)),
        Effect.ensuring(Effect.sync(() => (pending = undefined))),
        Effect.interruptible,
        Effect.forkIn(scope)
      )
      return answer
    })
  )
  const check = Effect.suspend(() => (pending === undefined ? ask : Effect.succeed(pending))).pipe(
    Effect.flatMap(Deferred.await),
    Effect.timeoutOrElse({
      duration: checkMillis,
      orElse: () =>
        Effect.succeed<StorageReport>({
          ok: false,
          detail: `the database has not answered within ${checkMillis / 1000} s`,
          schemaVersion: version
        })
    })
  )
  return { check }
})

const engineDurability = (synced: boolean): string =>
  synced
    ? "embedded PGlite: acknowledged data survives kill -9; every commit is synced to the disk, but this was never tested with a power cut"
    : "embedded PGlite: acknowledged data survives kill -9, not power loss (commits are not synced to the disk)"

export const layerEngineHealth = (
  engine: Engine,
  space: FreeSpace
): Layer.Layer<StorageHealth, never, SqlClient.SqlClient> =>
  Layer.effect(
    StorageHealth,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const question = Effect.gen(function* () {
        const version = yield* schemaVersion
        const freeBytes = yield* space.bytes
        const left = freeBytes === undefined ? "" : `, ${Math.floor(freeBytes / 1024 / 1024)} MiB of disk left`
        return {
          detail: `embedded PGlite, schema ${version}${left}`,
          schemaVersion: version,
          ...(freeBytes === undefined ? {} : { freeBytes })
        }
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      const { check } = yield* makeCheck(question)
      return {
        kind: "pglite" as const,
        durability: engineDurability(engine.synced),
        // With too little disk space the service is not ready, although it can still read.
        check: Effect.flatMap(check, (report) =>
          Effect.match(space.check, {
            onFailure: (error) => ({ ...report, ok: false, detail: error.message }),
            onSuccess: () => report
          })
        ),
        writable: space.check,
        writableByConnections: space.checkHalf
      }
    })
  )

const serverDurability = (fsync: string, synchronousCommit: string): string => {
  if (fsync === "off")
    return "PostgreSQL with fsync=off: acknowledged data survives a crash of processes, but not of the machine"
  if (synchronousCommit === "off") {
    return "PostgreSQL with synchronous_commit=off: the most recent acknowledged data is lost in a crash of PostgreSQL"
  }
  return "PostgreSQL: acknowledged data survives a crash of processes and of the machine"
}

export const layerServerHealth: Layer.Layer<StorageHealth, SqlError, SqlClient.SqlClient> = Layer.effect(
  StorageHealth,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [found] = yield* sql<{ version: string; fsync: string; commit: string }>`SELECT
      current_setting('server_version') AS version,
      current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS commit`
    const server = `PostgreSQL ${found?.version ?? "of an unknown version"}`
    const question = schemaVersion.pipe(
      Effect.map((version) => ({ detail: `${server}, schema ${version}`, schemaVersion: version })),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
    const { check } = yield* makeCheck(question)
    return {
      kind: "postgres" as const,
      durability: serverDurability(found?.fsync ?? "on", found?.commit ?? "on"),
      check,
      writable: Effect.void,
      writableByConnections: Effect.void
    }
  })
)
