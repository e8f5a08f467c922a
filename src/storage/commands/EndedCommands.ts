/** Commands that have just ended, with the data for their consequences. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { CommandEnd } from "../../domain/command/CommandEnd.ts"
import type { CommandType } from "../../domain/command/Command.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"

/** The types of commands whose ends change more than the command. */
const followedTypes = [
  "SendLocalList",
  "GetLocalListVersion",
  "ReserveNow",
  "CancelReservation",
  "ChangeConfiguration",
  "SetChargingProfile",
  "ClearChargingProfile"
] as const satisfies ReadonlyArray<CommandType>

const followed: ReadonlySet<string> = new Set(followedTypes)

export const isFollowed = (type: string): boolean => followed.has(type)

/** The columns of a command for `sentCredentials`. */
export const credentialColumns = (sql: SqlClient.SqlClient) => sql`
  m.password_verifier IS NOT NULL AS "isPassword", CASE WHEN m.type = 'ChangeConfiguration' THEN m.command ->> 'key' END AS key,
  CASE WHEN m.type = 'ChangeConfiguration' THEN m.command ->> 'value' END AS value`

export const credentialFields = {
  isPassword: Schema.Boolean,
  key: optional(Schema.String),
  value: optional(Schema.String)
}

const EndedRow = Schema.Struct({
  commandId: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  type: Schema.Literals(followedTypes),
  status: Schema.Literals(["Accepted", "Rejected", "Failed", "TimedOut", "Expired"]),
  by: Schema.String,
  sentAt: optional(Millis),
  sentEpoch: optional(Schema.Finite),
  completedAt: Millis,
  answer: optional(Schema.String),
  errorCode: optional(Schema.String),
  listVersion: optional(Schema.Int),
  reportedVersion: optional(Schema.String),
  reservationId: optional(Schema.Int),
  evseId: optional(Schema.Int),
  ...credentialFields
}) satisfies Schema.Schema<CommandEnd>
const endedRows = rowsOf(EndedRow)

export type EndedCommand = typeof EndedRow.Type

/** Those of the commands that have ended and may have consequences, in the order of `ids`. */
export const endedCommands = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) =>
  endedRows(sql`
    SELECT m.id AS "commandId", m.organisation_id AS "organisationId", m.charger_id AS "chargerId", m.type, m.status, m.issued_by AS "by",
      m.sent_at AS "sentAt", m.sent_epoch::float8 AS "sentEpoch", m.completed_at AS "completedAt", m.result ->> 'status' AS answer,
      m.result ->> 'errorCode' AS "errorCode", (m.command ->> 'listVersion')::int AS "listVersion",
      m.result ->> 'listVersion' AS "reportedVersion", (m.command ->> 'reservationId')::int AS "reservationId",
      (m.command #>> '{place,evseId}')::int AS "evseId", ${credentialColumns(sql)}
    FROM unnest(${uuidArray(ids)}) WITH ORDINALITY AS x(id, ord) JOIN command m ON m.id = x.id
    WHERE m.type = ANY (${textArray(followedTypes)}) AND m.status NOT IN ('Pending', 'Sent')
    ORDER BY x.ord`)

/** Those of the commands that have not ended. */
export const openCommands = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) =>
  sql<{
    readonly id: string
  }>`SELECT id FROM command WHERE id = ANY (${uuidArray(ids)}) AND status IN ('Pending', 'Sent')`
