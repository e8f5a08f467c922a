/**
 * How the architecture test reads a source file: without a compiler, by one pass that knows what is code, what is a comment and
 * what is a string. That is enough for imports and banned words, and it takes milliseconds for the whole tree.
 */

/** A file of the tree: its path from the top with `/`, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** The text with comments blanked out (`withStrings`), and also with the insides of strings blanked out (`code`). Lines stay. */
export interface Stripped {
  readonly withStrings: string
  readonly code: string
}

type Mode = "code" | "line" | "block" | "regex" | "'" | '"' | "`"

/** A slash after one of these begins a regular expression; after a name, a number or a closing bracket it divides. */
const beforeRegex = /(?:^|[=(,:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield))\s*$/

const blank = (char: string): string => (char === "\n" ? "\n" : " ")

/** Blanks out comments and strings. Template literals nest: code inside `${}` is code again. */
export const strip = (text: string): Stripped => {
  const withStrings: Array<string> = []
  const code: Array<string> = []
  /** One entry per open template literal: the depth of braces inside its `${}`. */
  const templates: Array<number> = []
  let mode: Mode = "code"
  let inClass = false
  const keep = (char: string) => (withStrings.push(char), code.push(char))
  const inString = (char: string) => (withStrings.push(char), code.push(blank(char)))
  const drop = (char: string) => (withStrings.push(blank(char)), code.push(blank(char)))

  const inCode = (i: number): number => {
    const char = text[i] ?? ""
    const two = text.slice(i, i + 2)
    if (two === "//" || two === "/*") {
      mode = two === "//" ? "line" : "block"
      for (const c of two) drop(c)
      return i + 2
    }
    if (char === '"' || char === "'" || char === "`") mode = char
    else if (char === "/" && beforeRegex.test(code.slice(-20).join(""))) mode = "regex"
    else if (char === "{" && templates.length > 0) templates.push((templates.pop() ?? 0) + 1)
    else if (char === "}" && templates.length > 0) {
      const depth = templates.pop() ?? 0
      if (depth === 0) mode = "`"
      else templates.push(depth - 1)
    }
    keep(char)
    return i + 1
  }

  const inLiteral = (i: number): number => {
    const char = text[i] ?? ""
    if (char === "\\") {
      inString(char)
      inString(text[i + 1] ?? "")
      return i + 2
    }
    if (mode === "`" && text.startsWith("${", i)) {
      templates.push(0)
      mode = "code"
      keep("$")
      keep("{")
      return i + 2
    }
    if (mode === "regex") inClass = char === "[" || (inClass && char !== "]")
    const ends = mode === "regex" ? char === "/" && !inClass : char === mode
    // A string that is not closed on its line is no string; continuing as code keeps one mistake from hiding the rest.
    if (ends || (char === "\n" && mode !== "`")) {
      mode = "code"
      inClass = false
      keep(char)
    } else inString(char)
    return i + 1
  }

  const inComment = (i: number): number => {
    const char = text[i] ?? ""
    drop(char)
    if (mode === "line" && char === "\n") mode = "code"
    if (mode === "block" && text.startsWith("*/", i)) {
      mode = "code"
      drop("/")
      return i + 2
    }
    return i + 1
  }

  for (let i = 0; i < text.length;) {
    const current: Mode = mode
    i = current === "code" ? inCode(i) : current === "line" || current === "block" ? inComment(i) : inLiteral(i)
  }
  return { withStrings: withStrings.join(""), code: code.join("") }
}

/** One import: what is named, on which line, and how it resolves inside the tree (undefined for packages and Node's modules). */
export interface Import {
  readonly specifier: string
  readonly line: number
  readonly target: string | undefined
}

/** The line (from 1) of an offset. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** Resolves `./x.ts` and `../y.ts` relative to the importing file. */
export const resolveFrom = (path: string, specifier: string): string => {
  const parts = path.split("/").slice(0, -1)
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

const importForms = [
  /\bfrom\s*["']([^"'\n]+)["']/g,
  /\bimport\s*["']([^"'\n]+)["']/g,
  /\bimport\s*\(\s*["']([^"'\n]+)["']/g,
  // How a worker thread or a data file is named: `new URL("./PgliteWorker.ts", import.meta.url)`; a folder ends in a slash and is none.
  /\bnew\s+URL\(\s*["'](\.[^"'\n]*[^"'\n/])["']\s*,\s*import\.meta\.url/g
]

/** Everything that a file imports, re-exports, loads later or starts as a worker. */
export const importsOf = (file: SourceFile): ReadonlyArray<Import> => {
  const { code, withStrings } = strip(file.text)
  return (
    importForms
      .flatMap((form) => [...withStrings.matchAll(form)])
      // A match inside a string or a template is not an import: there its keyword is blank in `code`.
      .filter((match) => code[match.index] !== " ")
      .map((match) => {
        const specifier = match[1] ?? ""
        const target = specifier.startsWith(".") ? resolveFrom(file.path, specifier) : undefined
        return { specifier, line: lineAt(file.text, match.index), target }
      })
      .toSorted((a, b) => a.line - b.line)
  )
}
