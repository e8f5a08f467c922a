/** The endpoints of charging profiles over the domain's ports. */
import { Clock, Effect, Option, Schema } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import type { SetProfile } from "../../../domain/command/ChargingProfile.ts"
import { compare } from "../../../domain/command/Comparison.ts"
import { compositeSchedule, type CompositeTarget, type DatedSchedule } from "../../../domain/command/Composite.ts"
import { NotFound } from "../../../domain/Errors.ts"
import { supplyOf } from "../../../domain/command/Supply.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { ChargingProfiles, type ReportedComposite } from "../../../domain/command/ChargingProfiles.ts"
import { Sessions } from "../../../domain/session/Sessions.ts"
import { Time } from "../../Fields.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { ChargingSchedule, toProfile, toSchedule } from "./ChargingProfileSchema.ts"
import { defaultDuration, type InstalledProfile } from "./ChargingProfilesApi.ts"

/** Most open sessions of a charger among which the one at the connector is searched. */
const openSessionsLooked = 256

const toInstalled = (one: SetProfile): typeof InstalledProfile.Type => ({
  // In OCPP 1.6 each connector is an EVSE of its own.
  connectorId: one.evseId,
  evseId: one.evseId,
  setAt: one.setAt,
  chargingProfile: toProfile(one.profile)
})

/** OCPP 1.6 §6.22: an answer with a schedule. */
const Answer = Schema.Struct({
  scheduleStart: Schema.optionalKey(Time),
  chargingSchedule: ChargingSchedule
})
const decodeAnswer = Schema.decodeUnknownOption(Answer)

/** The schedule that the charger reported, if its answer has one with a start time. */
const theirs = (reported: ReportedComposite | undefined): DatedSchedule | undefined => {
  const answer = Option.getOrUndefined(decodeAnswer(reported?.answer))
  const start = answer?.scheduleStart ?? answer?.chargingSchedule.startSchedule
  if (answer === undefined || start === undefined) return undefined
  const { chargingSchedulePeriod, ...rest } = answer.chargingSchedule
  return { ...rest, startSchedule: start, periods: chargingSchedulePeriod }
}

interface AtEvse {
  readonly evseId: number
}

/**
 * Whether a charger may have this connector. Connector 0 (the whole charger) always exists, and any other does until the charger has
 * reported its connectors. A connector for which the charger accepted a profile exists even if it has not been reported.
 */
const isThere = (reported: ReadonlyArray<AtEvse>, inForce: ReadonlyArray<AtEvse>, connectorId: number): boolean =>
  connectorId === 0 || reported.length === 0 || [...reported, ...inForce].some(({ evseId }) => evseId === connectorId)

export const layer = HttpApiBuilder.group(
  Api,
  "charging-profiles",
  Effect.fn(function* (handlers) {
    const profiles = yield* ChargingProfiles
    const chargers = yield* Chargers
    const sessions = yield* Sessions

    /** The target of a connector's schedule: the EVSE, with the transaction that runs there. */
    const targetOf = Effect.fnUntraced(function* (organisation: string, chargerId: string, evseId: number) {
      const filter = { chargerId, status: "ACTIVE", limit: openSessionsLooked } as const
      // The filter has no cursor, so the cursor cannot be invalid.
      const open = yield* Effect.catchTag(sessions.list(organisation, filter), "InvalidInput", Effect.die)
      const running = open.items.find((session) => session.evseId === evseId)
      const transactionId = Number(running?.transactionId)
      const transaction =
        running === undefined || !Number.isInteger(transactionId)
          ? undefined
          : { transactionId, startedAt: running.startedAt }
      return { evseId, transaction } satisfies CompositeTarget
    })

    return handlers.handleAll({
      standing: Effect.fn("v2.charging-profiles.standing")(function* ({ params }) {
        const inForce = yield* profiles.inForce(yield* organisationId, params.chargerId)
        return HttpApiSchema.withHeaders({ body: { items: inForce.map(toInstalled), nextCursor: null }, headers: {} })
      }),
      composite: Effect.fn("v2.charging-profiles.composite")(function* ({ params: { chargerId }, query }) {
        const { chargingRateUnit = "A", connectorId = 0, duration = defaultDuration } = query
        const organisation = yield* organisationId
        const charger = yield* chargers.get(organisation, chargerId)
        const inForce = yield* profiles.inForce(organisation, chargerId)
        if (!isThere(charger.connectors, inForce, connectorId)) {
          return yield* new NotFound({ kind: `connector ${connectorId} at charger`, id: chargerId })
        }
        const reported = yield* profiles.reported(organisation, chargerId, connectorId)
        const target = yield* targetOf(organisation, chargerId, connectorId)
        const supply = supplyOf(charger.connectors, connectorId)
        const now = yield* Clock.currentTimeMillis
        const answered = theirs(reported)
        const differences =
          answered === undefined
            ? null
            : compare(
                compositeSchedule(
                  inForce,
                  target,
                  answered.startSchedule,
                  answered.duration ?? duration,
                  answered.chargingRateUnit,
                  supply
                ),
                answered
              )
        return {
          connectorId,
          computed: toSchedule(compositeSchedule(inForce, target, now, duration, chargingRateUnit, supply)),
          reported: reported ?? null,
          differences:
            differences?.map(({ from, ours, theirs: said, to }) => ({
              from,
              to,
              computed: ours ?? null,
              reported: said ?? null
            })) ?? null
        }
      })
    })
  })
)
