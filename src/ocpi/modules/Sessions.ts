/**
 * Sessions (OCPI 2.2.1 §9.2.1), as their sender. A partner reads the sessions of its own drivers, from reservation to end, and may set a driver's
 * charging preferences for a running one.
 */
import { Effect, type Schema } from "effect"
import { RoamingSessions } from "../../domain/session/RoamingSessions.ts"
import { answerTo } from "../../domain/session/ChargingPreferences.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { pageReply, readWindow } from "./Paging.ts"
import { faultOf, invalid, refuse } from "../protocol/Status.ts"

const unknown = () => refuse({ _tag: "NotFound", object: "Session", detail: "This session is unknown." })

/** An EVSE that does not support charging preferences is answered with 404 (OCPI 2.2.1 §9.2.1.2). */
const incapable = () =>
  refuse({
    _tag: "NotFound",
    object: "Session",
    detail: "The session's charger does not support charging profiles, so it accepts no charging preferences."
  })

const unreadable = (error: Schema.SchemaError) =>
  invalid(`The body is not a ChargingPreferences object: ${faultOf(error)}`)

const scopeOf = ({ bearer: { partner } }: Exchange) => ({
  organisationId: partner.organisationId,
  partnerId: partner.id
})

/** `base` is our OCPI address without a trailing slash. */
export const sessionsHandlers = ({ base }: { readonly base: string }) =>
  Effect.map(RoamingSessions, (sessions) => {
    const list: Handler = (exchange) =>
      Effect.gen(function* () {
        const window = yield* readWindow(exchange)
        const windowed = yield* sessions.window(scopeOf(exchange), window)
        return yield* pageReply(exchange, { base, module: "sessions" }, window, windowed, exchange.wire.sessions.encode)
      })

    const prefer: Handler = (exchange) =>
      Effect.gen(function* () {
        const { sessionId = "" } = exchange.params
        const scope = scopeOf(exchange)
        const session = yield* Effect.catchTag(sessions.get(scope, sessionId), "NotFound", unknown)
        if (!(yield* sessions.isSteerable(scope, sessionId))) return yield* incapable()
        const body = yield* exchange.body
        const preferences = yield* Effect.mapError(exchange.wire.sessions.decodePreferences(body), unreadable)
        const answer = answerTo(preferences, session)
        if (answer === "ACCEPTED") {
          yield* Effect.catchTag(sessions.prefer(scope, sessionId, preferences), "NotFound", unknown)
        }
        return { data: answer }
      })

    return new Map<string, Handler>([
      ["GET sessions", list],
      ["PUT sessions/:sessionId/charging_preferences", prefer]
    ])
  })
