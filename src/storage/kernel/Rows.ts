/**
 * Rows of the database as the domain wants them: every row is decoded by a Schema before anybody sees it. The pieces here turn what the
 * driver gives (Date, bigint, null) into what the domain has (ms epoch, number, undefined). A row that does not fit was not written by
 * this version of the service and is a defect.
 */
import { Effect, Schema, SchemaTransformation } from "effect"

/** timestamptz as ms epoch. */
export const Millis = Schema.Date.pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform({ decode: (date) => date.getTime(), encode: (ms) => new globalThis.Date(ms) })
  )
)

/** int8 as number; one beyond 2^53 is no safe integer, which `Int` refuses, and so is never rounded. */
export const Whole = Schema.BigInt.pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: BigInt }))
)

/** What may be null in the database and is undefined in the domain. */
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
  ): Effect.Effect<ReadonlyArray<S["Type"]>, E, R> => Effect.flatMap(statement, (rows) => Effect.orDie(decode(rows)))
}

/** The same for a statement of at most one row. */
export const rowOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = rowsOf(schema)
  return <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<S["Type"] | undefined, E, R> =>
    Effect.map(decode(statement), (rows) => rows[0])
}
