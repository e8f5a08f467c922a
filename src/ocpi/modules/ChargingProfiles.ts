/**
 * Charging profiles (OCPI 2.2.1 §14): a partner sets, reads and clears limits for its driver's session. Each request becomes a durable
 * command to the charger, only about the transaction of that session. `ResultPoster` posts the result to the `response_url`.
 */
import { Effect } from "effect"
import type { ChargingProfile } from "../../domain/command/ChargingProfile.ts"
import { durationMax, validateProfile } from "../../domain/command/Profile.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { timeoutSeconds } from "../../domain/command/PartnerCallback.ts"
import {
  type ProfileRequest,
  profileRequestsPerMinute,
  type ProfileResponse,
  profileStackLevel
} from "../../domain/command/ProfileRequest.ts"
import { Commands } from "../../domain/command/Commands.ts"
import { PartnerCallbacks } from "../../domain/command/PartnerCallbacks.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import type { ChargingSession } from "../../domain/session/ChargingSession.ts"
import type { DestinationOptions } from "../../outbound/Destination.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { invalid, refuse, type Refused } from "../protocol/Status.ts"
import { callable, issuing, type Issuing, unfit } from "./Issuing.ts"

type Result = ProfileResponse["result"]

/** The `response_url`, which the query must have. */
const responseUrlOf = ({ query }: Exchange, outbound: DestinationOptions) =>
  Effect.gen(function* () {
    const url = query.get("response_url")?.trim()
    if (url === undefined || url === "") return yield* invalid("The query must have a response_url.")
    yield* callable(url, outbound)
    return url
  })

/** The requested duration in seconds. Text that is not a number makes the query unreadable; a missing or zero duration is invalid. */
const durationOf = ({ query }: Exchange) => {
  const text = query.get("duration")?.trim() ?? ""
  const detail = "duration must be a number of seconds."
  if (text !== "" && !/^\d{1,9}$/.test(text)) return Effect.fail(refuse({ _tag: "Unreadable", detail }))
  const seconds = Number(text)
  return seconds > 0 ? Effect.succeed(Math.min(seconds, durationMax)) : Effect.fail(invalid(detail))
}

/**
 * The command of each of the three requests. `profileId` is the id under which the charger knows the partner's profile for this session, if
 * there is one.
 */
type Asking = (
  session: ChargingSession,
  profileId: number | undefined
) => Effect.Effect<
  Pick<Issuing, "command" | "parameters"> & { readonly kind: "SetProfile" | "ActiveProfile" | "ClearProfile" },
  Refused | StorageUnavailable
>

const asking = Effect.gen(function* () {
  const issue = yield* issuing
  const sessions = yield* Sessions
  const callbacks = yield* PartnerCallbacks

  return Effect.fnUntraced(function* (exchange: Exchange, responseUrl: string, asked: Asking) {
    const { bearer, now } = exchange
    const { id: partnerId, organisationId } = bearer.partner
    const sessionId = (exchange.params["sessionId"] ?? "").toLowerCase()
    const session = yield* Effect.catchTag(sessions.get(organisationId, sessionId), "NotFound", () => Effect.undefined)
    // A session of another partner is answered as unknown.
    if (session?.roaming?.partnerId !== partnerId) return "UNKNOWN_SESSION" satisfies Result
    if (session.status !== "ACTIVE") return "REJECTED" satisfies Result
    const before = yield* callbacks.profiles(organisationId, { partnerId, sessionId }, now)
    if (before.lastMinute >= profileRequestsPerMinute) return "TOO_OFTEN" satisfies Result
    const { command, kind, parameters } = yield* asked(session, before.profileId)
    const { chargerId, roaming: to, siteId } = session
    const callback = { kind, responseUrl }
    const obstacle = yield* issue(exchange, { chargerId, siteId, command, parameters, sessionId, callback, to })
    return (obstacle === undefined ? "ACCEPTED" : "REJECTED") satisfies Result
  })
})

const placeOf = ({ connectorId, evseId }: ChargingSession) => ({ evseId, connectorId })

/** The partner's profile for the charger, limited to this transaction. */
const profileOf = (profileId: number, session: ChargingSession, { schedule }: ProfileRequest): ChargingProfile => ({
  profileId,
  transactionId: Number(session.transactionId),
  stackLevel: profileStackLevel,
  purpose: "TxProfile",
  kind: schedule.startSchedule === undefined ? "Relative" : "Absolute",
  schedule
})

export const chargingProfilesHandlers = (outbound: DestinationOptions) =>
  Effect.gen(function* () {
    const ask = yield* asking
    const commands = yield* Commands

    const reply = ({ wire }: Exchange, result: Result) => ({
      data: wire.profiles?.response({ result, timeoutSeconds })
    })

    const set: Handler = (exchange) =>
      Effect.gen(function* () {
        const { profiles } = exchange.wire
        if (profiles === undefined) return reply(exchange, "NOT_SUPPORTED")
        const request = yield* Effect.mapError(profiles.request(yield* exchange.body), unfit)
        yield* callable(request.responseUrl, outbound)
        const result = yield* ask(exchange, request.responseUrl, (session, known) =>
          Effect.gen(function* () {
            const profile = profileOf(known ?? (yield* commands.takeNumber), session, request)
            const { evseId } = session
            const [finding] = validateProfile(profile, { command: "SetChargingProfile", evseId })
            if (finding !== undefined) return yield* invalid(`The profile cannot be set: ${finding.detail}.`)
            return {
              kind: "SetProfile" as const,
              command: { _tag: "SetChargingProfile" as const, place: placeOf(session), profile },
              parameters: { connectorId: evseId, sessionId: session.id, chargingProfileId: profile.profileId }
            }
          })
        )
        return reply(exchange, result)
      })

    const get: Handler = (exchange) =>
      Effect.gen(function* () {
        const responseUrl = yield* responseUrlOf(exchange, outbound)
        const durationSeconds = yield* durationOf(exchange)
        const result = yield* ask(exchange, responseUrl, (session) =>
          Effect.succeed({
            kind: "ActiveProfile",
            command: { _tag: "GetCompositeSchedule", place: placeOf(session), durationSeconds },
            parameters: { connectorId: session.evseId, duration: durationSeconds }
          })
        )
        return reply(exchange, result)
      })

    /**
     * If the partner never set a profile for the session, the charger is asked to clear an unused id, and itself answers that it is
     * unknown.
     */
    const clear: Handler = (exchange) =>
      Effect.gen(function* () {
        const responseUrl = yield* responseUrlOf(exchange, outbound)
        const result = yield* ask(exchange, responseUrl, (_, known) =>
          Effect.map(known === undefined ? commands.takeNumber : Effect.succeed(known), (profileId) => ({
            kind: "ClearProfile",
            command: { _tag: "ClearChargingProfile", profileId },
            parameters: { id: profileId }
          }))
        )
        return reply(exchange, result)
      })

    return new Map<string, Handler>([
      ["GET chargingprofiles/:sessionId", get],
      ["PUT chargingprofiles/:sessionId", set],
      ["DELETE chargingprofiles/:sessionId", clear]
    ])
  })
