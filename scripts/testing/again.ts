/**
 * The files that CI runs once more by themselves: `node scripts/testing/again.ts REPORT` prints them, or nothing. They are integration and long tests
 * that failed while others ran beside them, a few in a whole run: such tests wait for sockets and browsers, which a busy machine may delay by
 * seconds. All other tests give the same result every time. A test with random cases is not run again: it found a failure that its next cases may not
 * find, so the failure counts.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { read } from "./results.ts"

/** If more files failed, it was not the load on the machine. */
const filesMost = 4

const isWaiting = (file: string): boolean => /\.(?:integration|long)\.test\.ts$/.test(file)

const drawsCases = (file: string): boolean =>
  existsSync(file) && /support\/random\.ts|fast-check|FAULTS_SEED/.test(readFileSync(file, "utf8"))

export const filesAgain = (report: string): ReadonlyArray<string> => {
  const { failures, isComplete } = read(report)
  const files = [...new Set(failures.map(({ file }) => file))]
  const isEvery = files.every((file) => isWaiting(file) && !drawsCases(file))
  return isComplete && isEvery && files.length <= filesMost ? files : []
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(filesAgain(process.argv[2] ?? "").join(" "))
