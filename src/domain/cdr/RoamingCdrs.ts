/** Charge detail records of partners' drivers, each for the one partner that pays it. Records of one's own cards have no partner. */
import { Context, type Effect } from "effect"
import type { RoamingCdr } from "./RoamingCdr.ts"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { Window, Windowed } from "../values/Window.ts"
import type { PartnerScope } from "../session/RoamingSessions.ts"

export interface CdrsTaken extends PartnerScope {
  /**
   * False for a partner that takes no credit records: of each session it receives only the first record, since one that replaces another which it
   * cannot be asked to forget would be paid twice.
   */
  readonly takesCredits: boolean
}

export class RoamingCdrs extends Context.Service<
  RoamingCdrs,
  {
    /** In order of their numbers, filtered by when they were stored. */
    readonly window: (taken: CdrsTaken, window: Window) => Effect.Effect<Windowed<RoamingCdr>, StorageUnavailable>
    /** Those of these CDRs that their partner does not receive because it accepts no credit records: the operator has to settle them by hand. */
    readonly withheld: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** Those of some records whose partner is registered in a version of OCPI that has words for the plain elements of a tariff alone. */
    readonly ofPlainTariffs: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** `NotFound` also for a CDR of another partner, and for one that this partner does not accept. */
    readonly get: (taken: CdrsTaken, id: string) => Effect.Effect<RoamingCdr, NotFound | StorageUnavailable>
  }
>()("voltlane/RoamingCdrs") {}
