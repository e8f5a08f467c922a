/** What a browser loads: the first page within 150 kB, any other within 40 kB more, styles within 12 kB, all as brotli. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { builtConsole } from "./built.ts"

const folder = builtConsole()
const names = readdirSync(join(folder, "a"))

const bytes = (name: string): number => {
  const br = `${name}.br`
  return statSync(join(folder, "a", names.includes(br) ? br : name)).size
}

/** A file and all its static imports, direct and indirect. */
const withImports = (name: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(join(folder, "a", name), "utf8")
  for (const [, other = ""] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) withImports(other, seen)
  return seen
}

const html = readFileSync(join(folder, "index.html"), "utf8")
const entry = /src="\/a\/([^"]+\.js)"/.exec(html)?.[1] ?? ""
const styles = names.filter((name) => name.endsWith(".css"))
const first = withImports(entry)
const sum = (of: Iterable<string>) => [...of].reduce((all, name) => all + bytes(name), 0)

it("loads the list of chargers for the first time with at most 150 kB", () => {
  const page = names.find((name) => /^Chargers-[^.]+\.js$/.test(name)) ?? ""
  expect(page).not.toBe("")
  const all = new Set([...first, ...withImports(page), ...styles])
  expect(sum(all)).toBeLessThan(150_000)
})

it("loads any other page with at most 40 kB more", () => {
  const pages = names.filter((name) => name.endsWith(".js") && !first.has(name))
  expect(pages.length).toBeGreaterThan(20)
  for (const page of pages) {
    const more = [...withImports(page)].filter((name) => !first.has(name))
    expect([page, sum(more) < 40_000]).toEqual([page, true])
  }
})

it("has at most 12 kB of styles", () => {
  expect(styles.length).toBeGreaterThan(0)
  expect(sum(styles)).toBeLessThan(12_000)
})

it("contains no code of the service", () => {
  for (const name of names.filter((one) => one.endsWith(".js"))) {
    const text = readFileSync(join(folder, "a", name), "utf8")
    expect([name, /pglite|effect\/(?:sql|http)|node:(?:fs|crypto|net)/.test(text)]).toEqual([name, false])
  }
})
