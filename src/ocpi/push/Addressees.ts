/**
 * Partners as they are at this moment, with the tokens by which they are called. Nothing of a partner is kept between pushes: it may have registered at
 * another place meanwhile, in another version, with another token. Those who are asked for in the same moment are read together.
 */
import { Effect, Exit, Request, RequestResolver } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { type Addressee, SubscriberLookup } from "../../domain/event/SubscriberLookup.ts"

class AddresseeOf extends Request.TaggedClass("AddresseeOf")<
  { readonly partnerId: string },
  Addressee | undefined,
  StorageUnavailable
> {}

/** Reads one partner by its id; undefined where it is gone. */
export const addressees = Effect.map(SubscriberLookup, (lookup) => {
  const resolver = RequestResolver.make<AddresseeOf>((entries) =>
    Effect.gen(function* () {
      const ids = [...new Set(entries.map(({ request }) => request.partnerId))]
      const found = new Map((yield* lookup.addressees(ids)).map((one) => [one.partner.id, one]))
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(found.get(entry.request.partnerId)))
    })
  )
  return (partnerId: string): Effect.Effect<Addressee | undefined, StorageUnavailable> =>
    Effect.request(new AddresseeOf({ partnerId }), resolver)
})
