/** Callbacks to partners after charging profiles were changed: read, decided by the domain, and stored. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type ProfileChange, profilesChangedBy } from "../../domain/command/ProfileChange.ts"
import { textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { rowsOf } from "../kernel/Rows.ts"
import type { EndedCommand } from "./EndedCommands.ts"

const profileRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    organisationId: Schema.String,
    chargerId: Schema.String,
    evseId: Schema.Int,
    partnerId: Schema.String,
    sessionId: Schema.String
  })
)

const isProfileChange = (end: EndedCommand): end is EndedCommand & ProfileChange =>
  end.type === "SetChargingProfile" || end.type === "ClearChargingProfile"

/** A callback for each partner that hears of a change; one that has been made before is opened again. */
export const followProfiles = (sql: SqlClient.SqlClient, ended: ReadonlyArray<EndedCommand>) =>
  Effect.gen(function* () {
    const changes = ended.filter(isProfileChange).filter(({ status }) => status === "Accepted")
    if (changes.length === 0) return
    const profiles = yield* profileRows(sql`
      SELECT e.command_id AS "commandId", s.organisation_id AS "organisationId", s.charger_id AS "chargerId", s.evse_id AS "evseId",
        e.partner_id AS "partnerId", e.session_id AS "sessionId"
      FROM session s
      JOIN partner_command e ON e.session_id = s.id AND e.organisation_id = s.organisation_id AND e.kind = 'SetProfile'
      JOIN command m ON m.id = e.command_id AND m.status = 'Accepted'
      WHERE s.charger_id = ANY (${textArray(changes.map((change) => change.chargerId))}) AND s.ended_at IS NULL AND s.status = 'ACTIVE'`)
    const due = new Map(
      changes.flatMap((change) =>
        profilesChangedBy(change, profiles).map(({ commandId }) => [commandId, change.completedAt] as const)
      )
    )
    if (due.size === 0) return
    yield* sql`
      INSERT INTO partner_callback (command_id, about, organisation_id, answer_by, due_at)
      SELECT e.command_id, 'ProfileChanged', e.organisation_id, x.at, x.at
      FROM unnest(${uuidArray([...due.keys()])}, ${timestamptzArray([...due.values()])}) AS x(id, at)
      JOIN partner_command e ON e.command_id = x.id
      ON CONFLICT (command_id, about) DO UPDATE SET state = 'Open', due_at = excluded.due_at, tries = 0, problem = NULL, done_at = NULL`
  })
