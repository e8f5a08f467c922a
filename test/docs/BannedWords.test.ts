/**
 * The words that the glossary bans occur in no document and nowhere in code. The list is the glossary's own table: a word that is added there is
 * searched from then on.
 */
import { describe, expect, it } from "vitest"
import { documents, filesBelow, readText, type TextFile } from "./Documents.ts"

interface Exception {
  /** The file to which the exception applies. */
  readonly path: string
  /** The text, as it is in the file, in which the word is allowed. */
  readonly text: string
  /** A quotation of a specification, or a field of a fixed contract: which one. */
  readonly reason: string
}

const exceptions: ReadonlyArray<Exception> = []

/** Documents that scripts generate: their text comes from `src/storage/schema` and from the names of tests. Correct it there. */
const generatedFromSource = new Set(["docs/schema.md"])

const heading = "## Words we do not use"

interface Banned {
  readonly everywhere: ReadonlySet<string>
  readonly names: ReadonlySet<string>
}

const bannedIn = (glossary: string): Banned => {
  const rows = [
    ...(glossary.split(heading)[1] ?? "").matchAll(/^\| *([a-z, ]+?) *\|[^|]*\| *(everywhere|names) *\|$/gm)
  ]
  const listOf = (where: string) =>
    new Set(rows.filter(([, , place]) => place === where).flatMap(([, list = ""]) => list.split(/, */)))
  return { everywhere: listOf("everywhere"), names: listOf("names") }
}

const banned = bannedIn(readText("docs/glossary.md").text)

/** The words of a text in lower case: `isSomebody` has two, `TOLD_BY` has two, `Response2Told` has three. */
const parts = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)

const declaration = /\b(?:const|function|class|interface|type|let)\s+([A-Za-z_$][\w$]*)/g

const withoutExceptions = ({ path, text }: TextFile, allowed: ReadonlyArray<Exception>): string =>
  allowed
    .filter((exception) => exception.path === path)
    .reduce((rest, exception) => rest.replaceAll(exception.text, ""), text)

const found = (file: TextFile, allowed: ReadonlyArray<Exception> = exceptions): ReadonlyArray<string> => {
  const isGlossary = file.path === "docs/glossary.md"
  const text = withoutExceptions(file, allowed)
  const inText = (isGlossary ? (text.split(heading)[0] ?? "") : text).split("\n").flatMap((line, index) =>
    parts(line)
      .filter((word) => banned.everywhere.has(word))
      .map((word) => `${file.path}:${index + 1} says "${word}"`)
  )
  const isCode = file.path.endsWith(".ts")
  const names = isCode ? [...text.matchAll(declaration)].map(([, name = ""]) => name) : []
  const inNames = [file.path.replace(/^.*\//, ""), ...names].flatMap((name) =>
    parts(name)
      .filter((word) => banned.names.has(word))
      .map((word) => `${file.path} has the name ${name} with "${word}"`)
  )
  return [...inText, ...(isCode || file.path.endsWith(".sql") ? inNames : [])]
}

/** This file has the words as its own examples. */
const ownPath = "test/docs/BannedWords.test.ts"

const advice = `Write what the table "${heading.slice(3)}" of docs/glossary.md says instead.`

describe("banned words", () => {
  it("are read from the glossary", () => {
    expect(banned.everywhere).toContain("told")
    expect(banned.everywhere).toContain("keeper")
    expect(banned.names).toContain("misc")
    expect(banned.everywhere.size + banned.names.size).toBeGreaterThan(20)
  })

  it("are in no document", () => {
    const hits = documents.filter(({ path }) => !generatedFromSource.has(path)).flatMap((file) => found(file))
    expect(hits, advice).toEqual([])
  })

  it("are nowhere in code", () => {
    const files = ["src", "console/src", "test", "bench", "scripts"].flatMap((folder) =>
      filesBelow(folder, [".ts", ".tsx", ".sql", ".js", ".html", ".css"])
        .filter((path) => path !== ownPath)
        .map(readText)
    )
    expect(
      files.flatMap((file) => found(file)),
      advice
    ).toEqual([])
  })

  it.each([
    ["prose", "docs/x.md", "The partner was told."],
    ["a comment", "src/x.ts", "// Nobody reads it."],
    ["a string", "src/x.ts", 'fail("somebody else has it")'],
    ["a name in camelCase", "src/x.ts", "x.isSomebody()"],
    ["a name in capitals", "src/x.ts", "TOLD_BY"],
    ["SQL", "src/x.sql", "-- What stands is kept."],
    ["SQL's names", "src/x.sql", "SELECT tells_power FROM meter"],
    ["a declared name", "src/x.ts", "export const actionWords = 1"],
    ["a file's name", "src/domain/Misc.ts", ""]
  ])("are found in %s", (_, path, text) => {
    expect(found({ path, text }, [])).toHaveLength(1)
  })

  it("are not found in longer words, nor banned names in prose", () => {
    expect(found({ path: "src/x.ts", text: "const isReachable = 1 // In other words: later than that." })).toEqual([])
    expect(found({ path: "docs/x.md", text: "standstill, goalkeeper, Word by word, later." })).toEqual([])
  })

  it("are allowed in the text that an exception names, and nowhere else", () => {
    const allowed = [{ path: "docs/x.md", text: '"the EVSE is told"', reason: "a quotation" }]
    expect(found({ path: "docs/x.md", text: 'OCPI says "the EVSE is told".' }, allowed)).toEqual([])
    expect(found({ path: "docs/x.md", text: "the EVSE is told" }, allowed)).toHaveLength(1)
    expect(found({ path: "docs/y.md", text: '"the EVSE is told"' }, allowed)).toHaveLength(1)
  })

  it("have no unnecessary exception", () => {
    const unneeded = exceptions.filter(({ path, text, reason }) => reason === "" || !readText(path).text.includes(text))
    expect(unneeded).toEqual([])
  })
})
