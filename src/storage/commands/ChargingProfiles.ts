/** The port `ChargingProfiles` over SQL: the charger's document of profiles, and the answers that are stored with commands. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SetProfile } from "../../domain/command/ChargingProfile.ts"
import { inForce } from "../../domain/command/Stack.ts"
import { NotFound } from "../../domain/Errors.ts"
import { ChargingProfiles } from "../../domain/command/ChargingProfiles.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import { Millis, rowOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const profilesRow = rowOf(Schema.Struct({ profiles: Schema.NullOr(Schema.Array(SetProfile)) }))
const reportedRow = rowOf(Schema.Struct({ at: Millis, answer: Schema.Record(Schema.String, Schema.Unknown) }))

export const layer: Layer.Layer<ChargingProfiles, never, SqlClient.SqlClient> = Layer.effect(
  ChargingProfiles,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ChargingProfiles.of({
      inForce: Effect.fn("ChargingProfiles.inForce")(function* (organisationId: string, chargerId: string) {
        const own = scopedTo(sql, organisationId)
        const row = isChargerId(chargerId)
          ? yield* guarded(
              profilesRow(own`
                SELECT d.body AS profiles FROM charger c
                LEFT JOIN charger_document d ON d.charger_id = c.charger_id AND d.organisation_id = c.organisation_id
                  AND d.kind = 'chargingProfiles'
                WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`)
            )
          : undefined
        return row === undefined ? yield* new NotFound({ kind: "charger", id: chargerId }) : inForce(row.profiles ?? [])
      }),
      reported: Effect.fn("ChargingProfiles.reported")((organisationId: string, chargerId: string, evseId: number) => {
        const own = scopedTo(sql, organisationId)
        return guarded(
          reportedRow(own`
              SELECT m.completed_at AS "at", m.result AS answer FROM command m
              WHERE ${own.rowsOf("m")} AND m.charger_id = ${chargerId} AND m.type = 'GetCompositeSchedule' AND m.status = 'Accepted'
                AND (m.command #>> '{place,evseId}')::int = ${evseId}
                AND m.completed_at IS NOT NULL AND jsonb_typeof(m.result) = 'object'
              ORDER BY m.id DESC LIMIT 1`)
        )
      })
    })
  })
)
