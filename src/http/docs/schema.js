/** Shows a JSON Schema: one line for each property; its nested schema opens on a click. */
import { later, make, paragraphs, prose } from "./parts.js"

const refStart = "#/components/schemas/"

const nameOf = (schema) => (schema.$ref?.startsWith(refStart) ? schema.$ref.slice(refStart.length) : undefined)

export const resolved = (spec, schema) => {
  const name = nameOf(schema)
  return name === undefined ? schema : (spec.components?.schemas?.[name] ?? {})
}

const isNull = (schema) => schema.type === "null"

/** The type of a schema in a few words: `string, date-time or null`. */
const typeOf = (schema) => {
  const name = nameOf(schema)
  if (name !== undefined) return name
  const members = schema.oneOf ?? schema.anyOf
  if (members !== undefined) return members.length > 4 ? "one of several" : members.map(typeOf).join(" or ")
  const types = [schema.type ?? "anything"].flat()
  const words = types.map((type) =>
    type === "array" ? `list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}` : type
  )
  if (schema.format !== undefined) words[0] = `${words[0]}, ${schema.format}`
  return words.join(" or ")
}

const bounds = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["minLength", "characters at least"],
  ["maxLength", "characters at most"],
  ["minItems", "items at least"],
  ["maxItems", "items at most"],
  ["pattern", "pattern"]
]

/** The limits on values beyond the type. */
const limits = (schema) => {
  const said = bounds.filter(([key]) => schema[key] !== undefined).map(([key, words]) => `${words} ${schema[key]}`)
  if (schema.enum !== undefined) said.push(schema.enum.map((value) => JSON.stringify(value)).join(", "))
  return said.join("; ")
}

/** The nested schemas that have properties or listed values to show. */
const inner = (spec, schema) => {
  const members = schema.oneOf ?? schema.anyOf
  if (members !== undefined) return members.filter((member) => !isNull(member)).flatMap((one) => inner(spec, one))
  if (schema.items !== undefined) return inner(spec, schema.items)
  const real = resolved(spec, schema)
  if (real !== schema && (real.oneOf ?? real.anyOf ?? real.items) !== undefined) return inner(spec, real)
  return real.properties !== undefined || real.enum !== undefined ? [[nameOf(schema), real]] : []
}

const properties = (spec, schema) =>
  make(
    "dl",
    {},
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      line(spec, name, property, schema.required?.includes(name) ? "" : "optional")
    )
  )

const words = (schema) => make("p", {}, make("code", {}, schema.enum.map((value) => JSON.stringify(value)).join(", ")))

const content = (spec, schema) => (schema.enum === undefined ? properties(spec, schema) : words(schema))

/** One named value: a property or a parameter, with a note whether it is required. */
export const line = (spec, name, schema, note, description = schema.description) => {
  const parts = inner(spec, schema).filter(
    ([partName, part]) => partName !== undefined || part.properties !== undefined
  )
  const said = limits(schema)
  return [
    make(
      "dt",
      {},
      make("code", {}, name),
      " ",
      make("span", { class: "type" }, typeOf(schema)),
      " ",
      note === "" ? undefined : make("span", { class: "note" }, note)
    ),
    make(
      "dd",
      {},
      description === undefined ? undefined : make("p", {}, prose(description)),
      said === "" ? undefined : make("p", { class: "type" }, said),
      parts.map(([partName, part]) => later(partName ?? "its properties", {}, () => content(spec, part)))
    )
  ]
}

/** A whole schema: that of a body, or a named one. */
export const shown = (spec, schema) => {
  const parts = inner(spec, schema)
  const only = parts.length === 1 ? parts[0] : undefined
  return make(
    "div",
    { class: "schema" },
    make("p", { class: "type" }, typeOf(schema), limits(schema) === "" ? "" : ` (${limits(schema)})`),
    paragraphs(resolved(spec, schema).description),
    only === undefined
      ? parts.map(([name, part]) => later(name ?? "one of them", {}, () => content(spec, part)))
      : content(spec, only[1])
  )
}
