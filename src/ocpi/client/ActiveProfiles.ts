/** What a session may draw from now on, as partners receive it (OCPI 2.2.1 §14.3.1): computed from what the charger has taken, from any source. */
import { Effect } from "effect"
import { compositeSchedule } from "../../domain/command/Composite.ts"
import { supplyOf } from "../../domain/command/Supply.ts"
import type { NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import type { ActiveProfile } from "../../domain/command/ProfileRequest.ts"
import { Chargers } from "../../domain/charger/Chargers.ts"
import { ChargingProfiles } from "../../domain/command/ChargingProfiles.ts"
import { Sessions } from "../../domain/session/Sessions.ts"

/** How far ahead the profile goes, in seconds: the standard asks for something between five minutes and an hour (OCPI 2.2.1 §14.2.2). */
const horizonSeconds = 3_600

/** The profile of a session; undefined for one that runs no more. */
export type ActiveProfileOf = (
  organisationId: string,
  sessionId: string,
  now: number
) => Effect.Effect<ActiveProfile | undefined, NotFound | StorageUnavailable>

export const activeProfiles: Effect.Effect<ActiveProfileOf, never, Sessions | Chargers | ChargingProfiles> = Effect.gen(
  function* () {
    const sessions = yield* Sessions
    const chargers = yield* Chargers
    const profiles = yield* ChargingProfiles

    return Effect.fnUntraced(function* (organisationId: string, sessionId: string, now: number) {
      const { chargerId, evseId, startedAt, status, transactionId } = yield* sessions.get(organisationId, sessionId)
      if (status !== "ACTIVE") return undefined
      const { connectors } = yield* chargers.get(organisationId, chargerId)
      const inForce = yield* profiles.standing(organisationId, chargerId)
      const target = { evseId, transaction: { transactionId: Number(transactionId), startedAt } }
      // Where no profile says anything, the limit is the most that the evse can give.
      const { startSchedule, ...schedule } = compositeSchedule(
        inForce,
        target,
        now,
        horizonSeconds,
        "A",
        supplyOf(connectors, evseId)
      )
      return { startAt: startSchedule, schedule }
    })
  }
)
