/**
 * Prints the tests that run on whichever database is given (`TEST_DATABASE_URL`), one path a line: those that read it, or import a file that does. CI runs
 * only these beside a PostgreSQL: the others would do again what they have done without one.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

const variable = "TEST_DATABASE_URL"
const imported = /from "(\.{1,2}\/[^"]+)"/g

const reads = new Map<string, boolean>()

/** Whether a file reads the variable, itself or through what it imports of the tests. */
const readsIt = (path: string): boolean => {
  const known = reads.get(path)
  if (known !== undefined) return known
  // A circle adds nothing.
  reads.set(path, false)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  const found =
    text.includes(variable) ||
    [...text.matchAll(imported)]
      .map(([, to = ""]) => normalize(join(dirname(path), to)))
      .filter((file) => file.startsWith("test/"))
      .some(readsIt)
  reads.set(path, found)
  return found
}

const tests = globSync("test/**/*.test.ts").filter((path) => !path.startsWith("test/faults/"))
console.log(tests.filter(readsIt).toSorted().join("\n"))
