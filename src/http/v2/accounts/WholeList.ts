/** Splits a list that is read whole, since it is short, into the usual pages. The cursor is the id of the last item on the page before. */
import { Effect } from "effect"
import { InvalidInput } from "../../../domain/Errors.ts"
import type { Page, PageRequest } from "../../../domain/values/Page.ts"

export const pageOfAll = <A extends { readonly id: string }>(
  all: ReadonlyArray<A>,
  { cursor, limit }: PageRequest
): Effect.Effect<Page<A>, InvalidInput> => {
  const at = cursor === undefined ? -1 : all.findIndex(({ id }) => id === cursor)
  if (cursor !== undefined && at < 0) {
    return Effect.fail(new InvalidInput({ pointer: "/cursor", detail: "Is not a cursor of this list" }))
  }
  const items = all.slice(at + 1, at + 1 + limit)
  const isMore = at + 1 + items.length < all.length
  return Effect.succeed({ items, nextCursor: isMore ? (items.at(-1)?.id ?? null) : null })
}
