/** Charge detail records of partners' drivers, each for the one partner that pays it. Records of the organisation's own cards have no partner. */
import { Context, type Effect } from "effect"
import type { RoamingCdr } from "./RoamingCdr.ts"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { Window, Windowed } from "../values/Window.ts"
import type { PartnerScope } from "../session/RoamingSessions.ts"

export interface CdrsTaken extends PartnerScope {
  /**
   * False for a partner that accepts no credit records. Of each session it receives only the first record. That record cannot be reversed at the
   * partner, so with a replacement it would pay twice.
   */
  readonly takesCredits: boolean
}

export class RoamingCdrs extends Context.Service<
  RoamingCdrs,
  {
    /** Filtered by when the records were stored, in that order, which is also the order of their numbers. */
    readonly window: (taken: CdrsTaken, window: Window) => Effect.Effect<Windowed<RoamingCdr>, StorageUnavailable>
    /** Of these CDRs, those that their partner does not receive because it accepts no credit records. An operator has to settle them by hand. */
    readonly withheld: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** Of these CDRs, those whose partner is registered with an OCPI version that supports only plain tariff elements. */
    readonly ofPlainTariffs: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** `NotFound` also for a CDR of another partner, and for one that this partner does not accept. */
    readonly get: (taken: CdrsTaken, id: string) => Effect.Effect<RoamingCdr, NotFound | StorageUnavailable>
  }
>()("voltlane/RoamingCdrs") {}
