/** The port `Files` over SQL and the store of contents. */
import { Effect, Layer, type Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, InvalidInput, NotFound } from "../../domain/Errors.ts"
import { type FileKind, type StoredFile, uploadWaitsMillis } from "../../domain/file/StoredFile.ts"
import { Files } from "../../domain/file/Files.ts"
import { Retrying } from "../../domain/operator/Idempotency.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { Blobs } from "../blobs/Blobs.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { type Arrivals, arrivals, type ArrivalsOptions, type Arrived } from "./FileArrivals.ts"
import { columns, fileOf, FileRow, findFile, shownName, withCommand } from "./FileRows.ts"
import { clear, daily, type SweepOptions } from "./FileSweep.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

const fileRow = rowOf(FileRow)
const fileRows = rowsOf(FileRow)
const pages = pagedList("files", UuidKey, (row: FileRow) => row.id)

const tokenBytes = 24
const upload = "file-token"
const download = "file-download"
const noSuchUpload = new NotFound({ kind: "upload", id: "this one" })
const noSuchDownload = new NotFound({ kind: "download", id: "this one" })
const taken = new Conflict({ code: "already_uploaded", message: "This upload has already been made." })
const empty = new InvalidInput({ pointer: "", detail: "The file is empty" })
const removed = new Conflict({ code: "file_removed", message: "The file was removed during its upload." })
const noFirmware = new Conflict({
  code: "no_firmware",
  message: "This file is not a completely uploaded firmware image."
})

const recordOf = ({ chargerId, id, kind, name, sha256, size }: Omit<StoredFile, "receivedBytes" | "progress">) => ({
  id,
  kind,
  name,
  size,
  ...(chargerId === undefined ? {} : { chargerId }),
  ...(sha256 === undefined ? {} : { sha256 })
})

type Sql = SqlClient.SqlClient

/**
 * Records a received content: its row becomes Stored, and the content is no longer doomed. False if another content was recorded before, or
 * this one was swept.
 */
const keep = (sql: Sql, id: string, name: string, { at, blob, sha256, size }: Arrived) =>
  Effect.map(
    sql`
      WITH kept AS (
        UPDATE file f SET state = 'Stored', name = ${shownName(name)}, size = ${size}::float8::bigint, sha256 = ${sha256},
          blob = ${blob}, completed_at = ${new Date(at)}
        WHERE f.id = ${id} AND f.state = 'Waiting' AND EXISTS (SELECT 1 FROM file_doomed s WHERE s.blob = ${blob})
        RETURNING f.blob)
      DELETE FROM file_doomed d USING kept k WHERE d.blob = k.blob RETURNING d.blob`,
    (rows) => rows.length > 0
  )

const newToken = ({ secrets }: Recording): string => Buffer.from(secrets.randomBytes(tokenBytes)).toString("base64url")

const expect = (records: Recording) =>
  Effect.fn("Files.expect")(function* (organisationId: string, chargerId: string, kind: FileKind, now: number) {
    const { secrets, sql, writable } = records
    const token = newToken(records)
    const id = secrets.uuid(now)
    yield* writable
    yield* guardedWrite(sql`
      INSERT INTO file (id, organisation_id, charger_id, kind, token_verifier, created_at)
      VALUES (${id}, ${organisationId}, ${chargerId}, ${kind}, ${secrets.verifier(upload, token)}, ${new Date(now)})`)
    return { id, token }
  })

const receive = ({ secrets, sql, writable }: Recording, arriving: Arrivals) =>
  Effect.fn("Files.receive")(function* (
    token: string,
    name: string,
    content: Stream.Stream<Uint8Array, unknown>,
    now: number,
    declared = 0
  ) {
    const row = yield* guarded(
      fileRow(sql`
        SELECT ${columns(sql)} FROM file f ${withCommand(sql)}
        WHERE f.token_verifier = ${secrets.verifier(upload, token)} AND f.created_at > ${new Date(now - uploadWaitsMillis)}`)
    )
    if (row === undefined) return yield* noSuchUpload
    if (row.state === "Stored") return yield* taken
    yield* writable
    const arrived = yield* arriving.take({
      content,
      declared,
      organisationId: row.organisationId,
      id: row.id,
      from: "charger"
    })
    const isKept = yield* guardedWrite(keep(sql, row.id, name, arrived))
    const found = yield* Effect.mapError(findFile(sql, row.organisationId, row.id), (error) =>
      error._tag === "NotFound" ? noSuchUpload : error
    )
    return isKept ? fileOf(found, arriving.received) : yield* taken
  })

const store = ({ journaled, secrets, sql, writable }: Recording, arriving: Arrivals) =>
  Effect.fn("Files.store")(function* (
    name: string,
    content: Stream.Stream<Uint8Array, unknown>,
    audit: AuditContext,
    declared = 0
  ) {
    const { organisationId } = audit.by
    const id = secrets.uuid(audit.now)
    yield* writable
    // The row exists during the upload. A failed upload removes it, and if the process dies, it is swept as an upload that never arrived.
    yield* guardedWrite(sql`
      INSERT INTO file (id, organisation_id, kind, name, created_at)
      VALUES (${id}, ${organisationId}, 'Firmware', ${shownName(name)}, ${new Date(audit.now)})`)
    const whole = Effect.gen(function* () {
      const arrived = yield* arriving.take({ content, declared, organisationId, id, from: "operator" })
      if (arrived.size === 0) return yield* empty
      const { sha256, size } = arrived
      const after = { id, kind: "Firmware" as const, name: shownName(name), size, sha256 }
      const fact = factOf("FirmwareStored", `file:${id}`, secrets.uuid(audit.now), audit)
      const { commit } = yield* Retrying
      const keeping = journaled(
        Effect.map(keep(sql, id, name, arrived), (result) => ({
          result,
          facts: result ? [{ ...fact, body: { by: audit.by.actor, after } }] : []
        }))
      )
      const isKept = yield* commit(keeping, () => id)
      if (!isKept) return yield* removed
      const found = findFile(sql, organisationId, id)
      return fileOf(yield* Effect.catchTag(found, "NotFound", () => removed), arriving.received)
    })
    return yield* Effect.onError(whole, () =>
      Effect.ignore(guardedWrite(sql`DELETE FROM file WHERE id = ${id} AND state = 'Waiting'`))
    )
  })

const offer = (records: Recording) =>
  Effect.fn("Files.offer")(function* (
    organisationId: string,
    chargerId: string,
    id: string,
    until: number,
    now: number
  ) {
    const { secrets, sql, writable } = records
    const own = scopedTo(sql, organisationId)
    const file = yield* findFile(sql, organisationId, id)
    if (file.kind !== "Firmware" || file.state !== "Stored") return yield* noFirmware
    const token = newToken(records)
    yield* writable
    yield* guardedWrite(own`
      INSERT INTO file_download (token_verifier, organisation_id, file_id, charger_id, created_at, expires_at)
      SELECT ${secrets.verifier(download, token)}, f.organisation_id, f.id, ${chargerId}, ${new Date(now)}::timestamptz,
        ${new Date(until)}::timestamptz
      FROM file f WHERE ${own.rowsOf("f")} AND f.id = ${id}`)
    return { token, name: file.name }
  })

const remove = ({ journaled, secrets, sql }: Recording, blobs: Blobs["Service"]) =>
  Effect.fn("Files.remove")(function* (id: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const row = yield* findFile(sql, audit.by.organisationId, id)
      yield* own`
        WITH gone AS (DELETE FROM file f WHERE ${own.rowsOf("f")} AND f.id = ${id} RETURNING f.blob)
        INSERT INTO file_doomed (blob, due_at) SELECT g.blob, ${new Date(audit.now)}::timestamptz FROM gone g
        WHERE g.blob IS NOT NULL`
      const fact = factOf("FileRemoved", `file:${id}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before: recordOf(row) } }] }
    })
    yield* journaled(write)
    yield* Effect.catch(clear(sql, blobs, audit.now), (error) =>
      Effect.logWarning(`the content of a removed file is left for the next sweep: ${error.message}`)
    )
  })

const list = (sql: Sql, arriving: Arrivals) =>
  Effect.fn("Files.list")(function* (
    organisationId: string,
    request: PageRequest & { readonly chargerId?: string | undefined; readonly kind?: FileKind | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const { chargerId, kind } = request
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${columns(sql)} FROM file f ${withCommand(sql)} WHERE ${own.rowsOf("f")}
          ${chargerId === undefined ? sql`` : sql`AND f.charger_id = ${chargerId}`}
          ${kind === undefined ? sql`` : sql`AND f.kind = ${kind}`}
          ${after === undefined ? sql`` : sql`AND f.id < ${after}`}
        ORDER BY f.id DESC LIMIT ${pages.rows(request)}`,
        rows: fileRows,
        item: (row) => fileOf(row, arriving.received)
      })
    )
  })

export type FilesOptions = ArrivalsOptions & SweepOptions

/** Provides `Files`, and sweeps expired files. */
export const layer = (options: FilesOptions): Layer.Layer<Files, never, RecordingServices | Blobs> =>
  Layer.effect(
    Files,
    Effect.gen(function* () {
      const records = yield* recording
      const { secrets, sql, writable } = records
      const blobs = yield* Blobs
      yield* daily(sql, writable, blobs, options)
      const arriving = yield* arrivals(sql, secrets, blobs, options)
      return Files.of({
        expect: expect(records),
        receive: receive(records, arriving),
        store: store(records, arriving),
        offer: offer(records),
        fetch: Effect.fn("Files.fetch")(function* (token, now) {
          const row = yield* guarded(
            fileRow(sql`
              SELECT ${columns(sql)} FROM file_download d JOIN file f ON f.id = d.file_id ${withCommand(sql)}
              WHERE d.token_verifier = ${secrets.verifier(download, token)} AND d.expires_at > ${new Date(now)}`)
          )
          const blob = row?.blob
          if (row === undefined || blob === undefined) return yield* noSuchDownload
          return { file: fileOf(row, arriving.received), read: (range) => blobs.read(blob, range) }
        }),
        list: list(sql, arriving),
        get: (organisationId, id) =>
          Effect.map(findFile(sql, organisationId, id), (row) => fileOf(row, arriving.received)),
        content: Effect.fn("Files.content")(function* (organisationId, id) {
          const { blob } = yield* findFile(sql, organisationId, id)
          if (blob === undefined) return yield* new NotFound({ kind: "content of file", id })
          return blobs.read(blob)
        }),
        remove: remove(records, blobs)
      })
    })
  )
