/** Rows of files, decoded into the domain's, with the command that requested each one and the charger's latest status for it. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { type StoredFile, fileKinds } from "../../domain/file/StoredFile.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { Millis, optional, rowOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

export const FileRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: optional(Schema.String),
  kind: Schema.Literals(fileKinds),
  name: Schema.String,
  /** The name from the charger's answer to the command: an upload that is only a body has no name. */
  reportedName: optional(Schema.String),
  state: Schema.Literals(["Waiting", "Stored"]),
  size: Whole,
  sha256: optional(Schema.String),
  blob: optional(Schema.String),
  commandId: optional(Schema.String),
  progressStatus: optional(Schema.String),
  progressAt: optional(Millis),
  createdAt: Millis,
  completedAt: optional(Millis)
})
export type FileRow = typeof FileRow.Type

const fileRow = rowOf(FileRow)

/**
 * Columns of `file f` joined with `command m` by `withCommand`. Firmware belongs to no command; each command that sends it has its own
 * progress.
 */
export const columns = (sql: SqlClient.SqlClient) => sql`
  f.id, f.organisation_id AS "organisationId", f.charger_id AS "chargerId", f.kind, f.name, f.state, f.size, f.sha256, f.blob,
  m.id AS "commandId", m.progress_status AS "progressStatus", m.progress_at AS "progressAt",
  coalesce(m.result ->> 'fileName', m.result ->> 'filename') AS "reportedName",
  f.created_at AS "createdAt", f.completed_at AS "completedAt"`

export const withCommand = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN command m ON m.file_id = f.id AND f.kind <> 'Firmware'`

/** The shown form of a file's name. Names from chargers are shown to people and never used as a path. */
export const shownName = (name: string): string => name.replaceAll(/[^A-Za-z0-9._ -]/g, "_").slice(0, 255)

/** `received` returns how many bytes of a running upload have arrived. */
export const fileOf = (row: FileRow, received: (id: string) => number | undefined): StoredFile => {
  const { blob: _, progressAt, progressStatus, reportedName: givenName = "", ...file } = row
  return {
    ...file,
    name: file.name === "" ? shownName(givenName) : file.name,
    receivedBytes: file.state === "Stored" ? file.size : (received(file.id) ?? 0),
    progress:
      progressStatus === undefined || progressAt === undefined ? undefined : { status: progressStatus, at: progressAt }
  }
}

/** A file of the organisation's. */
export const findFile = (sql: SqlClient.SqlClient, organisationId: string, id: string) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    const row = isUuid(id)
      ? yield* guarded(
          fileRow(own`SELECT ${columns(sql)} FROM file f ${withCommand(sql)} WHERE ${own.rowsOf("f")} AND f.id = ${id}`)
        )
      : undefined
    return row ?? (yield* new NotFound({ kind: "file", id }))
  })
