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
    /** In order of their numbers, by when they were stored. */
    readonly window: (taken: CdrsTaken, window: Window) => Effect.Effect<Windowed<RoamingCdr>, StorageUnavailable>
    /** Which of some records their partner does not receive, since it takes no credits: the operator has to settle with it by hand. */
    readonly withheld: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** Those of some records whose partner is registered in a version of OCPI that has words for the plain elements of a tariff alone. */
    readonly ofPlainTariffs: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** `NotFound` for one that is not this partner's, or that it does not take, too. */
    readonly get: (taken: CdrsTaken, id: string) => Effect.Effect<RoamingCdr, NotFound | StorageUnavailable>
  }
>()("voltlane/RoamingCdrs") {}
