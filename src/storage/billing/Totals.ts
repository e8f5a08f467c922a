/**
 * How many items a filtered list has. If a partner reads a million items page by page, counting them for every page would take a fifth of a
 * second each. So the number is remembered for a short time within such a list. At the end of the list it is counted again, so that no
 * reader misses the last page.
 */
import { Clock, Effect } from "effect"

/** Shorter lists are always counted, which takes less than a millisecond; counting 20,000 items took as long as reading their page. */
const countedAnew = 5_000

/** How long a number is remembered. */
const keepMillis = 30_000

/** How many lists are remembered at a time: one for each partner and filter. */
const keptMost = 1_000

interface Known {
  readonly total: number
  readonly until: number
}

interface Asked {
  readonly offset: number
  readonly limit: number
}

/** Remembers totals by key, which names the list's owner and its filter. `count` counts the list, and `page` reads a page of it. */
export const totals = () => {
  const kept = new Map<string, Known>()

  const counted = <E>(key: string, count: Effect.Effect<number, E>) =>
    Effect.gen(function* () {
      const total = yield* count
      kept.delete(key)
      if (total < countedAnew) return total
      kept.set(key, { total, until: (yield* Clock.currentTimeMillis) + keepMillis })
      const [oldest] = kept.keys()
      if (kept.size > keptMost && oldest !== undefined) kept.delete(oldest)
      return total
    })

  return <A, E>(
    key: string,
    { limit, offset }: Asked,
    count: Effect.Effect<number, E>,
    page: Effect.Effect<ReadonlyArray<A>, E>
  ): Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly total: number }, E> =>
    Effect.gen(function* () {
      const known = kept.get(key)
      const isKnown =
        known !== undefined && known.until > (yield* Clock.currentTimeMillis) && offset + limit < known.total
      const total = isKnown ? known.total : yield* counted(key, count)
      const items = yield* page
      // The list has become shorter meanwhile.
      const isEnd = isKnown && items.length < limit
      return { items, total: isEnd ? yield* counted(key, count) : total }
    })
}
