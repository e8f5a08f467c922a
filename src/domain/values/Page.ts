/**
 * One page of a list, by key and never by offset, so that a page costs the same wherever it is. It ends when it has enough items, or enough bytes: rows
 * hold what chargers and partners send, and five hundred of those would fill the memory.
 */

/** Bytes of a page as it is sent, in JSON. One item alone may have more. */
export const pageBytesMost = 1024 * 1024

/** Bytes that a list shows of the last message of each charger. Of one charger it is shown whole, and all of them are in its message log. */
export const listedMessageBytes = 4096

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
  /** The cursor of a page that ends behind its first `count` items, for a caller that finds them too large. Missing where there is nothing to leave out. */
  readonly cursorAfter?: (count: number) => string
}
