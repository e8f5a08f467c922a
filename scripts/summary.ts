/**
 * Adds up the results of several test runs for CI: `node scripts/summary.ts DIRECTORY [BROKEN SECTION...]`, where DIRECTORY holds
 * one report of vitest's JSON reporter per section. The last line printed is `N passed, N failed`. A section that broke without
 * a failed test of its own (it did not install, or did not end) counts as one failure, so that the sum never hides it. Failed tests are named with what they said.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"

const Report = Schema.fromJsonString(
  Schema.Struct({
    numPassedTests: Schema.Int,
    numFailedTests: Schema.Int,
    numPendingTests: Schema.Int,
    testResults: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        message: Schema.optionalKey(Schema.String),
        assertionResults: Schema.Array(
          Schema.Struct({
            fullName: Schema.String,
            status: Schema.String,
            failureMessages: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
          })
        )
      })
    )
  })
)

const [directory, ...broken] = process.argv.slice(2)
if (directory === undefined) {
  console.error("usage: node scripts/summary.ts DIRECTORY [BROKEN SECTION...]")
  process.exit(2)
}

/** Most characters of one failure that are shown: what was expected and received, without the stack's end. */
const messageMax = 1500

/** Every failed test by its name, since a log is often seen from its end only. */
const failures = ({ testResults }: typeof Report.Type): ReadonlyArray<string> =>
  testResults.flatMap(({ assertionResults, name }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(
        ({ failureMessages, fullName }) =>
          `${name}\n  ${fullName}\n${failureMessages?.join("\n").slice(0, messageMax) ?? ""}\n`
      )
  )

let passed = 0
let failed = 0
const explained = new Set<string>()
for (const file of readdirSync(directory)) {
  const name = file.replace(/\.json$/, "")
  const report = Schema.decodeOption(Report)(readFileSync(join(directory, file), "utf8"))
  // Half a report is what a section leaves that was ended at its time limit; it is named below.
  if (Option.isNone(report)) continue
  const { numFailedTests, numPassedTests, numPendingTests } = report.value
  for (const failure of failures(report.value)) console.log(`FAILED in ${name}: ${failure}`)
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
