/** Charging profiles and composite schedules, as stored from the answers to commands. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SetProfile } from "../../src/domain/command/ChargingProfile.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { ChargingProfiles } from "../../src/domain/command/ChargingProfiles.ts"
import { aChargerId, aHome, registration } from "../contracts/ChargersContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { idAt } from "../support/reported.ts"
import { anOrganisation, failureOf, noon, repositories } from "../support/repositories.ts"

const withCharger = Effect.gen(function* () {
  const chargers = yield* Chargers
  const { ours } = yield* aHome
  const { chargerId } = yield* chargers.register(registration(aChargerId()), ours.writing())
  return { ours, chargerId }
})

const profile: SetProfile = {
  evseId: 1,
  setAt: noon,
  profile: {
    profileId: 3,
    transactionId: 7,
    stackLevel: 1,
    purpose: "TxProfile",
    kind: "Relative",
    schedule: {
      duration: 60,
      chargingRateUnit: "A",
      minChargingRate: 6.5,
      periods: [{ startPeriod: 0, limit: 16, numberPhases: 3 }]
    }
  }
}

forEachDriver("charging profiles", repositories, (it) => {
  it.effect("are read from the document of the charger, by its organisation alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const profiles = yield* ChargingProfiles
      const { chargerId, ours } = yield* withCharger
      expect(yield* profiles.inForce(ours.id, chargerId)).toEqual([])
      yield* sql`
        INSERT INTO charger_document (charger_id, organisation_id, kind, body, updated_at)
        VALUES (${chargerId}, ${ours.id}, 'chargingProfiles', ${JSON.stringify([profile])}::text::jsonb, ${new Date(noon)})`
      expect(yield* profiles.inForce(ours.id, chargerId)).toEqual([profile])
      const other = yield* anOrganisation
      expect(yield* failureOf(profiles.inForce(other.id, chargerId))).toEqual(["NotFound", "charger"])
      expect(yield* failureOf(profiles.inForce(ours.id, "\0"))).toEqual(["NotFound", "charger"])
    })
  )

  it.effect("come with the newest accepted answer to GetCompositeSchedule of each EVSE", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const profiles = yield* ChargingProfiles
      const { chargerId, ours } = yield* withCharger
      const asked = (n: number, evseId: number, status: string, type = "GetCompositeSchedule") => {
        const command = JSON.stringify({ _tag: type, place: { evseId, connectorId: 1 }, durationSeconds: 60 })
        const at = new Date(noon + n)
        return sql`
          INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, completed_at, result)
          VALUES (${idAt(noon + n)}, ${ours.id}, ${chargerId}, ${type}, ${status}, ${command}::text::jsonb, '{}', 'key:1', ${at}, ${at},
            ${JSON.stringify({ n })}::text::jsonb)`
      }
      yield* asked(1, 1, "Accepted")
      yield* asked(2, 1, "Accepted")
      yield* asked(3, 1, "Rejected")
      yield* asked(4, 2, "Accepted")
      yield* asked(5, 1, "Accepted", "SetChargingProfile")
      expect(yield* profiles.reported(ours.id, chargerId, 1)).toEqual({ at: noon + 2, answer: { n: 2 } })
      expect(yield* profiles.reported(ours.id, chargerId, 2)).toEqual({ at: noon + 4, answer: { n: 4 } })
      expect(yield* profiles.reported(ours.id, chargerId, 0)).toBe(undefined)
      const other = yield* anOrganisation
      expect(yield* profiles.reported(other.id, chargerId, 1)).toBe(undefined)
    })
  )
})
