/**
 * Parts of request bodies that let a client send back what it has read, although unknown fields are refused (docs/decisions/0008): null for
 * an optional field, and fields that the service assigns itself.
 */
import { Option, Schema, SchemaAST, SchemaGetter } from "effect"

/** An optional field for which null means the same as leaving it out. */
export const mayBeNull = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional<S["Type"], S["Type"] | null>(Option.filter((value) => value !== null)),
      encode: SchemaGetter.passthroughSupertype()
    })
  )

/** Accepted and ignored: for fields that answers show and requests cannot change. */
export const ignored = Schema.optionalKey(
  Schema.Json.annotate({ description: "Assigned by the service: accepted and ignored" })
).pipe(Schema.decodeTo(Schema.optionalKey(Schema.Never), { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() }))

/** Fields of a tariff that the service assigns, under OCPI's names and its own. */
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

/** The same struct, in which every optional field also accepts null. The decoded type is the same. */
export const forgiving = <F extends Schema.Struct.Fields>(fields: F): Schema.Struct<F> => {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    SchemaAST.isOptional(field.ast) && "schema" in field && Schema.isSchema(field.schema)
      ? mayBeNull(field.schema as Schema.Top)
      : field
  ])
  // Only the encoded type is wider, and no type refers to it.
  return Schema.Struct(Object.fromEntries(entries)) as unknown as Schema.Struct<F>
}
