/**
 * What commands and charging profiles share: a partner's request becomes a durable command to a charger, with a callback that defines what
 * the partner receives. The answer only says whether the command was issued; the result follows at the `response_url`.
 */
import { Effect } from "effect"
import type { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import { failedAtOnce } from "../../domain/command/Command.ts"
import type { NewPartnerCallback } from "../../domain/command/PartnerCallback.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { ChargerLink } from "../../domain/charger/ChargerLink.ts"
import { Commands } from "../../domain/command/Commands.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { tokenParty } from "../../domain/token/RoamingToken.ts"
import { destinationOf, type DestinationOptions } from "../../outbound/Destination.ts"
import type { Exchange } from "./Exchange.ts"
import { faultOf, invalid, Refused } from "../protocol/Status.ts"
import { auditOf } from "./AuditContexts.ts"

/** A command to issue, and its context. */
export interface Issuing {
  readonly chargerId: string
  /** The charger's site. Its party sends the result if the request names no party of ours. */
  readonly siteId: string
  readonly command: ChargerCommand
  /** The parameters, in the form of REST. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly sessionId?: string | undefined
  /** Undefined if the partner receives no result. */
  readonly callback: Pick<NewPartnerCallback, "kind" | "responseUrl" | "locationId" | "reference" | "grant"> | undefined
  /** The partner's party that receives the result, if the request's headers do not say. */
  readonly to?: PartyId | undefined
}

/** Undefined if the command was issued; otherwise the reason as text. */
export type Obstacle = string | undefined

/** Refuses a URL that we would never call (T16), before anything else is done. */
export const callable = (responseUrl: string, outbound: DestinationOptions): Effect.Effect<void, Refused> => {
  const destination = destinationOf(responseUrl, outbound)
  return destination._tag === "Allowed"
    ? Effect.void
    : Effect.fail(invalid(`The response_url cannot be used: ${destination.why}.`))
}

/** The refusal of an invalid body, with its problem in one line. */
export const unfit = (error: { readonly message: string }): Refused => invalid(`The body is invalid: ${faultOf(error)}`)

export const issuing = Effect.gen(function* () {
  const commands = yield* Commands
  const link = yield* ChargerLink
  const parties = yield* Parties

  return Effect.fn("Ocpi.issue")(function* (exchange: Exchange, wanted: Issuing) {
    const { bearer, correlationId, facts, routing } = exchange
    const { chargerId, command, callback, parameters, sessionId, siteId } = wanted
    const { organisationId } = bearer.partner
    const ofSite = Effect.catchTag(parties.ofSite(organisationId, siteId), "NotFound", () => Effect.undefined)
    const from = routing.to ?? (yield* ofSite)
    const to = routing.from ?? wanted.to ?? tokenParty(bearer.partner)
    const party = (id: PartyId | undefined): PartyId | undefined =>
      id && { countryCode: id.countryCode, partyId: id.partyId }
    const given: NewPartnerCallback | undefined = callback && {
      ...callback,
      partnerId: bearer.partner.id,
      version: facts.version,
      correlationId,
      from: party(from),
      to: party(to),
      sessionId
    }
    return yield* commands
      .issue(
        { chargerId, command, parameters, expiresInSeconds: undefined, sessionId, callback: given },
        auditOf(exchange)
      )
      .pipe(
        Effect.tap(() => link.wake(chargerId)),
        Effect.map((issued): Obstacle => (failedAtOnce(issued) ? "The charger is not connected." : undefined)),
        Effect.catchTags({
          NotFound: () => Effect.succeed("The charger no longer exists."),
          Conflict: ({ message }) => Effect.succeed(message),
          TooMany: ({ retryAfterSeconds }) => new Refused({ reason: { _tag: "TooMany", retryAfterSeconds } })
        })
      )
  })
})
