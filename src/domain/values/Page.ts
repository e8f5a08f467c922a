/** One page of a list, by key and never by offset, so that a page costs the same wherever it is. */

export interface PageRequest {
  /** How many items at most, 1…500. */
  readonly limit: number
  /** The `nextCursor` of the page before; opaque to callers. */
  readonly cursor?: string | undefined
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Null on the last page. */
  readonly nextCursor: string | null
}
