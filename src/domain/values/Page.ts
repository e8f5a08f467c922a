/**
 * One page of a list, addressed by key and never by offset, so that every page costs the same. A page ends when it has enough items or enough bytes:
 * rows contain what chargers and partners send, and five hundred large ones would fill the memory.
 */

/** The most bytes of a page as JSON. A single item may have more. */
export const pageBytesMost = 1024 * 1024

/**
 * How many bytes of each charger's last message a list shows. A single charger is shown with the whole message, and its message log has all of them.
 */
export const listedMessageBytes = 4096

export interface PageRequest {
  /** The most items, 1…500. */
  readonly limit: number
  /** The `nextCursor` of the previous page; opaque to callers. */
  readonly cursor?: string | undefined
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Null on the last page. */
  readonly nextCursor: string | null
  /** The cursor that follows the first `count` items, for a caller that finds the page too large. Missing if no items can be left out. */
  readonly cursorAfter?: (count: number) => string
}
