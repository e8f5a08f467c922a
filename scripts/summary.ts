/**
 * The end of a CI run: `node scripts/summary.ts DIRECTORY`. DIRECTORY holds `sections.tsv`, with a line for each section: name, seconds, time limit,
 * exit code. For sections that run tests it also holds their results in `NAME.jsonl`, and in `NAME.again.jsonl` those of files that were run again.
 * It prints every failure with its message, a table of the sections, the slowest files, and `N passed, N failed` alone on the last line. A section
 * that broke without a failed test of its own (it did not install, or did not end) counts as one failure, so that the sum never hides it.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { read, type Failure, type FileResult, type Results } from "./testing/results.ts"

const slowestShown = 20

/** The most characters of one failure that are shown: what was expected and received, without the end of the stack. */
const messageMax = 1500

/** The exit codes of `timeout` if it had to end the command: by SIGTERM, and by SIGKILL. */
const timedOut = ["124", "137"]

interface Section {
  readonly name: string
  readonly seconds: string
  readonly results: Results | undefined
  readonly failures: ReadonlyArray<Failure>
  /** Tests that failed beside others and passed when their file was run again by itself (`scripts/testing/again.ts`). */
  readonly unsteady: ReadonlyArray<Failure>
}

const sectionOf = (directory: string, line: string): Section => {
  const [name = "", seconds = "", limit = "", exit = ""] = line.split("\t")
  const report = join(directory, `${name}.jsonl`)
  const results = existsSync(report) ? read(report) : undefined
  const again = join(directory, `${name}.again.jsonl`)
  const second = existsSync(again) ? read(again) : undefined
  const all = results?.failures ?? []
  const failures = [...(second?.failures ?? all)]
  const unsteady =
    second === undefined
      ? []
      : all.filter((one) => !failures.some(({ file, test }) => file === one.file && test === one.test))
  if (timedOut.includes(exit))
    failures.push({ file: "(the section)", test: name, message: `It was ended at its time limit of ${limit} s.` })
  else if (exit !== "0" && failures.length === 0)
    failures.push({ file: "(the section)", test: name, message: `It broke outside its tests, with exit code ${exit}.` })
  return { name, seconds, results, failures, unsteady }
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
  const passed = sum(({ results, unsteady }) => (results?.passed ?? 0) + unsteady.length)
  const failed = sum(({ failures }) => failures.length)
  const shown = (what: string, name: string, { file, message, test }: Failure): string =>
    `${what} in ${name}: ${file}\n  ${test}\n${message.slice(0, messageMax)}\n`
  const text = [
    ...sections.flatMap(({ name, unsteady }) =>
      unsteady.map((one) => shown("UNSTEADY (passed when it was run again by itself)", name, one))
    ),
    ...sections.flatMap(({ failures, name }) => failures.map((one) => shown("FAILED", name, one))),
    ...table([
      ["section", "seconds", "passed", "failed", "skipped"],
      ...sections.map(({ failures, name, results, seconds, unsteady }) => [
        name,
        seconds,
        results === undefined ? "-" : String(results.passed + unsteady.length),
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
