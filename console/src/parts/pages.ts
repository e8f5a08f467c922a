/** Lists of the service, read page by page, and the filters that are kept in the address. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback, useEffect, useMemo, useRef } from "react"
import { call } from "../api/client.ts"
import type { Answer, Asked, Name } from "../api/types.ts"
import { missingFor, useMe } from "../app/me.ts"

/** Operations that return pages. */
export type ListName = {
  readonly [N in Name]: Answer<N> extends { readonly items: ReadonlyArray<unknown>; readonly nextCursor: string | null }
    ? N
    : never
}[Name]

export type Item<N extends ListName> =
  Answer<N> extends { readonly items: ReadonlyArray<infer A>; readonly nextCursor: string | null } ? A : never

export interface Pages<A> {
  readonly rows: ReadonlyArray<A>
  readonly isLoading: boolean
  readonly error: Error | null
  readonly retry: () => void
  readonly more: () => void
  readonly hasMore: boolean
  /** The permissions that are missing to see it. */
  readonly missing: ReadonlyArray<string>
}

const pageRows = 100

/** Lists without a page size of their own: their pages are as large as the charger's answers. */
const unlimited: ReadonlySet<Name> = new Set<Name>(["chargers.configuration"])

export const usePages = <N extends ListName>(name: N, asked: Asked<N>, isOn = true): Pages<Item<N>> => {
  const missing = missingFor(useMe(), name)
  const given = asked as { readonly query?: Readonly<Record<string, unknown>> }
  const { data, error, fetchNextPage, hasNextPage, isFetching, isLoading, refetch } = useInfiniteQuery({
    queryKey: [name, asked],
    enabled: isOn && missing.length === 0,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        name,
        {
          ...given,
          query: {
            ...(unlimited.has(name) ? {} : { limit: pageRows }),
            ...given.query,
            ...(pageParam === null ? {} : { cursor: pageParam })
          }
        } as unknown as Asked<N>,
        signal
      ) as Promise<{ readonly items: ReadonlyArray<Item<N>>; readonly nextCursor: string | null }>,
    getNextPageParam: ({ nextCursor }) => nextCursor
  })
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const loaded = data?.pages.length ?? 0
  // Reading a list again cancels the page that was being read. It is then requested again, since the person may not scroll any further.
  const wanted = useRef(0)
  const key = JSON.stringify([name, asked])
  useEffect(() => void (wanted.current = 0), [key])
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null && wanted.current > loaded) void fetchNextPage()
  }, [hasNextPage, isFetching, error, loaded, fetchNextPage])
  const more = useCallback(() => {
    if (!hasNextPage) return
    wanted.current = loaded + 1
    if (!isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, loaded, fetchNextPage])
  const retry = useCallback(() => void refetch(), [refetch])
  return { rows, isLoading, error, retry, more, hasMore: hasNextPage, missing }
}

export type Filters = Readonly<Record<string, string | undefined>>

/** Filters are kept in the address, so that a shared link shows the same. */
export const useFilters = (): readonly [Filters, (change: Filters) => void] => {
  const search = useSearch({ strict: false }) as Filters
  const go = useNavigate()
  const set = useCallback(
    (change: Filters) =>
      void go({
        to: ".",
        replace: true,
        search: ((old: Filters) =>
          Object.fromEntries(
            Object.entries({ ...old, ...change }).filter(([, value]) => value !== undefined && value !== "")
          )) as never
      }),
    [go]
  )
  return [search, set]
}
