/**
 * Which files CI runs once more by themselves: `node scripts/testing/again.ts REPORT` prints them, or nothing. They are integration and long tests
 * that failed while others ran beside them, a few in a whole run: those wait for sockets and browsers, which a crowded machine may keep from them for
 * seconds. All other tests say the same every time. One that draws its cases at random found something, which its next draw may not: its failure stays one.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { read } from "./results.ts"

/** More than these have failed for a reason. */
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
