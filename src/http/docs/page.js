/** Loads an OpenAPI document and shows it: groups of operations, schemas, a filter, and an address for each of them. */
import { entryOf } from "./operation.js"
import { later, make, paragraphs } from "./parts.js"
import { shown } from "./schema.js"

/** Relative to this page, so that they work behind a proxy with a path prefix. */
const apis = [
  { id: "v2", name: "REST v2", at: "swagger.json" },
  { id: "v1", name: "REST v1", at: "../api/swagger.json" },
  { id: "ocpi", name: "OCPI", at: "../ocpi/swagger.json" }
]

const byId = (id) => document.getElementById(id)
const main = byId("main")
const filter = byId("filter")

const asked = new URLSearchParams(location.search)
const api = apis.find(({ id }) => id === asked.get("api")) ?? apis[0]

const operationsOf = (spec) =>
  Object.entries(spec.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation?.responses !== undefined)
      .map(([method, operation]) => ({
        id: operation.operationId ?? `${method} ${path}`,
        method,
        operation,
        path,
        tag: operation.tags?.[0] ?? "",
        // Everything that the filter searches.
        text: [method, path, operation.operationId, operation.summary, operation.description, ...(operation.tags ?? [])]
          .concat((operation.parameters ?? []).map(({ name }) => name))
          .join(" ")
          .toLowerCase()
      }))
  )

const schemaEntries = (spec) =>
  Object.entries(spec.components?.schemas ?? {})
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => {
      const id = `schema.${name}`
      const title = [
        make("code", {}, name),
        make("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to ${name}` }, "#")
      ]
      return {
        text: `${name} ${Object.keys(schema.properties ?? {}).join(" ")}`.toLowerCase(),
        element: later(title, { class: "entry", id }, () => make("div", {}, shown(spec, schema)))
      }
    })

/** A group of entries and its part of the table of contents. `show` applies the filter to both. */
const groupOf = (name, description, entries) => {
  const section = make("section", { class: "group" }, make("h2", {}, name), paragraphs(description))
  section.append(...entries.map(({ element }) => element))
  const rows = entries.map(({ element, label }) => ({
    element,
    item: label === undefined ? undefined : make("li", {}, make("a", { href: `#${element.id}` }, label))
  }))
  const contents = make(
    "section",
    {},
    make("h2", {}, name),
    make(
      "ul",
      {},
      rows.map(({ item }) => item)
    )
  )
  const show = (words) => {
    let found = 0
    for (const [i, { text }] of entries.entries()) {
      const fits = words.every((word) => text.includes(word))
      if (fits) found += 1
      rows[i].element.hidden = !fits
      if (rows[i].item !== undefined) rows[i].item.hidden = !fits
    }
    section.hidden = found === 0
    contents.hidden = found === 0
    return found
  }
  return { contents, section, show }
}

const groupsOf = (spec) => {
  const operations = operationsOf(spec)
  const described = new Map((spec.tags ?? []).map(({ description, name }) => [name, description]))
  const names = [...new Set([...described.keys(), ...operations.map(({ tag }) => tag)])]
  const groups = names.map((name) => {
    const entries = operations
      .filter(({ tag }) => tag === name)
      .map((one) => ({
        text: one.text,
        label: one.operation.summary ?? one.id,
        element: entryOf(spec, one)
      }))
    return groupOf(name, described.get(name), entries)
  })
  return [...groups, groupOf("Schemas", "What bodies and answers are made of", schemaEntries(spec))]
}

const filterBy = (groups) => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = groups.map(({ show }) => show(words))
  const schemas = found.at(-1)
  const operations = found.slice(0, -1).reduce((sum, n) => sum + n, 0)
  byId("found").textContent = words.length === 0 ? "" : `${operations} operations, ${schemas} schemas`
}

/** Keeps the filter in the address, so that it can be shared. */
const remember = () => {
  const address = new URL(location.href)
  if (filter.value === "") address.searchParams.delete("q")
  else address.searchParams.set("q", filter.value)
  history.replaceState(undefined, "", address)
}

/** Opens the entry that the address names and scrolls to it. */
const follow = () => {
  const id = decodeURIComponent(location.hash.slice(1))
  const entry = id === "" ? undefined : byId(id)
  if (entry?.fill === undefined) return
  if (entry.hidden) {
    filter.value = ""
    filter.dispatchEvent(new Event("input"))
  }
  entry.fill()
  entry.scrollIntoView()
  entry.querySelector("summary").focus({ preventScroll: true })
}

const listen = (groups) => {
  filter.addEventListener("input", () => {
    filterBy(groups)
    remember()
  })
  filter.addEventListener("keydown", ({ key }) => {
    if (key !== "Enter") return
    const first = main.querySelector(".entry:not([hidden])")
    if (first?.closest("section:not([hidden])")) location.hash = first.id
  })
  addEventListener("hashchange", follow)
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    filter.focus()
    filter.select()
  })
}

const show = (spec) => {
  document.title = spec.info.title
  const groups = groupsOf(spec)
  main.append(
    make("h1", {}, spec.info.title),
    ...paragraphs(spec.info.description),
    make(
      "p",
      {},
      "Base: ",
      make("code", {}, spec.servers?.[0]?.url ?? ""),
      ". For generators of clients: ",
      make("a", { href: api.at }, "the OpenAPI document"),
      "."
    ),
    ...groups.map(({ section }) => section)
  )
  byId("contents").append(...groups.slice(0, -1).map(({ contents }) => contents))
  filter.value = asked.get("q") ?? ""
  filterBy(groups)
  listen(groups)
  follow()
}

byId("apis").append(
  ...apis.map(({ id, name }) =>
    make("a", { href: `?api=${id}`, "aria-current": id === api.id ? "page" : undefined }, name)
  )
)

try {
  const answer = await fetch(api.at)
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  show(await answer.json())
} catch (error) {
  main.append(make("p", { role: "alert" }, `The description of ${api.name} could not be loaded: ${error.message}`))
}
