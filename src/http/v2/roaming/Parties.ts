/** The endpoints of the organisation's parties over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidInput } from "../../../domain/Errors.ts"
import type { CpoParty } from "../../../domain/roaming/Party.ts"
import { Parties } from "../../../domain/roaming/Parties.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { Party } from "./PartiesApi.ts"

const toParty = ({ businessDetails, isDefault, ...party }: CpoParty): typeof Party.Type => ({
  id: party.id,
  countryCode: party.countryCode,
  partyId: party.partyId,
  businessDetails: { name: businessDetails.name, website: businessDetails.website ?? null },
  default: isDefault,
  createdAt: party.createdAt
})

/** A page of the short list. The cursor is the id of the last item. */
const pageOf = (all: ReadonlyArray<CpoParty>, { cursor, limit }: ReturnType<typeof pageRequest>) =>
  Effect.gen(function* () {
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1
    if (cursor !== undefined && start === 0) {
      return yield* new InvalidInput({ pointer: "/cursor", detail: "Is not a cursor of this list" })
    }
    const items = all.slice(start, start + limit)
    const cursorAfter = (count: number): string => items[count - 1]?.id ?? ""
    return { items, nextCursor: all.length > start + limit ? cursorAfter(items.length) : null, cursorAfter }
  })

export const layer = HttpApiBuilder.group(
  Api,
  "parties",
  Effect.fn(function* (handlers) {
    const parties = yield* Parties
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      create: Effect.fn("v2.parties.create")(function* ({ payload }) {
        return toParty(yield* parties.create(payload, yield* audit))
      }),
      list: Effect.fn("v2.parties.list")(function* ({ query, request }) {
        const all = yield* parties.list(yield* organisationId)
        return yield* listed(publicUrl, request.url, yield* pageOf(all, pageRequest(query)), toParty)
      })
    })
  })
)
