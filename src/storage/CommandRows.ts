/** Rows of commands as the domain wants them, with what was seen to follow of them. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Command } from "../domain/command/Command.ts"
import { commandTypes } from "../domain/command/Kinds.ts"
import { Millis, optional } from "./rows.ts"

const Document = Schema.Record(Schema.String, Schema.Unknown)

export const CommandRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  type: Schema.Literals(commandTypes),
  status: Schema.Literals(["Pending", "Sent", "Accepted", "Rejected", "Failed", "TimedOut", "Expired"]),
  parameters: Document,
  by: Schema.String,
  createdAt: Millis,
  expiresAt: optional(Millis),
  sentAt: optional(Millis),
  completedAt: optional(Millis),
  result: optional(Document),
  sessionId: optional(Schema.String),
  sessionEnded: optional(Schema.Boolean),
  fileId: optional(Schema.String),
  progressStatus: optional(Schema.String),
  progressAt: optional(Millis)
})

export const selectCommands = (sql: SqlClient.SqlClient) => sql`
  SELECT m.id, m.organisation_id AS "organisationId", m.charger_id AS "chargerId", m.type, m.status, m.parameters, m.issued_by AS "by",
    m.created_at AS "createdAt", m.expires_at AS "expiresAt", m.sent_at AS "sentAt", m.completed_at AS "completedAt", m.result,
    m.session_id AS "sessionId", m.file_id AS "fileId", m.progress_status AS "progressStatus", m.progress_at AS "progressAt",
    (SELECT s.ended_at IS NOT NULL FROM session s WHERE s.id = m.session_id AND s.organisation_id = m.organisation_id) AS "sessionEnded"
  FROM command m`

const effectOf = (row: typeof CommandRow.Type): Command["effect"] => {
  if (row.sessionEnded === undefined || row.sentAt === undefined) return undefined
  if (row.type === "RemoteStart") return "SessionStarted"
  return row.type === "RemoteStop" && row.sessionEnded ? "SessionEnded" : undefined
}

export const commandOf = (row: typeof CommandRow.Type): Command => {
  const { progressAt, progressStatus, sessionEnded: _, ...command } = row
  const progress =
    progressStatus === undefined || progressAt === undefined ? undefined : { status: progressStatus, at: progressAt }
  return { ...command, effect: effectOf(row), progress }
}
