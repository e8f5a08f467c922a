/**
 * Finds values that PostgreSQL cannot store before they are sent: text with U+0000, text with half of a surrogate pair (which would be read
 * back as another character), NaN and infinity. Values that this misses (a number that is too large for its column) are recognised by the
 * database's error.
 */
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { InvalidInput } from "../../domain/Errors.ts"
import { sqlState } from "./SqlErrors.ts"

/** True for text that the database cannot store unchanged. */
export const unstorableText = (text: string): boolean => text.includes("\0") || !text.isWellFormed()

/** Deeper than any value that the APIs accept. Deeper values are refused instead of searched. */
const maxDepth = 32

/** Pointer (RFC 6901) to the first text or number in `value` that cannot be stored, or undefined. */
const pointerTo = (value: unknown, pointer: string, depth: number): string | undefined => {
  if (typeof value === "string") return unstorableText(value) ? pointer : undefined
  if (typeof value === "number") return Number.isFinite(value) ? undefined : pointer
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return undefined
  if (depth === maxDepth) return pointer
  for (const [key, item] of Object.entries(value)) {
    const at = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
    const found = unstorableText(key) ? pointer : pointerTo(item, at, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Fails with a pointer to the first value of an input that cannot be stored. */
export const storable = (input: object): Effect.Effect<void, InvalidInput> => {
  const pointer = pointerTo(input, "", 0)
  return pointer === undefined
    ? Effect.void
    : Effect.fail(
        new InvalidInput({
          pointer,
          detail:
            "contains a value that cannot be stored: U+0000, half of a surrogate pair, or a number that is not finite"
        })
      )
}

const isRefusedValue = (error: SqlError): boolean => {
  const state = sqlState(error)
  const cause = error.reason.cause
  // Without a SQLSTATE, the driver may have failed to encode the value.
  return state === undefined
    ? typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "PgTypesCodecError"
    : state.startsWith("22") || state === "23514"
}

/** Turns a database error about a value (SQLSTATE class 22, or a CHECK of the schema) into the caller's error; other errors pass through. */
export const refusingValues = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | InvalidInput, R> =>
  Effect.catchIf(
    effect,
    (error): error is E & SqlError => isSqlError(error) && isRefusedValue(error),
    () => Effect.fail(new InvalidInput({ pointer: "", detail: "contains a value that cannot be stored" }))
  )
