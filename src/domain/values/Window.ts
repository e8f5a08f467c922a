/**
 * A window of a list by offset, as roaming partners page (OCPI 2.2.1 §4.1.4): a range of `last_updated`, and the item to start from. Items are
 * ordered by creation, then by id, so that changes in the meantime do not move items.
 */
import type { PartyId } from "./PartyId.ts"

export interface Window {
  /** ms epoch; only items that were changed then or later. */
  readonly from?: number | undefined
  /** ms epoch; only items that were changed before. */
  readonly to?: number | undefined
  /** How many items of the filtered list are skipped. */
  readonly offset: number
  readonly limit: number
  /** Only items of this party of ours; undefined: of the whole organisation. */
  readonly party?: PartyId | undefined
}

export interface Windowed<A> {
  readonly items: ReadonlyArray<A>
  /** The number of items in the filtered list, whatever the window. */
  readonly total: number
}

/** The default number of items of a window. */
export const windowDefaultLimit = 50

/** The most items of one window. A page of locations with ten charge points each has a megabyte. */
export const windowMaxLimit = 100

/** The window's part of a filtered list that is in memory. */
export const windowOf = <A>(items: ReadonlyArray<A>, { limit, offset }: Window): Windowed<A> => ({
  items: items.slice(offset, offset + limit),
  total: items.length
})
