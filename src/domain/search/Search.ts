/** Search over everything that has a name or an id, by a part of it. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Permission } from "../operator/Permission.ts"

/** The kinds of things that are found, with the permission needed for each, in the order in which they are shown. */
export const searchedKinds = {
  charger: "chargers:read",
  site: "sites:read",
  session: "sessions:read",
  token: "tokens:read",
  cdr: "cdrs:read",
  partner: "partners:read",
  tariff: "tariffs:read",
  operator: "operators:read"
} as const satisfies Readonly<Record<string, Permission>>

export type SearchedKind = keyof typeof searchedKinds

export interface Found {
  readonly kind: SearchedKind
  readonly id: string
  readonly title: string
  readonly subtitle: string
  /** How well the text matches: 0 if it is equal, 1 if it is at the beginning, 2 if it is anywhere. */
  readonly rank: number
}

/** The most items of one kind, and in total. */
export const foundOfKind = 5
export const foundInAll = 30

/** The kinds that a caller may read. */
export const kindsFor = (permissions: ReadonlyArray<string>): ReadonlyArray<SearchedKind> =>
  Object.entries(searchedKinds).flatMap(([kind, permission]) =>
    permissions.includes(permission) ? [kind as SearchedKind] : []
  )

/** Best matches first. Equal matches alternate between the kinds: one of each kind before the second of any. */
export const inOrder = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const seen = new Map<string, number>()
  const placed = found.map((one) => {
    const key = `${one.rank} ${one.kind}`
    const nth = seen.get(key) ?? 0
    seen.set(key, nth + 1)
    return { one, nth }
  })
  return placed
    .toSorted((a, b) => a.one.rank - b.one.rank || a.nth - b.nth)
    .slice(0, foundInAll)
    .map(({ one }) => one)
}

export class Search extends Context.Service<
  Search,
  {
    /** At most `foundOfKind` of each kind. Ids of sessions and records are found by their first eight or more digits. */
    readonly find: (
      organisationId: string,
      text: string,
      kinds: ReadonlyArray<SearchedKind>
    ) => Effect.Effect<ReadonlyArray<Found>, StorageUnavailable>
  }
>()("voltlane/Search") {}
