/**
 * A window onto a list by offset, as roaming partners page (OCPI 2.2.1 §4.1.4): which span of `last_updated`, and from which item on. Items are in order
 * of creation, then of id, so that what changes meanwhile moves nothing.
 */
import type { PartyId } from "./PartyId.ts"

export interface Window {
  /** ms epoch; items that were changed then or later. */
  readonly from?: number | undefined
  /** ms epoch; items that were changed before. */
  readonly to?: number | undefined
  /** Items of the filtered list that are left out before the first. */
  readonly offset: number
  readonly limit: number
  /** Of this party of ours alone; undefined is the whole organisation. */
  readonly party?: PartyId | undefined
}

export interface Windowed<A> {
  readonly items: ReadonlyArray<A>
  /** Of the filtered list, whatever window is looked at. */
  readonly total: number
}

/** Items of a window when nothing is said of it. */
export const windowDefaultLimit = 50

/** Most items of one window: a page of locations with ten charge points each has a megabyte. */
export const windowMaxLimit = 100

/** The window's part of a filtered list that is in memory. */
export const windowOf = <A>(items: ReadonlyArray<A>, { limit, offset }: Window): Windowed<A> => ({
  items: items.slice(offset, offset + limit),
  total: items.length
})
