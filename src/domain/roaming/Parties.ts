/** Storage of an organisation's CPO parties. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { BusinessDetails, CpoParty } from "./Party.ts"
import type { PartyId } from "../values/PartyId.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface NewParty extends PartyId {
  readonly businessDetails: BusinessDetails
}

export class Parties extends Context.Service<
  Parties,
  {
    /** All parties, the default one first, then by age; never empty, and never more than `partiesMax`. */
    readonly list: (organisationId: string) => Effect.Effect<ReadonlyArray<CpoParty>, StorageUnavailable>
    /** `Conflict` `party_exists` (in this or another organisation), or `too_many_parties`. */
    readonly create: (
      input: NewParty,
      audit: AuditContext
    ) => Effect.Effect<CpoParty, Conflict | InvalidInput | StorageUnavailable>
    /** The party of a site: its own, or the organisation's default one. `NotFound` for another organisation's site. */
    readonly ofSite: (organisationId: string, siteId: string) => Effect.Effect<CpoParty, NotFound | StorageUnavailable>
  }
>()("voltlane/Parties") {}
