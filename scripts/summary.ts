/**
 * Adds up the results of several test runs for CI: `node scripts/summary.ts DIRECTORY [BROKEN SECTION...]`, where DIRECTORY holds
 * one report of vitest's JSON reporter per section. The last line printed is `N passed, N failed`. A section that broke without
 * a failed test of its own (it did not install, or did not end) counts as one failure, so that the sum never hides it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"

const Report = Schema.fromJsonString(
  Schema.Struct({
    numPassedTests: Schema.Int,
    numFailedTests: Schema.Int,
    numPendingTests: Schema.Int
  })
)

const [directory, ...broken] = process.argv.slice(2)
if (directory === undefined) {
  console.error("usage: node scripts/summary.ts DIRECTORY [BROKEN SECTION...]")
  process.exit(2)
}

let passed = 0
let failed = 0
const explained = new Set<string>()
for (const file of readdirSync(directory)) {
  const name = file.replace(/\.json$/, "")
  const report = Schema.decodeOption(Report)(readFileSync(join(directory, file), "utf8"))
  // Half a report is what a section leaves that was ended at its time limit; it is named below.
  if (Option.isNone(report)) continue
  const { numFailedTests, numPassedTests, numPendingTests } = report.value
  passed += numPassedTests
  failed += numFailedTests
  if (numFailedTests > 0) explained.add(name)
  console.log(`${name.padEnd(10)} ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}
for (const name of broken.filter((section) => !explained.has(section))) {
  failed += 1
  console.log(`${name.padEnd(10)} broke outside its tests`)
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
