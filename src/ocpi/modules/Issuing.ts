/**
 * What commands and charging profiles have in common: something that a partner asks becomes a durable command to a charger, with the callback that says
 * what the partner is to hear. The answer says at once whether that was done; the rest follows at its `response_url`.
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

/** What is to be done at which charger, and for what. */
export interface Issuing {
  readonly chargerId: string
  /** The charger's, whose party speaks. */
  readonly siteId: string
  readonly command: ChargerCommand
  /** As REST would have been given them. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly sessionId?: string | undefined
  /** Undefined where the partner hears nothing of it. */
  readonly callback: Pick<NewPartnerCallback, "kind" | "responseUrl" | "locationId" | "reference" | "grant"> | undefined
  /** The partner's party that it is for, where the request's headers do not say. */
  readonly to?: PartyId | undefined
}

/** Undefined where it was taken; otherwise why not, for people. */
export type Obstacle = string | undefined

/** Refuses an address that we would never call (T16), before anything is done for it. */
export const callable = (responseUrl: string, outbound: DestinationOptions): Effect.Effect<void, Refused> => {
  const destination = destinationOf(responseUrl, outbound)
  return destination._tag === "Allowed"
    ? Effect.void
    : Effect.fail(invalid(`The response_url is not called: ${destination.why}.`))
}

/** What is wrong with a body, in one line. */
export const unfit = (error: { readonly message: string }): Refused =>
  invalid(`This body does not fit: ${faultOf(error)}`)

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
          NotFound: () => Effect.succeed("The charger is not there any more."),
          Conflict: ({ message }) => Effect.succeed(message),
          TooMany: ({ retryAfterSeconds }) => new Refused({ reason: { _tag: "TooMany", retryAfterSeconds } })
        })
      )
  })
})
