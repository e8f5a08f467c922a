/**
 * Puts the document's schemas into the form that works best for client generators: nullable types instead of unions with null, unions with
 * a discriminator, names for enumerations, and no redundant parts.
 */
import {
  changeAll,
  isNull,
  operationsOf,
  referred,
  refTo,
  type Change,
  type Document,
  type Schema
} from "./Document.ts"
import type { Names } from "./Descriptions.ts"

const withoutBounds = (schema: Schema): Schema => {
  if (schema.type !== "integer") return schema
  const { maximum, minimum, ...rest } = schema
  return minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER
    ? { ...rest, format: "int64" }
    : schema
}

/** Effect writes a check on an object as an `allOf` that requires an object again. */
const isAnyObject = (schema: Schema): boolean =>
  schema.type === "object" && Object.keys(schema).every((key) => key === "type" || key === "additionalProperties")

const withoutEmptyAllOf = (schema: Schema): Schema => {
  const { allOf, ...rest } = schema
  return allOf !== undefined && allOf.every(isAnyObject) ? rest : schema
}

const typesOf = ({ type }: Schema): ReadonlyArray<string> =>
  type === undefined ? [] : typeof type === "string" ? [type] : type

/** Simplifies an `anyOf` that has one member, one member and null, or only plain types. */
const withoutUnion = (schema: Schema): Schema => {
  const { anyOf, ...rest } = schema
  if (anyOf === undefined) return schema
  const [first, ...others] = anyOf.filter((member) => !isNull(member))
  if (first === undefined) return schema
  const nullable = others.length < anyOf.length - 1
  if (others.length === 0 && !nullable) return { ...first, ...rest }
  const plain = [first, ...others].every((member) =>
    Object.keys(member).every((key) => key === "type" || key === "format")
  )
  if (others.length > 0 && !plain) return schema
  if (others.length > 0) return { type: anyOf.flatMap(typesOf), ...rest }
  if (typesOf(first).length === 0) return schema
  return {
    ...first,
    type: [...typesOf(first), "null"],
    ...(first.enum === undefined ? {} : { enum: [...first.enum, null] }),
    ...rest
  }
}

const simplified: Change = (schema) => withoutUnion(withoutEmptyAllOf(withoutBounds(schema)))

/** Removes the component `name` and replaces every reference to it by the result of `by`. */
const replace = (document: Document, name: string, by: (reference: Schema) => Schema): void => {
  delete document.components.schemas[name]
  changeAll(document, (schema) => (referred(schema) === name ? by(schema) : schema))
}

/**
 * Merges duplicate components. One that differs from another only by its description becomes a reference with that description, and one
 * that only adds null is inlined where it is used.
 */
const withoutDoubles = (document: Document): void => {
  const { schemas } = document.components
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.anyOf?.length === 2 && schema.anyOf.some(isNull) && schema.anyOf.some((one) => one.$ref !== undefined)) {
      replace(document, name, ({ $ref: _, ...use }) => ({ ...schema, ...use }))
    }
  }
  const shape = ({ description: _, ...rest }: Schema): string => JSON.stringify(rest)
  for (const [double, schema] of Object.entries(schemas)) {
    const name = double.replace(/_\d+$/, "")
    const first = schemas[name]
    if (name === double || first === undefined || shape(first) !== shape(schema)) continue
    const described = (description: string | undefined) => (description === undefined ? {} : { description })
    const { description, ...plain } = first
    replace(document, name, (use) => ({ ...described(description), ...use }))
    schemas[name] = plain
    replace(document, double, (use) => ({ ...described(schema.description), ...use, $ref: refTo(name) }))
  }
}

const hasType = (schema: Schema): boolean =>
  ["type", "$ref", "anyOf", "oneOf", "allOf"].some((key) => Object.hasOwn(schema, key))

/** Gives types to ignored fields. They accept any value, for which generators would make a useless type. */
const typeIgnored = (document: Document, returned: Names["returned"]): void => {
  const { schemas } = document.components
  for (const [name, answer] of Object.entries(returned)) {
    const schema = schemas[name]
    const known = schemas[answer]?.properties
    if (schema?.properties === undefined) continue
    schemas[name] = {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([field, property]) => [
          field,
          hasType(property) ? property : { ...(known?.[field] ?? { type: "string" }), ...property }
        ])
      )
    }
  }
}

/** The value of `type` that distinguishes a member of a union. */
const wordOf = (schema: Schema | undefined): string | undefined => {
  const [word, ...others] = schema?.properties?.["type"]?.enum ?? []
  return typeof word === "string" && others.length === 0 ? word : undefined
}

const nameMembers = (document: Document, unions: Names["unions"]): void => {
  const { schemas } = document.components
  for (const [name, ending] of Object.entries(unions)) {
    const { anyOf = [], ...rest } = schemas[name] ?? {}
    const mapping: Record<string, string> = {}
    for (const member of anyOf) {
      const existing = referred(member)
      const word = wordOf(existing === undefined ? member : schemas[existing])
      if (word === undefined) throw new Error(`A member of ${name} has no type of its own`)
      if (existing === undefined) schemas[`${word}${ending}`] = member
      mapping[word] = refTo(existing ?? `${word}${ending}`)
    }
    const oneOf = Object.values(mapping).map(($ref) => ({ $ref }))
    schemas[name] = { ...rest, oneOf, discriminator: { propertyName: "type", mapping } }
  }
}

const isFlag = (descriptions: ReadonlyArray<unknown>): boolean =>
  descriptions.every((word) => word === "true" || word === "false")

/** The allowed values of a schema, sorted, if it has several. */
const valuesOf = (schema: Schema): string | undefined => {
  const descriptions = (schema.enum ?? []).filter((word) => word !== null)
  return descriptions.length < 2 || isFlag(descriptions) ? undefined : JSON.stringify(descriptions.toSorted())
}

const nameValues = (document: Document, enums: Names["enums"]): void => {
  const places = new Map(Object.entries(enums).map(([name, place]) => [place, name]))
  const names = new Map<string, string>()
  const { schemas } = document.components
  const found: Record<string, Schema> = {}
  changeAll(document, (schema, place) => {
    const descriptions = valuesOf(schema)
    const name = places.get(place)
    if (descriptions !== undefined && name !== undefined) {
      names.set(descriptions, name)
      const values = (schema.enum ?? []).filter((word) => word !== null)
      found[name] = { type: values.every(Number.isInteger) ? "integer" : "string", enum: values }
    }
    return schema
  })
  changeAll(document, (schema) => {
    const descriptions = valuesOf(schema)
    const name = descriptions === undefined ? undefined : names.get(descriptions)
    if (name === undefined) return schema
    const { enum: values = [], format: _, type: __, ...rest } = schema
    return values.includes(null)
      ? { anyOf: [{ $ref: refTo(name) }, { type: "null" }], ...rest }
      : { $ref: refTo(name), ...rest }
  })
  Object.assign(schemas, found)
}

/** Names the pages of lists after their items. */
const nameLists = (document: Document): void => {
  const { schemas } = document.components
  const contents = operationsOf(document).flatMap(({ responses }) =>
    Object.values(responses).map(({ content }) => content)
  )
  for (const media of contents.flatMap((content) => Object.values(content ?? {}))) {
    const { items, nextCursor } = media.schema.properties ?? {}
    const item = items?.items === undefined ? undefined : referred(items.items)
    if (item === undefined || nextCursor === undefined) continue
    schemas[`${item}List`] = media.schema
    media.schema = { $ref: refTo(`${item}List`) }
  }
}

/** Moves the description of a nullable reference to the whole union. */
const lifted: Change = (schema) => {
  const [first] = schema.anyOf ?? []
  if (first?.$ref === undefined || first.description === undefined) return schema
  return { description: first.description, ...schema, anyOf: [{ $ref: first.$ref }, ...(schema.anyOf ?? []).slice(1)] }
}

/** Applies all of these changes to the document's schemas. */
export const shape = (document: Document, names: Names): void => {
  changeAll(document, simplified)
  withoutDoubles(document)
  nameLists(document)
  typeIgnored(document, names.returned)
  nameMembers(document, names.unions)
  nameValues(document, names.enums)
  changeAll(document, lifted)
}
