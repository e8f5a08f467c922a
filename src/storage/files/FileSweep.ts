/**
 * Deletes expired files: diagnostics and logs after their retention, uploads that never arrived, old tokens, contents without an owner, and
 * what dead processes left on the disk. Firmware stays until it is removed.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { transferMillis, uploadWaitsMillis } from "../../domain/file/StoredFile.ts"
import type { Blobs } from "../blobs/Blobs.ts"
import { sweepSpool } from "../blobs/Spool.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

export interface SweepOptions {
  readonly folder: string
  /** How long diagnostics and logs are kept, in days. */
  readonly retentionDays: number
}

const dayMillis = 86_400_000

/** An upload that began at the last possible moment may still be running. */
const neverCameMillis = uploadWaitsMillis + transferMillis

/** How many rows one statement removes: the embedded database does nothing else meanwhile. */
const atOnce = 500

/** How many contents one round removes, each with a request if they are in a bucket; the rest waits for the next day. */
const contentsAtOnce = 5_000

/** Removes rows, and marks their contents as doomed in the same statement; returns how many rows. */
const expire = (sql: SqlClient.SqlClient, options: SweepOptions, now: number) =>
  Effect.map(
    guardedWrite(
      sql<{ n: number }>`
        WITH old AS (
          SELECT f.id FROM file f
          WHERE (f.state = 'Waiting' AND f.created_at <= ${new Date(now - neverCameMillis)})
            OR (f.state = 'Stored' AND f.kind <> 'Firmware' AND f.created_at <= ${new Date(now - options.retentionDays * dayMillis)})
          ORDER BY f.created_at LIMIT ${atOnce}),
        gone AS (DELETE FROM file f USING old o WHERE f.id = o.id RETURNING f.blob),
        doomed AS (
          INSERT INTO file_doomed (blob, due_at) SELECT g.blob, ${new Date(now)}::timestamptz FROM gone g WHERE g.blob IS NOT NULL
          ON CONFLICT (blob) DO UPDATE SET due_at = excluded.due_at)
        SELECT count(*)::int AS n FROM gone`
    ),
    ([row]) => row?.n ?? 0
  )

/** Removes contents that are due. If one cannot be removed, it stays due and the others are still tried. */
export const clear = (sql: SqlClient.SqlClient, blobs: Blobs["Service"], now: number) =>
  Effect.gen(function* () {
    const due = yield* guarded(
      sql<{ blob: string }>`
        SELECT d.blob FROM file_doomed d WHERE d.due_at <= ${new Date(now)} ORDER BY d.due_at LIMIT ${contentsAtOnce}`
    )
    let failed: StorageUnavailable | undefined
    for (const { blob } of due) {
      const removed = Effect.andThen(
        blobs.remove(blob),
        guardedWrite(sql`DELETE FROM file_doomed WHERE blob = ${blob}`)
      )
      yield* Effect.catch(removed, (error) => Effect.sync(() => void (failed = error)))
    }
    if (failed !== undefined) return yield* failed
  })

/** One round at `now` (ms since 1970). */
export const sweepFiles = Effect.fn("Files.sweep")(function* (
  sql: SqlClient.SqlClient,
  blobs: Blobs["Service"],
  options: SweepOptions,
  now: number
) {
  while ((yield* expire(sql, options, now)) === atOnce);
  yield* guardedWrite(sql`DELETE FROM file_download WHERE expires_at <= ${new Date(now)}`)
  yield* clear(sql, blobs, now)
  yield* sweepSpool(options.folder, now)
})

/** Sweeps now, and then every day until the scope closes. */
export const daily = (
  sql: SqlClient.SqlClient,
  writable: Effect.Effect<void, StorageUnavailable>,
  blobs: Blobs["Service"],
  options: SweepOptions
) => {
  const round = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.andThen(writable, sweepFiles(sql, blobs, options, now))
  ).pipe(
    Effect.catchCause((cause) => Effect.logWarning("files: some could not be removed; trying again tomorrow", cause))
  )
  return Effect.forkScoped(Effect.andThen(round, Effect.forever(Effect.delay(round, "1 day"))))
}
