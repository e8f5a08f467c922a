/** Asking partners for their word on a card that is being read, over their own interfaces. */
import { Context, type Effect } from "effect"
import type { AskedPartner, PartnerAnswer } from "./RealTime.ts"

export interface VerdictsWanted {
  readonly organisationId: string
  readonly chargerId: string
  /** Undefined where the charger does not say. */
  readonly evseId: number | undefined
  readonly tokenUid: string
  readonly partners: ReadonlyArray<AskedPartner>
}

export class RealTimeAuthorizer extends Context.Service<
  RealTimeAuthorizer,
  {
    /** One word of each, within `verdictWithinMillis` whatever they do; never fails. */
    readonly partnerAnswers: (wanted: VerdictsWanted) => Effect.Effect<ReadonlyArray<PartnerAnswer>>
  }
>()("voltlane/RealTimeAuthorizer") {}
