/**
 * How contents come in: spooled, counted against the organisation's quota, put where contents lie, and only then told of. A row that says
 * Stored has its content, whatever happened in between; a content that no row tells of stands as doomed, and is swept.
 */
import { Clock, Effect, type Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, type InvalidInput, StorageUnavailable } from "../../domain/Errors.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import type { Blobs, Spooled } from "../blobs/Blobs.ts"
import { makeFreeSpace } from "../pglite/FreeSpace.ts"
import { spool } from "../blobs/Spool.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

export interface ArrivalsOptions {
  /** Where contents are written aside as they come. */
  readonly folder: string
  /** Bytes that the files of one organisation may have. */
  readonly quotaBytes: number
  /** Bytes of the folder's disk that files leave free: more than the database keeps for itself, so that files never fill it. */
  readonly minFreeBytes: number
  /** Replaces the question to the file system, for tests. */
  readonly measure?: () => Promise<number>
}

/** Uploads of one organisation at a time, in this process: each costs the disk's speed. */
const atOnce = 4

const busy = new StorageUnavailable({
  reason: "busy",
  message: `${atOnce} files of this organisation are on their way; send this one later`
})

/** Bytes of an upload between two looks at disk and quota. */
const checkEveryBytes = 4 * 1024 * 1024

/** A content that was put and not told of: no put takes nearly so long. */
const doomedAfterMillis = 24 * 60 * 60 * 1000

/** A content that has come whole, and the key under which it lies. */
export interface Arrived extends Spooled {
  readonly blob: string
  /** When it had come; ms epoch. */
  readonly at: number
}

export interface Arrivals {
  /** Bytes that have come by now of a file whose upload runs in this process. */
  readonly received: (id: string) => number | undefined
  readonly take: (
    organisationId: string,
    id: string,
    content: Stream.Stream<Uint8Array, unknown>
  ) => Effect.Effect<Arrived, Conflict | InvalidInput | StorageUnavailable>
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const arrivals = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  blobs: Blobs["Service"],
  options: ArrivalsOptions
): Arrivals => {
  // Uploads that run: a few of each organisation. A file may come twice at once, where its charger tries again.
  const running = new Set<{ readonly id: string; readonly organisationId: string; bytes: number }>()
  const space = makeFreeSpace({
    directory: options.folder,
    minFreeBytes: options.minFreeBytes,
    ...(options.measure === undefined ? {} : { measure: options.measure })
  })

  const runningOf = (organisationId: string) => [...running].filter((one) => one.organisationId === organisationId)

  /** Also counts what has come of uploads that run, this one included, so that two that come at once cannot pass together. */
  const withinQuota = (organisationId: string) =>
    Effect.gen(function* () {
      const own = scopedTo(sql, organisationId)
      const [used] = yield* guarded(
        own<{ bytes: number }>`SELECT coalesce(sum(f.size), 0)::float8 AS bytes FROM file f WHERE ${own.rowsOf("f")}`
      )
      const coming = runningOf(organisationId).reduce((sum, { bytes }) => sum + bytes, 0)
      if ((used?.bytes ?? 0) + Math.max(1, coming) <= options.quotaBytes) return
      const message = `This organisation's files would have more than ${options.quotaBytes} bytes. Remove some.`
      return yield* new Conflict({ code: "file_quota", message })
    })

  return {
    received: (id) => [...running].findLast((one) => one.id === id)?.bytes,
    take: Effect.fnUntraced(function* (organisationId, id, content) {
      if (runningOf(organisationId).length >= atOnce) return yield* busy
      const upload = { id, organisationId, bytes: 0 }
      running.add(upload)
      return yield* Effect.gen(function* () {
        // Asked before, while it comes and after, so that a full store refuses at once and a full disk in time.
        yield* withinQuota(organisationId)
        yield* space.check
        let checkedAt = 0
        const received = Effect.fnUntraced(function* (bytes: number) {
          upload.bytes = bytes
          if (bytes - checkedAt < checkEveryBytes) return
          checkedAt = bytes
          yield* space.check
          yield* withinQuota(organisationId)
        })
        const blob = `${id}-${hex(secrets.randomBytes(6))}`
        const spooled = yield* spool(options.folder, blob, content, received)
        yield* withinQuota(organisationId)
        const at = yield* Clock.currentTimeMillis
        const due = new Date(at + doomedAfterMillis)
        yield* guardedWrite(sql`INSERT INTO file_doomed (blob, due_at) VALUES (${blob}, ${due})`)
        yield* blobs.put(blob, spooled)
        return { ...spooled, blob, at }
      }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => running.delete(upload))))
    })
  }
}
