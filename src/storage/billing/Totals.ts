/**
 * How many items a filtered list has. Who goes through a million of them page by page would have them counted for every page, at a fifth of a second
 * each: within such a list the number is remembered for a moment. Where a list ends it is counted anew, so that no reader misses its last page.
 */
import { Clock, Effect } from "effect"

/** Fewer are counted in less than a millisecond; 20,000 took as long as their page. */
const countedAnew = 5_000

/** The number on a page is no older. */
const keepMillis = 30_000

/** Lists that are gone through at the same time, each by one partner with one filter. */
const keptMost = 1_000

interface Known {
  readonly total: number
  readonly until: number
}

interface Asked {
  readonly offset: number
  readonly limit: number
}

/** Remembers by key, which says whose list it is and by what it is filtered. `count` counts, and `page` reads a page of it. */
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
      // It has become shorter meanwhile.
      const isEnd = isKnown && items.length < limit
      return { items, total: isEnd ? yield* counted(key, count) : total }
    })
}
