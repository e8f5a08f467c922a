/**
 * What a run of CI ends with: `node scripts/summary.ts DIRECTORY`, where DIRECTORY holds `sections.tsv` (a line for each section: name,
 * seconds, time limit, exit code) and, for those that run tests, their results in `NAME.jsonl`. It prints every failure with what was said, a table of the
 * sections, the slowest files, and alone on the last line `N passed, N failed`. A section that broke without a failed test of its own
 * (it did not install, or did not end) counts as one failure, so that the sum never hides it.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { read, type Failure, type FileResult, type Results } from "./testing/results.ts"

const slowestShown = 20

/** Most characters of one failure that are shown: what was expected and received, without the stack's end. */
const messageMax = 1500

/** What `timeout` ends with when it had to end the command, by asking and by force. */
const timedOut = ["124", "137"]

interface Section {
  readonly name: string
  readonly seconds: string
  readonly results: Results | undefined
  readonly failures: ReadonlyArray<Failure>
}

const sectionOf = (directory: string, line: string): Section => {
  const [name = "", seconds = "", limit = "", exit = ""] = line.split("\t")
  const report = join(directory, `${name}.jsonl`)
  const results = existsSync(report) ? read(report) : undefined
  const failures = [...(results?.failures ?? [])]
  if (timedOut.includes(exit))
    failures.push({ file: "(the section)", test: name, message: `It was ended at its time limit of ${limit} s.` })
  else if (exit !== "0" && failures.length === 0)
    failures.push({ file: "(the section)", test: name, message: `It broke outside its tests, with exit code ${exit}.` })
  return { name, seconds, results, failures }
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(10) : cell.padStart(8))).join(" "))

const slowest = (sections: ReadonlyArray<Section>): ReadonlyArray<string> =>
  sections
    .flatMap(({ name, results }) => (results?.files ?? []).map((file): [string, FileResult] => [name, file]))
    .toSorted(([, a], [, b]) => b.seconds - a.seconds)
    .slice(0, slowestShown)
    .map(
      ([section, { file, seconds, tests }]) =>
        `${section.padEnd(10)} ${seconds.toFixed(1).padStart(8)} ${String(tests).padStart(8)}  ${file}`
    )

export interface Summary {
  readonly text: string
  readonly failed: number
}

export const summary = (directory: string): Summary => {
  const lines = readFileSync(join(directory, "sections.tsv"), "utf8").split("\n")
  const sections = lines.filter((line) => line !== "").map((line) => sectionOf(directory, line))
  const sum = (of: (section: Section) => number) => sections.reduce((total, section) => total + of(section), 0)
  const passed = sum(({ results }) => results?.passed ?? 0)
  const failed = sum(({ failures }) => failures.length)
  const text = [
    ...sections.flatMap(({ failures, name }) =>
      failures.map(
        ({ file, message, test }) => `FAILED in ${name}: ${file}\n  ${test}\n${message.slice(0, messageMax)}\n`
      )
    ),
    ...table([
      ["section", "seconds", "passed", "failed", "skipped"],
      ...sections.map(({ failures, name, results, seconds }) => [
        name,
        seconds,
        String(results?.passed ?? "-"),
        String(failures.length),
        String(results?.skipped ?? "-")
      ])
    ]),
    "",
    `${"section".padEnd(10)}  seconds    tests  file, the ${slowestShown} slowest`,
    ...slowest(sections),
    "",
    `${passed} passed, ${failed} failed`
  ]
  return { text: text.join("\n"), failed }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory] = process.argv.slice(2)
  if (directory === undefined) {
    console.error("usage: node scripts/summary.ts DIRECTORY")
    process.exit(2)
  }
  const { failed, text } = summary(directory)
  console.log(text)
  process.exit(failed === 0 ? 0 : 1)
}
