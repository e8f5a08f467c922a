/**
 * Decodes database rows with a Schema before any other code sees them. The codecs here convert what the driver returns (Date, bigint, null)
 * to what the domain uses (ms since 1970, number, undefined). A row that does not fit was not written by this version of the service and is
 * a defect.
 */
import { inSlices } from "../../domain/values/ThreadTime.ts"
import { Effect, Schema, SchemaTransformation } from "effect"

/** timestamptz as ms epoch. */
export const Millis = Schema.Date.pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform({ decode: (date) => date.getTime(), encode: (ms) => new globalThis.Date(ms) })
  )
)

/** int8 as number. `Int` refuses a value beyond 2^53, so no value is rounded. */
export const Whole = Schema.BigInt.pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: BigInt }))
)

/** A column that may be null in the database and is undefined in the domain. */
export const optional = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(
    Schema.decodeTo(
      Schema.UndefinedOr(Schema.toType(schema)),
      SchemaTransformation.transform<S["Type"] | undefined, S["Type"] | null>({
        decode: (value) => value ?? undefined,
        encode: (value) => value ?? null
      })
    )
  )

/** Runs a statement and decodes its rows. */
export const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return <E, R>(
    statement: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<ReadonlyArray<S["Type"]>, E, R> =>
    Effect.flatMap(statement, (rows) => inSlices(rows, (some) => Effect.orDie(decode(some))))
}

/** The same for a statement of at most one row. */
export const rowOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = rowsOf(schema)
  return <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<S["Type"] | undefined, E, R> =>
    Effect.map(decode(statement), (rows) => rows[0])
}
