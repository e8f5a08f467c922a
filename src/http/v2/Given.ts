/**
 * Pieces of bodies that may hold nothing unknown, because a field that is dropped costs money (docs/decisions/0008), and into which may go all the same
 * what was read from here: null where a field may be left out, and fields that the service assigns itself.
 */
import { Effect, Option, Schema, SchemaAST, SchemaGetter } from "effect"
import { withNearest } from "./Unknown.ts"

/** How such a body is read: everything that is wrong, and everything that is not known. */
export const strictly = { errors: "all", onExcessProperty: "error" } as const

/** Says of each unknown name what is known in its place. */
export const naming = <S extends Schema.Top>(schema: S) =>
  schema.pipe(Schema.catchDecoding((issue) => Effect.fail(withNearest(issue))))

/** May be left out, and null is as left out. */
export const mayBeNull = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional<S["Type"], S["Type"] | null>(Option.filter((value) => value !== null)),
      encode: SchemaGetter.passthroughSupertype()
    })
  )

/** Taken, and nothing done with it. */
const ignored = Schema.optionalKey(Schema.Json.annotate({ description: "Is assigned here: taken and ignored" })).pipe(
  Schema.decodeTo(Schema.optionalKey(Schema.Never), { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() })
)

/** What the service assigns to a tariff, by OCPI's names and its own. */
export const assigned = {
  id: ignored,
  countryCode: ignored,
  partyId: ignored,
  version: ignored,
  warnings: ignored,
  createdAt: ignored,
  updatedAt: ignored,
  lastUpdated: ignored
}

/** The struct of the same fields in which null is as left out, of every field that may be. What it decodes to is the same. */
export const forgiving = <F extends Schema.Struct.Fields>(fields: F): Schema.Struct<F> => {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    SchemaAST.isOptional(field.ast) && "schema" in field && Schema.isSchema(field.schema)
      ? mayBeNull(field.schema as Schema.Top)
      : field
  ])
  // Only what it is decoded from is wider, of which nobody asks by its type.
  return Schema.Struct(Object.fromEntries(entries)) as unknown as Schema.Struct<F>
}
