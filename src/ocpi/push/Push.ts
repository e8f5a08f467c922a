/** One push: an object and the partner that receives it, with the parties, the version and the address of the request. */
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
import type { ModulePauses } from "./ModulePauses.ts"
import { outcomeOf } from "./Outcomes.ts"
import type { HttpMethod } from "../../outbound/HttpCall.ts"

export interface Push {
  readonly item: DueItem
  readonly partner: Partner
  /** The partner's sealed token, as it was read with the partner. */
  readonly sealedToken?: string | undefined
  readonly wire: WireObjects
  readonly client: PartnerClient["Service"]
  readonly pauses: ModulePauses
  readonly inTurn: InTurn
}

export type Pushing<A> = Effect.Effect<A, PartnerFailed | PartnerUnreached | StorageUnavailable>

export interface Sent {
  readonly method: HttpMethod
  readonly module: ModuleId
  readonly path: ReadonlyArray<string>
  readonly body?: unknown
  /** Our party that owns the object. */
  readonly from: PartyId
  /** The partner's party that receives it; the partner's own by default. */
  readonly to?: PartyId | undefined
}

/** The partner's eMSP party, since pushes are for drivers' apps; without one any party but a CPO, for example a hub. */
const readerOf = ({ connection }: Partner): PartyId | undefined => {
  const parties = connection?.parties ?? []
  return parties.find(({ role }) => role === "EMSP") ?? parties.find(({ role }) => role !== "CPO") ?? parties[0]
}

/** Each try has its own request id. All tries of one item have the same correlation id. */
export const send = ({ client, inTurn, item, partner, pauses, sealedToken }: Push, what: Sent): Pushing<Answered> =>
  inTurn(
    pauses.calling(
      partner.id,
      what.module,
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
  )

/** Nothing had to be sent. What the partner has remains recorded as it is. */
export const nothing = ({ item }: Pick<Push, "item">): Outcome => ({
  _tag: "Delivered",
  hash: item.hash,
  isSilent: true
})

/** The object does not exist for this partner, or no longer does. */
export const forgotten: Outcome = { _tag: "Delivered", isSilent: true }

/** Any answer as an outcome. Storage that is unavailable remains an error, since it is no refusal. */
export const settled = (pushing: Pushing<Outcome>): Effect.Effect<Outcome, StorageUnavailable> =>
  pushing.pipe(
    Effect.catchTags({
      PartnerFailed: (failed) => Effect.succeed(outcomeOf(failed)),
      PartnerUnreached: ({ message }) => Effect.succeed<Outcome>({ _tag: "Failed", message })
    })
  )
