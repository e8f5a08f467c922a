/**
 * How contents are received: spooled, counted against the organisation's quota, stored with the other contents, and only then recorded. So
 * a row with the state Stored always has its content. A content is marked as doomed until it has a row, and is deleted if it gets none.
 */
import { mkdirSync } from "node:fs"
import { Clock, Deferred, Effect, type Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, type InvalidInput, StorageUnavailable, TooMany } from "../../domain/Errors.ts"
import { maxFileBytes } from "../../domain/file/StoredFile.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import type { Blobs, Spooled } from "../blobs/Blobs.ts"
import { makeFreeSpace } from "../pglite/FreeSpace.ts"
import { broken, spool, tooSlow } from "../blobs/Spool.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { RunningUploads, type Upload } from "./RunningUploads.ts"
import { type UploadMeasures, type UploadRefusal, uploadMeasures } from "./UploadMetrics.ts"

export interface ArrivalsOptions {
  /** The folder for contents while they are received. */
  readonly folder: string
  /** How many bytes the files of one organisation may have. */
  readonly quotaBytes: number
  /** How many bytes on the folder's disk files leave free: more than the database keeps free for itself, so that files never fill it. */
  readonly minFreeBytes: number
  /** How many uploads of one organisation may run at a time in this process. */
  readonly uploadsAtOnce: number
  /** The average speeds below which an upload is aborted. */
  readonly slowestChargerBytesPerSecond: number
  readonly slowestOperatorBytesPerSecond: number
  /** Replaces the call to the file system, for tests. */
  readonly measure?: () => Promise<number>
}

/** Longer than a firmware image takes on a typical connection. */
const retryAfterSeconds = 30

/** How many bytes of an upload of unknown size are received between two checks of the quota. */
const checkEveryBytes = 4 * 1024 * 1024

/** After this time, a content that was stored and not recorded is deleted. No upload takes nearly as long. */
const doomedAfterMillis = 24 * 60 * 60 * 1000

/** A content that was received completely, and the key under which it is stored. */
export interface Arrived extends Spooled {
  readonly blob: string
  /** When it was received completely; ms since 1970. */
  readonly at: number
}

export interface Arriving {
  readonly content: Stream.Stream<Uint8Array, unknown>
  /** The size in bytes that the sender has announced; 0 if unknown. */
  readonly declared: number
  readonly organisationId: string
  readonly id: string
  readonly from: "charger" | "operator"
}

type Refused = Conflict | InvalidInput | StorageUnavailable | TooMany

export interface Arrivals {
  /** How many bytes were received so far of a file that is being uploaded to this process. */
  readonly received: (id: string) => number | undefined
  readonly take: (arriving: Arriving) => Effect.Effect<Arrived, Refused>
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** The reason of a refusal for the metrics; undefined if it is not due to one of our limits. */
const refusalOf = (error: Refused): UploadRefusal | undefined => {
  if (error instanceof TooMany) return "busy"
  if (error instanceof Conflict) return error.code === "file_quota" ? "quota" : "replaced"
  if (error instanceof StorageUnavailable) return error.reason === "full" ? "full" : undefined
  return error === tooSlow ? "slow" : undefined
}

/**
 * Fails if an organisation's files exceed its quota. Running uploads count too, including this one, so that two simultaneous uploads cannot
 * exceed it together.
 */
const quota = (sql: SqlClient.SqlClient, uploads: RunningUploads, quotaBytes: number) => (organisationId: string) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    const [used] = yield* guarded(
      own<{ bytes: number }>`SELECT coalesce(sum(f.size), 0)::float8 AS bytes FROM file f WHERE ${own.rowsOf("f")}`
    )
    const coming = uploads.of(organisationId).reduce((sum, { bytes, declared }) => sum + Math.max(bytes, declared), 0)
    if ((used?.bytes ?? 0) + Math.max(1, coming) <= quotaBytes) return
    const message = `This organisation's files would exceed ${quotaBytes} bytes. Remove some files first.`
    return yield* new Conflict({ code: "file_quota", message })
  })

const make = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  blobs: Blobs["Service"],
  options: ArrivalsOptions,
  measures: UploadMeasures
): Arrivals => {
  const uploads = new RunningUploads(measures)
  const space = makeFreeSpace({
    directory: options.folder,
    minFreeBytes: options.minFreeBytes,
    ...(options.measure === undefined ? {} : { measure: options.measure })
  })

  const withinQuota = quota(sql, uploads, options.quotaBytes)

  /**
   * Checks quota and disk space before, during and after the upload. So a full quota refuses at once, and an upload stops before the disk
   * is full.
   */
  const takeInto = Effect.fnUntraced(function* (upload: Upload, { content, from, id, organisationId }: Arriving) {
    yield* withinQuota(organisationId)
    yield* space.checkFor(upload.declared)
    let checkedAt = 0
    const received = Effect.fnUntraced(function* (bytes: number) {
      upload.bytes = bytes
      // For every chunk, since `check` asks the file system at most four times a second.
      yield* space.check
      if (bytes <= upload.declared || bytes - checkedAt < checkEveryBytes) return
      checkedAt = bytes
      yield* withinQuota(organisationId)
    })
    const blob = `${id}-${hex(secrets.randomBytes(6))}`
    const spooled = yield* spool({
      folder: options.folder,
      key: blob,
      content,
      received,
      slowestBytesPerSecond:
        from === "charger" ? options.slowestChargerBytesPerSecond : options.slowestOperatorBytesPerSecond
    })
    if (spooled.size > upload.declared) yield* withinQuota(organisationId)
    const at = yield* Clock.currentTimeMillis
    const due = new Date(at + doomedAfterMillis)
    yield* guardedWrite(sql`INSERT INTO file_doomed (blob, due_at) VALUES (${blob}, ${due})`)
    yield* blobs.put(blob, spooled)
    return { ...spooled, blob, at }
  }, Effect.scoped)

  const take = Effect.fnUntraced(function* (arriving: Arriving) {
    const { declared, id, organisationId } = arriving
    if (declared > maxFileBytes) return yield* broken
    yield* uploads.replace(id)
    if (uploads.of(organisationId).length >= options.uploadsAtOnce) {
      return yield* new TooMany({
        code: "uploads_at_once",
        message: `${options.uploadsAtOnce} files of this organisation are already being uploaded. Send this file later.`,
        retryAfterSeconds
      })
    }
    const upload: Upload = { id, organisationId, declared, bytes: 0, replaced: Deferred.makeUnsafe() }
    uploads.add(upload)
    return yield* takeInto(upload, arriving).pipe(
      Effect.raceFirst(Deferred.await(upload.replaced)),
      Effect.ensuring(Effect.sync(() => uploads.remove(upload)))
    )
  })

  return {
    received: (id) => uploads.received(id),
    take: (arriving) =>
      Effect.tapError(take(arriving), (error) =>
        Effect.sync(() => {
          const refusal = refusalOf(error)
          if (refusal !== undefined) measures.refused(refusal)
        })
      )
  }
}

export const arrivals = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  blobs: Blobs["Service"],
  options: ArrivalsOptions
): Effect.Effect<Arrivals> =>
  Effect.gen(function* () {
    // Created now, since its free space is checked before the first file arrives. If this fails, each upload reports it.
    yield* Effect.ignore(Effect.try(() => mkdirSync(options.folder, { recursive: true, mode: 0o700 })))
    return make(sql, secrets, blobs, options, uploadMeasures(yield* Effect.context<never>()))
  })
