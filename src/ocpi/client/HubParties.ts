/**
 * Reads which parties are behind a hub from the hub's own list (OCPI 2.2.1 §14.2 hubclientinfo, sender). A hub also pushes changes, but what it
 * had pushed before a registration is known from its list only, and tokens of parties that it has not reported are not accepted.
 */
import { Effect } from "effect"
import type { Partner } from "../../domain/roaming/Partner.ts"
import { isHub } from "../../domain/roaming/Partner.ts"
import type { HubClients } from "../../domain/roaming/HubClients.ts"
import { clientInfoV22 } from "../objects/clientinfo/v22.ts"
import { type ListRequest, readList } from "./ListPages.ts"

/** Whether the partner is a hub, as our operator has invited it, that offers the list. */
export const offersParties = ({ client, partner }: Pick<ListRequest, "client" | "partner">): boolean =>
  isHub(partner) && client.endpointOf(partner, "hubclientinfo", "SENDER") !== undefined

/** Stores the list. `before` runs before each page is stored. Entries that cannot be read are left out. */
export const readHubParties = <E>(
  clients: HubClients["Service"],
  request: Omit<ListRequest, "module">,
  before: Effect.Effect<void, E>
) => {
  const { id, organisationId }: Partner = request.partner
  return readList({ ...request, module: "hubclientinfo" }, (data) =>
    Effect.andThen(
      before,
      Effect.forEach(
        data,
        (one) =>
          Effect.flatMap(Effect.option(clientInfoV22.decode(one)), (info) =>
            info._tag === "None" ? Effect.void : clients.put(organisationId, id, info.value)
          ),
        { discard: true }
      )
    )
  )
}
