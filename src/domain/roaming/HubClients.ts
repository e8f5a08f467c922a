/** Storage of the parties behind hubs, as each hub reports them. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { ClientInfo } from "./ClientInfo.ts"
import type { PartyId } from "../values/PartyId.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export class HubClients extends Context.Service<
  HubClients,
  {
    /** Information older than the stored one changes nothing. `Conflict` `too_many_clients`. Returns true if the party is new. */
    readonly put: (
      organisationId: string,
      partnerId: string,
      info: ClientInfo
    ) => Effect.Effect<boolean, Conflict | StorageUnavailable>
    readonly get: (
      organisationId: string,
      partnerId: string,
      party: PartyId
    ) => Effect.Effect<ClientInfo, NotFound | StorageUnavailable>
    /** Who else has this party: our organisation, or another partner that is registered as this eMSP. */
    readonly holder: (
      organisationId: string,
      partnerId: string,
      party: PartyId
    ) => Effect.Effect<"Ourselves" | "Partner" | undefined, StorageUnavailable>
    /** Ordered by country code and party id. */
    readonly list: (
      organisationId: string,
      partnerId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ClientInfo>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/HubClients") {}
