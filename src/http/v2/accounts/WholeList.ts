/** Lists that are read whole, since they are short, in the pages that every list has: the cursor is the last id of the page before. */
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
