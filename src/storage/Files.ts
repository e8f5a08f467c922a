/**
 * The port `Files` over SQL and a folder: a file is written aside, synced, renamed and only then told of, so that a row that says Stored has
 * its file, whatever happened in between.
 */
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, mkdirSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../domain/Errors.ts"
import { maxFileBytes, type StoredFile, uploadWaitsMillis } from "../domain/file/StoredFile.ts"
import { Files } from "../domain/ports/Files.ts"
import { Secrets } from "../domain/ports/Secrets.ts"
import { StorageHealth } from "../domain/ports/StorageHealth.ts"
import type { PageRequest } from "../domain/values/Page.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { pagedList, UuidKey } from "./Cursor.ts"
import { Millis, optional, rowOf, rowsOf, Whole } from "./rows.ts"
import { scopedTo } from "./Scoped.ts"
import { guarded, guardedWrite } from "./SqlErrors.ts"

const FileRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  kind: Schema.Literals(["Diagnostics", "Log"]),
  name: Schema.String,
  state: Schema.Literals(["Waiting", "Stored"]),
  size: Whole,
  sha256: optional(Schema.String),
  createdAt: Millis,
  completedAt: optional(Millis)
})
const fileRow = rowOf(FileRow)
const fileRows = rowsOf(FileRow)
const pages = pagedList("files", UuidKey, (row: typeof FileRow.Type) => row.id)

const columns = (sql: SqlClient.SqlClient) => sql`
  f.id, f.organisation_id AS "organisationId", f.charger_id AS "chargerId", f.kind, f.name, f.state, f.size, f.sha256,
  f.created_at AS "createdAt", f.completed_at AS "completedAt"`

const tokenBytes = 24
const purpose = "file-token"
const noSuchUpload = new NotFound({ kind: "upload", id: "this one" })
const broken = new InvalidInput({ pointer: "", detail: `The file broke off, or has more than ${maxFileBytes} bytes` })
const diskFailed = (cause: unknown) =>
  new StorageUnavailable({ reason: "down", message: `a file could not be written or read: ${String(cause)}` })

/** Characters that a file's name keeps; chargers' names are shown to people and never used as a path. */
const shownName = (name: string): string => name.replaceAll(/[^A-Za-z0-9._ -]/g, "_").slice(0, 255)

/** Writes a stream into a file that is whole or is not there. */
const write = (folder: string, id: string, content: Stream.Stream<Uint8Array, unknown>) => {
  const aside = join(folder, `${id}.${randomBytes(6).toString("hex")}.part`)
  return Effect.gen(function* () {
    const handle = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => open(aside, "wx", 0o600), catch: diskFailed }),
      (file) => Effect.promise(() => file.close().catch(() => undefined))
    )
    const hash = createHash("sha256")
    let size = 0
    const append = (chunk: Uint8Array): Effect.Effect<void, InvalidInput | StorageUnavailable> => {
      size += chunk.length
      if (size > maxFileBytes) return Effect.fail(broken)
      hash.update(chunk)
      return Effect.tryPromise({ try: () => handle.writeFile(chunk), catch: diskFailed })
    }
    yield* Stream.runForEach(
      Stream.mapError(content, (): InvalidInput | StorageUnavailable => broken),
      append
    )
    yield* Effect.tryPromise({ try: () => handle.sync(), catch: diskFailed })
    yield* Effect.tryPromise({ try: () => rename(aside, join(folder, id)), catch: diskFailed })
    return { size, sha256: hash.digest("hex") }
  }).pipe(
    Effect.scoped,
    Effect.onError(() => Effect.promise(() => rm(aside, { force: true })))
  )
}

const find = (sql: SqlClient.SqlClient, organisationId: string, id: string) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    const row = isUuid(id)
      ? yield* guarded(fileRow(own`SELECT ${columns(sql)} FROM file f WHERE ${own.rowsOf("f")} AND f.id = ${id}`))
      : undefined
    return row ?? (yield* new NotFound({ kind: "file", id }))
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Files.list")(function* (
    organisationId: string,
    request: PageRequest & { readonly chargerId?: string | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const rows = yield* guarded(
      fileRows(own`
        SELECT ${columns(sql)} FROM file f WHERE ${own.rowsOf("f")}
          ${request.chargerId === undefined ? sql`` : sql`AND f.charger_id = ${request.chargerId}`}
          ${after === undefined ? sql`` : sql`AND f.id < ${after}`}
        ORDER BY f.id DESC LIMIT ${pages.rows(request)}`)
    )
    return pages.page(request, rows, (row) => row)
  })

/** Provides `Files` over a folder, which is made when the first file comes. */
export const layer = (folder: string): Layer.Layer<Files, never, SqlClient.SqlClient | Secrets | StorageHealth> =>
  Layer.effect(
    Files,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const { writable } = yield* StorageHealth
      const receive = Effect.fn("Files.receive")(function* (
        token: string,
        name: string,
        content: Stream.Stream<Uint8Array, unknown>,
        now: number
      ) {
        const verifier = secrets.verifier(purpose, token)
        const row = yield* guarded(
          fileRow(sql`
            SELECT ${columns(sql)} FROM file f
            WHERE f.token_verifier = ${verifier} AND f.created_at > ${new Date(now - uploadWaitsMillis)}`)
        )
        if (row === undefined) return yield* noSuchUpload
        const taken = new Conflict({ code: "already_uploaded", message: "This upload has been made already." })
        if (row.state === "Stored") return yield* taken
        yield* writable
        yield* Effect.try({ try: () => mkdirSync(folder, { recursive: true, mode: 0o700 }), catch: diskFailed })
        const { sha256, size } = yield* write(folder, row.id, content)
        const stored = yield* guardedWrite(
          fileRow(sql`
            UPDATE file f SET state = 'Stored', name = ${shownName(name)}, size = ${size}::float8::bigint, sha256 = ${sha256},
              completed_at = ${new Date(now)}
            WHERE f.id = ${row.id} AND f.state = 'Waiting' RETURNING ${columns(sql)}`)
        )
        return stored ?? (yield* taken)
      })
      return Files.of({
        expect: Effect.fn("Files.expect")(function* (organisationId, chargerId, kind, now) {
          const token = Buffer.from(secrets.randomBytes(tokenBytes)).toString("base64url")
          yield* writable
          yield* guardedWrite(sql`
            INSERT INTO file (id, organisation_id, charger_id, kind, token_verifier, created_at)
            VALUES (${secrets.uuid(now)}, ${organisationId}, ${chargerId}, ${kind}, ${secrets.verifier(purpose, token)}, ${new Date(now)})`)
          return token
        }),
        receive,
        list: list(sql),
        get: (organisationId, id) => find(sql, organisationId, id),
        content: Effect.fn("Files.content")(function* (organisationId, id) {
          const file: StoredFile = yield* find(sql, organisationId, id)
          if (file.state !== "Stored") return yield* new NotFound({ kind: "content of file", id })
          return Stream.fromAsyncIterable<Uint8Array, StorageUnavailable>(
            createReadStream(join(folder, file.id)),
            diskFailed
          )
        })
      })
    })
  )
