/**
 * The parties whose tokens a partner may send: its own and, if our operator has invited it as a hub, the eMSPs that it reports behind it.
 * Calling itself a hub gives a partner nothing. A report about a party that is another partner's own, or ours, does not count either.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { isHub, type Partner } from "../../domain/roaming/Partner.ts"
import { type PartyId, sameParty } from "../../domain/values/PartyId.ts"
import type { HubClients } from "../../domain/roaming/HubClients.ts"

export type MayHold = (partner: Partner, party: PartyId) => Effect.Effect<boolean, StorageUnavailable>

export const heldParties =
  (clients: Pick<HubClients["Service"], "get" | "holder">): MayHold =>
  (partner, party) =>
    Effect.gen(function* () {
      const { connection, id, organisationId } = partner
      const own = (connection?.parties ?? []).filter((one) => sameParty(one, party))
      // An eMSP belongs to one partner only.
      if (own.some(({ role }) => role === "EMSP")) return true
      if (own.length > 0) return (yield* clients.holder(organisationId, id, party)) !== "Partner"
      if (!isHub(partner)) return false
      const given = yield* Effect.catchTag(clients.get(organisationId, id, party), "NotFound", () => Effect.undefined)
      return given?.role === "EMSP" && (yield* clients.holder(organisationId, id, party)) === undefined
    })

/**
 * Whether a party can be queried. A partner's own parties always can. A party behind a hub can unless the hub reports it as not CONNECTED
 * (OCPI 2.2.1 §14: nothing is sent to such a party).
 */
export const askableParties =
  (clients: Pick<HubClients["Service"], "get">): MayHold =>
  (partner, party) =>
    (partner.connection?.parties ?? []).some((own) => sameParty(own, party))
      ? Effect.succeed(true)
      : clients.get(partner.organisationId, partner.id, party).pipe(
          Effect.map(({ status }) => status === "CONNECTED"),
          Effect.catchTag("NotFound", () => Effect.succeed(true))
        )
