/**
 * Whose tokens a partner may send: its own parties', and, of a partner that our operator has invited as a hub, those of the eMSPs that it says are behind
 * it. That a partner calls itself a hub gives it nothing.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { Partner } from "../domain/party/Partner.ts"
import type { PartyId } from "../domain/party/Party.ts"
import type { HubClients } from "../domain/ports/HubClients.ts"
import { holdsParty } from "../domain/token/RoamingToken.ts"

export type MayHold = (partner: Partner, party: PartyId) => Effect.Effect<boolean, StorageUnavailable>

export const heldParties =
  (clients: Pick<HubClients["Service"], "get">): MayHold =>
  (partner, party) => {
    if (holdsParty(partner, party)) return Effect.succeed(true)
    if (partner.expected?.roles.includes("HUB") !== true) return Effect.succeed(false)
    return clients.get(partner.organisationId, partner.id, party).pipe(
      Effect.map(({ role }) => role === "EMSP"),
      Effect.catchTag("NotFound", () => Effect.succeed(false))
    )
  }
