/** Shows one operation: what it does, its parameters and body, its answers, and a request to copy. */
import { copied, json, later, make, paragraphs, prose } from "./parts.js"
import { line, shown } from "./schema.js"

const exampleOf = (spec, media) => {
  if (media.example !== undefined) return [["", media.example]]
  return Object.entries(media.examples ?? {}).map(([name, example]) => {
    const found = example.$ref === undefined ? example : spec.components?.examples?.[example.$ref.split("/").at(-1)]
    return [name, found?.value]
  })
}

const mediaOf = (spec, content = {}) =>
  Object.entries(content).flatMap(([type, media]) => [
    make("p", { class: "type" }, type),
    media.schema === undefined ? undefined : shown(spec, media.schema),
    exampleOf(spec, media).map(([name, value]) =>
      later(name === "" ? "Example" : `Example: ${name}`, {}, () => copied(json(value)))
    )
  ])

const parameters = (spec, operation) => {
  const given = operation.parameters ?? []
  return ["path", "query", "header"].flatMap((place) => {
    const there = given.filter((parameter) => parameter.in === place)
    if (there.length === 0) return []
    const title = { path: "In the path", query: "In the query", header: "Headers" }[place]
    return [
      make("h3", {}, title),
      make(
        "dl",
        {},
        there.flatMap(({ description, name, required, schema }) =>
          line(spec, name, schema ?? {}, required === true ? "required" : "", description ?? schema?.description)
        )
      )
    ]
  })
}

const answers = (spec, operation) =>
  Object.entries(operation.responses ?? {}).flatMap(([status, answer]) => [
    make("h4", {}, make("code", {}, status), " ", prose(answer.description ?? "")),
    Object.keys(answer.headers ?? {}).length === 0
      ? undefined
      : make(
          "dl",
          {},
          Object.entries(answer.headers).flatMap(([name, { description, schema }]) =>
            line(spec, name, schema ?? {}, "", description ?? schema?.description)
          )
        ),
    status < "300"
      ? mediaOf(spec, answer.content)
      : Object.keys(answer.content ?? {}).length === 0
        ? undefined
        : later("What it looks like", {}, () => mediaOf(spec, answer.content))
  ])

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/** A request that can be pasted into a shell; the reader inserts a key. */
const curl = (spec, path, method, operation) => {
  const given = operation.parameters ?? []
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const example = given.find((parameter) => parameter.in === "path" && parameter.name === name)?.example
    return example === undefined ? `{${name}}` : encodeURIComponent(example)
  })
  const base = spec.servers?.[0]?.url ?? location.origin
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${quoted(base + filled)}`]
  const scheme = Object.values(spec.components?.securitySchemes ?? {})[0]
  if (scheme?.in === "header") lines.push(`-H ${quoted(`${scheme.name}: …`)}`)
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const body = media === undefined ? undefined : exampleOf(spec, media)[0]?.[1]
  if (type !== undefined && body !== undefined) {
    lines.push(`-H ${quoted(`content-type: ${type}`)}`)
    lines.push(typeof body === "string" ? "--data-binary @file" : `-d ${quoted(JSON.stringify(body))}`)
  }
  return lines.join(" \\\n  ")
}

const permissionsOf = (operation) => {
  const needed = operation["x-required-permissions"] ?? []
  if (needed.length === 0) return undefined
  return make(
    "p",
    {},
    "Needs ",
    needed.flatMap((permission, i) => [i === 0 ? "" : ", ", make("code", {}, permission)])
  )
}

const bodyOf = (spec, { requestBody }) => [
  make("h3", {}, "Body", requestBody.required === true ? "" : " (may be left out)"),
  mediaOf(spec, requestBody.content)
]

/** The operation as an entry that opens on a click, or when the address is `#id`. */
export const entryOf = (spec, { id, method, operation, path }) => {
  const summary = [
    make("span", { class: `method ${method}` }, method.toUpperCase()),
    make("code", {}, path),
    make("span", { class: "said" }, prose(operation.summary ?? "")),
    make("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to ${id}` }, "#")
  ]
  return later(summary, { class: "entry", id }, () =>
    make(
      "div",
      {},
      paragraphs(operation.description),
      permissionsOf(operation),
      parameters(spec, operation),
      operation.requestBody === undefined ? undefined : bodyOf(spec, operation),
      make("h3", {}, "Answers"),
      answers(spec, operation),
      make("h3", {}, "Request"),
      copied(curl(spec, path, method, operation))
    )
  )
}
