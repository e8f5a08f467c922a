/**
 * The file given by `--env-file`: the same names as in the environment, one `NAME=value` per line. Values may be
 * quoted. `#` begins a comment at the start of a line or after white space. Nothing is substituted, so that a secret
 * may contain any character. Effect's parser of such files is not used: it ends a value at any `#` and ignores lines
 * that it cannot read, so that half a secret or a default would be used without a warning.
 */

/** A line that is neither a setting nor a comment. */
export interface BadLine {
  readonly line: number
}

const setting = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/
const singleQuoted = /^'([^']*)'\s*(?:#.*)?$/
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

const valueOf = (text: string): string | undefined => {
  if (text.startsWith('"')) {
    const inside = doubleQuoted.exec(text)?.[1]
    return inside?.replace(/\\(.)/g, (_, char: string) => escapes[char] ?? char)
  }
  if (text.startsWith("'")) return singleQuoted.exec(text)?.[1]
  return text.replace(/(^|\s)#.*$/, "").trimEnd()
}

/** The settings of a file, or its first invalid line. If a name occurs twice, the last value counts. */
export const parseEnvFile = (text: string): Readonly<Record<string, string>> | BadLine => {
  const found: Record<string, string> = {}
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim()
    if (line === "" || line.startsWith("#")) continue
    const [, name, rest] = setting.exec(line) ?? []
    const value = rest === undefined ? undefined : valueOf(rest)
    if (name === undefined || value === undefined) return { line: index + 1 }
    found[name] = value
  }
  return found
}

export const isBadLine = (parsed: ReturnType<typeof parseEnvFile>): parsed is BadLine =>
  typeof parsed["line"] === "number"
