/** The documents of the repository that are written by hand or generated for readers, as files with their text. */
import { readdirSync, readFileSync } from "node:fs"

export interface TextFile {
  readonly path: string
  readonly text: string
}

export const readText = (path: string): TextFile => ({ path, text: readFileSync(path, "utf8") })

export const filesBelow = (folder: string, endings: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .toSorted()

export const documents: ReadonlyArray<TextFile> = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...filesBelow("docs", [".md"])
].map(readText)
