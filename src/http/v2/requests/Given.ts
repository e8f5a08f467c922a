/**
 * Pieces of bodies into which may go what was read from here, although nothing unknown is taken (docs/decisions/0008): null where a field may be left
 * out, and fields that the service assigns itself.
 */
import { Option, Schema, SchemaAST, SchemaGetter } from "effect"

/** May be left out, and null is as left out. */
export const mayBeNull = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional<S["Type"], S["Type"] | null>(Option.filter((value) => value !== null)),
      encode: SchemaGetter.passthroughSupertype()
    })
  )

/** Taken, and nothing done with it: for fields that answers show and requests cannot change. */
export const ignored = Schema.optionalKey(
  Schema.Json.annotate({ description: "Is assigned here: taken and ignored" })
).pipe(Schema.decodeTo(Schema.optionalKey(Schema.Never), { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() }))

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
  // Only what it is decoded from is wider, which no type refers to.
  return Schema.Struct(Object.fromEntries(entries)) as unknown as Schema.Struct<F>
}
