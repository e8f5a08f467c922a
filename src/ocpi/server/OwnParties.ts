/** The parties of an organisation, remembered for a moment: every request of a partner that is routed asks for them. */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Parties } from "../../domain/roaming/Parties.ts"

/** A party is added now and then; one that is asked for and not known is looked for again at once. */
const rememberedMillis = 10_000

/** Organisations whose parties are remembered at most; then all are forgotten. */
const organisationsMax = 1_000

export const ownParties = (parties: Parties["Service"]) => {
  const known = new Map<string, { readonly at: number; readonly all: ReadonlyArray<PartyId> }>()
  return (
    organisationId: string,
    now: number,
    isEnough: (all: ReadonlyArray<PartyId>) => boolean
  ): Effect.Effect<ReadonlyArray<PartyId>, StorageUnavailable> =>
    Effect.suspend(() => {
      const found = known.get(organisationId)
      if (found !== undefined && now - found.at < rememberedMillis && isEnough(found.all)) {
        return Effect.succeed(found.all)
      }
      return Effect.map(parties.list(organisationId), (all) => {
        if (known.size >= organisationsMax) known.clear()
        known.set(organisationId, { at: now, all })
        return all
      })
    })
}
