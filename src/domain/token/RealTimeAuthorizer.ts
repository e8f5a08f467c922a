/** Asks partners about a card that is being read, over their own interfaces. */
import { Context, type Effect } from "effect"
import type { AskedPartner, PartnerAnswer } from "./RealTime.ts"

export interface VerdictsWanted {
  readonly organisationId: string
  readonly chargerId: string
  /** Undefined if the charger does not report it. */
  readonly evseId: number | undefined
  readonly tokenUid: string
  readonly partners: ReadonlyArray<AskedPartner>
}

export class RealTimeAuthorizer extends Context.Service<
  RealTimeAuthorizer,
  {
    /** One answer for each partner, always within `verdictWithinMillis`; never fails. */
    readonly partnerAnswers: (wanted: VerdictsWanted) => Effect.Effect<ReadonlyArray<PartnerAnswer>>
  }
>()("voltlane/RealTimeAuthorizer") {}
