/**
 * How contents come in: spooled, counted against the organisation's quota, put where contents lie, and only then recorded. A row that says
 * Stored has its content, whatever happened in between; a content without a row is marked as doomed, and is swept.
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
  /** Where contents are written aside as they come. */
  readonly folder: string
  /** Bytes that the files of one organisation may have. */
  readonly quotaBytes: number
  /** Bytes of the folder's disk that files leave free: more than the database keeps for itself, so that files never fill it. */
  readonly minFreeBytes: number
  /** Uploads of one organisation at a time, in this process. */
  readonly uploadsAtOnce: number
  /** Mean speeds below which an upload is given up. */
  readonly slowestChargerBytesPerSecond: number
  readonly slowestOperatorBytesPerSecond: number
  /** Replaces the question to the file system, for tests. */
  readonly measure?: () => Promise<number>
}

/** Longer than a firmware image takes on a usual line. */
const retryAfterSeconds = 30

/** Bytes of an upload of unknown size between two looks at the quota. */
const checkEveryBytes = 4 * 1024 * 1024

/** A content that was put and not recorded: no put takes nearly so long. */
const doomedAfterMillis = 24 * 60 * 60 * 1000

/** A content that has come whole, and the key under which it lies. */
export interface Arrived extends Spooled {
  readonly blob: string
  /** When it had come; ms epoch. */
  readonly at: number
}

export interface Arriving {
  readonly content: Stream.Stream<Uint8Array, unknown>
  /** How many bytes its sender says that it will have; 0 where that is unknown. */
  readonly declared: number
  readonly organisationId: string
  readonly id: string
  readonly from: "charger" | "operator"
}

type Refused = Conflict | InvalidInput | StorageUnavailable | TooMany

export interface Arrivals {
  /** Bytes that have come by now of a file whose upload runs in this process. */
  readonly received: (id: string) => number | undefined
  readonly take: (arriving: Arriving) => Effect.Effect<Arrived, Refused>
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** What the metrics say of a refusal; undefined for what is not ours to limit. */
const refusalOf = (error: Refused): UploadRefusal | undefined => {
  if (error instanceof TooMany) return "busy"
  if (error instanceof Conflict) return error.code === "file_quota" ? "quota" : "replaced"
  if (error instanceof StorageUnavailable) return error.reason === "full" ? "full" : undefined
  return error === tooSlow ? "slow" : undefined
}

/** Fails where an organisation's files have more than they may. Also counts uploads that run, this one included, so that two that come at once cannot pass together. */
const quota = (sql: SqlClient.SqlClient, uploads: RunningUploads, quotaBytes: number) => (organisationId: string) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    const [used] = yield* guarded(
      own<{ bytes: number }>`SELECT coalesce(sum(f.size), 0)::float8 AS bytes FROM file f WHERE ${own.rowsOf("f")}`
    )
    const coming = uploads.of(organisationId).reduce((sum, { bytes, declared }) => sum + Math.max(bytes, declared), 0)
    if ((used?.bytes ?? 0) + Math.max(1, coming) <= quotaBytes) return
    const message = `This organisation's files would have more than ${quotaBytes} bytes. Remove some.`
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

  /** Asks for room before it comes, while it comes and after, so that a full store refuses at once and a full disk in time. */
  const takeInto = Effect.fnUntraced(function* (upload: Upload, { content, from, id, organisationId }: Arriving) {
    yield* withinQuota(organisationId)
    yield* space.checkFor(upload.declared)
    let checkedAt = 0
    const received = Effect.fnUntraced(function* (bytes: number) {
      upload.bytes = bytes
      // Of each chunk, since it asks the file system four times a second at most, however many come.
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
        message: `${options.uploadsAtOnce} files of this organisation are being uploaded. Send this one later.`,
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
    // Made now, since room is asked of it before the first file comes. Where that fails, each upload says so.
    yield* Effect.ignore(Effect.try(() => mkdirSync(options.folder, { recursive: true, mode: 0o700 })))
    return make(sql, secrets, blobs, options, uploadMeasures(yield* Effect.context<never>()))
  })
