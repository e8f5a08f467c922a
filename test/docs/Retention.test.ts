/** docs/retention.md names every table of the schema with what limits its size, and no other table. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { schemaDirectory, schemaFiles } from "../../src/storage/migrations/0001_baseline.ts"
import { readText } from "./Documents.ts"

/** Rows of the tables: the names in the first cell, and the others. */
const rows = readText("docs/retention.md")
  .text.split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").slice(1, -1))
  .map(([names = "", ...cells]) => ({ names: [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name), cells }))

const tables = schemaFiles.flatMap((area) =>
  [...readFileSync(new URL(`${area}.sql`, schemaDirectory), "utf8").matchAll(/^CREATE TABLE (\w+)/gm)].map(
    ([, name = ""]) => name
  )
)

describe("docs/retention.md", () => {
  it("names every table once, and no unknown one", () => {
    const named = rows.flatMap(({ names }) => names)
    expect(named.toSorted()).toEqual([...tables, "schema_migrations"].toSorted())
  })

  it("says what limits the size of each", () => {
    expect(rows.filter(({ cells }) => (cells[0] ?? "").trim() === "")).toEqual([])
  })

  it("names only existing settings", () => {
    const settings = rows.flatMap(({ cells }) => [...(cells[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(settings.length).toBeGreaterThan(4)
    const known = readText("src/config/Variables.ts").text
    expect(settings.filter((name) => !known.includes(`${name}:`))).toEqual([])
  })
})
