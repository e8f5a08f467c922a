/** The catalogue: no text is unused, pages have no text of their own, and the other languages are complete, with the same placeholders. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { catalogue as de } from "../../console/src/text/de.ts"
import { en } from "../../console/src/text/en.ts"
import { catalogue as sv } from "../../console/src/text/sv.ts"

const folder = "console/src"
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("text"))
  .map((name) => readFileSync(join(folder, name), "utf8"))
const all = sources.join("\n")

/** Groups whose keys are built from a word that the service sends. */
const groups = new Set([...all.matchAll(/\bword\(\s*"(\w+)"/g)].map(([, group = ""]) => group))
const templates = [...all.matchAll(/\btn?\(\s*`([\w.]+)\$\{/g)].map(([, prefix = ""]) => prefix)
const literals = new Set([...all.matchAll(/"([a-z]\w*\.\w+)"/g)].map(([, key = ""]) => key))

const isUsed = (key: string): boolean =>
  literals.has(key) ||
  literals.has(key.replace(/_(?:one|other)$/, "")) ||
  groups.has(key.split(".")[0] ?? "") ||
  templates.some((prefix) => key.startsWith(prefix))

const values = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).sort()

it("has no unused text", () => {
  expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([])
})

it("has a plural form for every singular form", () => {
  const counted = Object.keys(en).filter((key) => key.endsWith("_one"))
  expect(counted.length).toBeGreaterThan(10)
  for (const key of counted) expect(Object.hasOwn(en, key.replace(/_one$/, "_other")), key).toBe(true)
})

it("finds no text in the pages outside the catalogue", () => {
  const written = sources.flatMap((text) =>
    [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+){1,})\s*</g)].map(([, one]) => one)
  )
  expect(written).toEqual([])
})

describe.each([
  ["Swedish", sv],
  ["German", de]
] as const)("%s", (_, catalogue) => {
  it("is complete", () => {
    expect(Object.keys(en).filter((key) => !Object.hasOwn(catalogue, key))).toEqual([])
  })

  it("translates only texts that exist in English, with the same placeholders", () => {
    for (const [key, text] of Object.entries(catalogue)) {
      expect(Object.hasOwn(en, key), key).toBe(true)
      expect([key, values(text)]).toEqual([key, values(en[key as keyof typeof en])])
    }
  })
})
