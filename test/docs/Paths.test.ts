/** Every path and link in the documents leads somewhere, so that moving a file shows which documents name it. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path/posix"
import { describe, expect, it } from "vitest"
import { documents, readText, type TextFile } from "./Documents.ts"

/** Paths that are examples of files to come. */
const notYet = new Set(["src/ocpp/v201", "src/storage/migrations/0002_x.ts"])

const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, "")

/** GitHub's anchor of a heading. */
const anchor = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const anchors = (text: string): ReadonlySet<string> =>
  new Set([...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => anchor(title)))

const deadLinks = ({ path, text }: TextFile): ReadonlyArray<string> =>
  [...withoutBlocks(text).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, to = "", part]) => {
    const target = to === "" ? path : join(dirname(path), to)
    if (!existsSync(target)) return [`${path}: ${link}`]
    return part === undefined || anchors(readText(target).text).has(part) ? [] : [`${path}: ${link}`]
  })

/** Paths in backquotes, also with `*` or `{a,b}` in their last part: what is before the part is looked for. */
const deadPaths = ({ path, text }: TextFile): ReadonlyArray<string> =>
  [...text.matchAll(/`((?:src|test|docs|scripts|bench|examples|\.ci)\/[\w./*{},-]+)`/g)].flatMap(([, name = ""]) => {
    const plain = name.replace(/[^/]*[*{].*$/, "")
    return notYet.has(name) || existsSync(plain) ? [] : [`${path}: ${name}`]
  })

describe("documents", () => {
  it("have no dead links", () => {
    expect([...documents, readText("CHANGELOG.md")].flatMap(deadLinks)).toEqual([])
  })

  it("name only paths that exist", () => {
    expect(documents.flatMap(deadPaths)).toEqual([])
  })

  it("are searched so that a dead link or path is found", () => {
    const bad = (text: string) => [...deadLinks({ path: "docs/x.md", text }), ...deadPaths({ path: "docs/x.md", text })]
    expect(bad("[a](guides/none.md)")).toHaveLength(1)
    expect(bad("[a](glossary.md#none)")).toHaveLength(1)
    expect(bad("`src/none/X.ts`")).toHaveLength(1)
    expect(bad("[a](glossary.md#units) `src/domain/*.ts` [b](https://example.com/none)")).toEqual([])
  })
})
