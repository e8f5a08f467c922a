/**
 * A 16-byte hash of what was sent of an object. Times of change are left out, so that an object is not pushed if nothing else has changed.
 */
import { createHash } from "node:crypto"

/** Without `last_updated` at any depth, and in a fixed order of keys. */
const timeless = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(timeless)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => key !== "last_updated" && item !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, timeless(item)])
  )
}

export const hashOf = (value: unknown): Uint8Array =>
  new Uint8Array(
    createHash("sha256")
      .update(JSON.stringify(timeless(value)))
      .digest()
      .subarray(0, 16)
  )

export const sameHash = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && one.length === other.length && one.every((byte, i) => byte === other[i])
