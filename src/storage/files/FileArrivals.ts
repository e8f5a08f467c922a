/**
 * How contents come in: spooled, counted against the organisation's quota, put where contents lie, and only then told of. A row that says
 * Stored has its content, whatever happened in between; a content that no row tells of stands as doomed, and is swept.
 */
import { Clock, Effect, type Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, type InvalidInput, type StorageUnavailable } from "../../domain/Errors.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import type { Blobs, Spooled } from "../blobs/Blobs.ts"
import { spool } from "../blobs/Spool.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

export interface ArrivalsOptions {
  /** Where contents are written aside as they come. */
  readonly folder: string
  /** Bytes that the files of one organisation may have. */
  readonly quotaBytes: number
}

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
  // Of uploads that run, and hence small.
  const received = new Map<string, number>()

  /** Two uploads that come at once may pass together: a quota keeps disks from filling, and is no invoice. */
  const withinQuota = (organisationId: string, size: number) =>
    Effect.gen(function* () {
      const own = scopedTo(sql, organisationId)
      const [used] = yield* guarded(
        own<{ bytes: number }>`SELECT coalesce(sum(f.size), 0)::float8 AS bytes FROM file f WHERE ${own.rowsOf("f")}`
      )
      if ((used?.bytes ?? 0) + size <= options.quotaBytes) return
      const message = `This organisation's files would have more than ${options.quotaBytes} bytes. Remove some.`
      return yield* new Conflict({ code: "file_quota", message })
    })

  return {
    received: (id) => received.get(id),
    take: (organisationId, id, content) =>
      Effect.gen(function* () {
        // Asked twice, so that a full store refuses at once.
        yield* withinQuota(organisationId, 1)
        const blob = `${id}-${hex(secrets.randomBytes(6))}`
        const spooled = yield* spool(options.folder, blob, content, (bytes) => received.set(id, bytes))
        yield* withinQuota(organisationId, spooled.size)
        const at = yield* Clock.currentTimeMillis
        const due = new Date(at + doomedAfterMillis)
        yield* guardedWrite(sql`INSERT INTO file_doomed (blob, due_at) VALUES (${blob}, ${due})`)
        yield* blobs.put(blob, spooled)
        return { ...spooled, blob, at }
      }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => received.delete(id))))
  }
}
