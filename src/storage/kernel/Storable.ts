/**
 * What PostgreSQL cannot hold, found before it is asked: U+0000 has no place in its text, and half of a surrogate pair would come back
 * as another character than was sent; NaN and infinity are no figures. What slips through (a number beyond its column) is caught by what
 * the database says of it.
 */
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { InvalidInput } from "../../domain/Errors.ts"
import { sqlState } from "./SqlErrors.ts"

/** True for text that the database cannot hold as it is. */
export const unstorableText = (text: string): boolean => text.includes("\0") || !text.isWellFormed()

/** Deeper than any value that the faces let in; what is deeper is refused instead of walked. */
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

/** Fails where a value of an input cannot be stored, naming it. */
export const storable = (input: object): Effect.Effect<void, InvalidInput> => {
  const pointer = pointerTo(input, "", 0)
  return pointer === undefined
    ? Effect.void
    : Effect.fail(
        new InvalidInput({
          pointer,
          detail: "holds what cannot be stored: U+0000, half of a surrogate pair, or a number that is not finite"
        })
      )
}

const isRefusedValue = (error: SqlError): boolean => {
  const state = sqlState(error)
  const cause = error.reason.cause
  // Without a SQLSTATE it may be the driver that could not encode the value.
  return state === undefined
    ? typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "PgTypesCodecError"
    : state.startsWith("22") || state === "23514"
}

/** Turns what the database says of a value (SQLSTATE class 22, or a CHECK of the schema) into the caller's error; everything else passes. */
export const refusingValues = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | InvalidInput, R> =>
  Effect.catchIf(
    effect,
    (error): error is E & SqlError => isSqlError(error) && isRefusedValue(error),
    () => Effect.fail(new InvalidInput({ pointer: "", detail: "holds a value that cannot be stored" }))
  )
