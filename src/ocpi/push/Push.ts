/** One object and one partner that receives it: who speaks to whom, in which version, and where. */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { InTurn } from "../../domain/event/SubscriptionKind.ts"
import type { DueItem, Outcome } from "../../domain/event/Subscription.ts"
import type { Answered, PartnerFailed } from "../client/OcpiClient.ts"
import type { PartnerClient, PartnerUnreached } from "../client/PartnerClient.ts"
import type { ModuleId } from "../protocol/EndpointTable.ts"
import type { WireObjects } from "../objects/WireObjects.ts"
import { outcomeOf } from "./Outcomes.ts"
import type { HttpMethod } from "../../outbound/HttpCall.ts"

export interface Push {
  readonly item: DueItem
  readonly partner: Partner
  /** Of the partner, as it was read with it. */
  readonly sealedToken?: string | undefined
  readonly wire: WireObjects
  readonly client: PartnerClient["Service"]
  readonly inTurn: InTurn
}

export type Pushing<A> = Effect.Effect<A, PartnerFailed | PartnerUnreached | StorageUnavailable>

export interface Sent {
  readonly method: HttpMethod
  readonly module: ModuleId
  readonly path: ReadonlyArray<string>
  readonly body?: unknown
  /** Ours, whose object it is. */
  readonly from: PartyId
  /** Whom it is for; the partner's own if not said. */
  readonly to?: PartyId | undefined
}

/** The party of a partner that reads what is for drivers' apps; a hub is one itself. */
const readerOf = ({ connection }: Partner): PartyId | undefined => {
  const parties = connection?.parties ?? []
  return parties.find(({ role }) => role === "EMSP") ?? parties.find(({ role }) => role !== "CPO") ?? parties[0]
}

/** Each try has an id of its own, all of them the same story. */
export const send = ({ client, inTurn, item, partner, sealedToken }: Push, what: Sent): Pushing<Answered> =>
  inTurn(
    client.call(partner, {
      method: what.method,
      at: { module: what.module, role: "RECEIVER", path: what.path },
      body: what.body,
      sealedToken,
      correlationId: item.itemId,
      from: what.from,
      to: what.to ?? readerOf(partner)
    })
  )

/** Nothing was to be sent: what is known of the partner stays as it is. */
export const nothing = ({ item }: Pick<Push, "item">): Outcome => ({
  _tag: "Delivered",
  hash: item.hash,
  isSilent: true
})

/** There is no such object for the partner (any more). */
export const forgotten: Outcome = { _tag: "Delivered", isSilent: true }

/** Whatever was answered, as an outcome; storage that is away is no refusal. */
export const settled = (pushing: Pushing<Outcome>): Effect.Effect<Outcome, StorageUnavailable> =>
  pushing.pipe(
    Effect.catchTags({
      PartnerFailed: (failed) => Effect.succeed(outcomeOf(failed)),
      PartnerUnreached: ({ message }) => Effect.succeed<Outcome>({ _tag: "Failed", message })
    })
  )
