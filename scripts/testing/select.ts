/**
 * Parts of the tests that cut across folders, for `TEST_SELECT`, so that no section of CI repeats another one:
 *
 * - `unit`: tests without a database, listener or process; `integration`: those with one; `property`: property tests
 * - `runtime`: integration tests whose result may depend on the runtime: sockets, files, workers, processes. The storage's SQL and the pages in the
 *   browser do not
 * - `database`: files that run on whichever database is given (`TEST_DATABASE_URL`), without the pages in the browser
 * - `long`: the long suites, and files that run more of their cases with `TEST_ALL`
 *
 * A file depends on an environment variable if it reads it, or imports a test file that does.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { faults, independentOfRuntime, integration, long, pages, postgresOnly, property } from "./sets.ts"

const imported = /from "(\.{1,2}\/[^"]+)"/g

interface Source {
  readonly text: string
  readonly imports: ReadonlyArray<string>
}

const sources = new Map<string, Source>()

const sourceOf = (path: string): Source => {
  const known = sources.get(path)
  if (known !== undefined) return known
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  const imports = [...text.matchAll(imported)]
    .map(([, to = ""]) => normalize(join(dirname(path), to)).replaceAll("\\", "/"))
    .filter((file) => file.startsWith("test/"))
  const source = { text, imports }
  sources.set(path, source)
  return source
}

/** Whether a file reads an environment variable, itself or through the test files that it imports. */
const reading = (variable: string) => {
  const read = new RegExp(`\\benv(?:\\["${variable}"\\]|\\.${variable}\\b)`)
  return (path: string): boolean => {
    const reached = new Set([path])
    for (const file of reached) {
      const { imports, text } = sourceOf(file)
      if (read.test(text)) return true
      for (const next of imports) reached.add(next)
    }
    return false
  }
}

/** The paths of the files that match the patterns. */
export const filesOf = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => globSync(pattern)).map((path) => path.replaceAll("\\", "/"))

const among = (patterns: ReadonlyArray<string>) => {
  const found = new Set(filesOf(patterns))
  return (path: string): boolean => found.has(path)
}

const integrationOnly = (): ((path: string) => boolean) => {
  const [isIntegration, isOther] = [among(integration), among([...long, ...faults, ...postgresOnly])]
  return (path) => isIntegration(path) && !isOther(path)
}

const selections: Readonly<Record<string, () => (path: string) => boolean>> = {
  unit: () => {
    const isOther = among([...integration, ...long, ...faults, ...postgresOnly])
    return (path) => !isOther(path)
  },
  integration: integrationOnly,
  runtime: () => {
    const [isIntegration, isIndependent] = [integrationOnly(), among(independentOfRuntime)]
    return (path) => isIntegration(path) && !isIndependent(path)
  },
  property: () => among(property),
  database: () => {
    const [reads, isPage] = [reading("TEST_DATABASE_URL"), among(pages)]
    return (path) => reads(path) && !isPage(path)
  },
  long: () => {
    const [isLong, readsAll] = [among(long), reading("TEST_ALL")]
    return (path) => isLong(path) || readsAll(path)
  }
}

/** Whether a file belongs to the selection with this name. */
export const selection = (name: string): ((path: string) => boolean) => {
  const make = selections[name]
  if (make === undefined) throw new Error(`TEST_SELECT is ${Object.keys(selections).join(" or ")}, not ${name}`)
  return make()
}
