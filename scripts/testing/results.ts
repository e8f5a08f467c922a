/**
 * What a test run writes to the file that `TEST_REPORT` names: one line of JSON for each event, written at once. So a
 * run that is killed leaves its results so far, and the names of the files that were running.
 */
import { existsSync, readFileSync } from "node:fs"
import { Option, Schema } from "effect"

const Started = Schema.Struct({ event: Schema.Literal("started"), project: Schema.String, file: Schema.String })

const Ended = Schema.Struct({
  event: Schema.Literal("ended"),
  project: Schema.String,
  file: Schema.String,
  /** From when a worker got the file until its last hook was done, including loading and hooks. */
  seconds: Schema.Finite,
  passed: Schema.Int,
  skipped: Schema.Int
})

/** A test, a hook or a whole file that failed, or an error that was thrown outside of all of them. */
const Failed = Schema.Struct({
  event: Schema.Literal("failed"),
  file: Schema.String,
  test: Schema.String,
  message: Schema.String
})

/** The run ended by itself. */
const Complete = Schema.Struct({ event: Schema.Literal("complete") })

const Line = Schema.Union([Started, Ended, Failed, Complete])
export type Line = typeof Line.Type

const decodeLine = Schema.decodeOption(Schema.fromJsonString(Line))

export interface FileResult {
  readonly project: string
  readonly file: string
  readonly seconds: number
  readonly tests: number
}

export interface Failure {
  readonly file: string
  readonly test: string
  readonly message: string
}

export interface Results {
  readonly passed: number
  readonly skipped: number
  readonly failures: ReadonlyArray<Failure>
  readonly files: ReadonlyArray<FileResult>
  /** The run ended by itself. */
  readonly isComplete: boolean
}

/** The contents of a report. Files that began but did not end count as failures, since their result is unknown. */
export const read = (path: string): Results => {
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  // A run that was killed while writing leaves half a line.
  const lines = text.split("\n").flatMap((line) => Option.toArray(decodeLine(line)))
  const ended = lines.filter((line) => line.event === "ended")
  const failures: Array<Failure> = lines.filter((line) => line.event === "failed")
  const over = new Set(ended.map(({ file, project }) => `${project} ${file}`))
  for (const line of lines) {
    if (line.event !== "started" || over.has(`${line.project} ${line.file}`)) continue
    failures.push({ file: line.file, test: "(the whole file)", message: "The run was ended while this file ran." })
  }
  const failedIn = (file: string) => failures.filter((failure) => failure.file === file).length
  return {
    passed: ended.reduce((sum, { passed }) => sum + passed, 0),
    skipped: ended.reduce((sum, { skipped }) => sum + skipped, 0),
    failures,
    isComplete: lines.some(({ event }) => event === "complete"),
    files: ended.map(({ file, passed, project, seconds, skipped }) => ({
      project,
      file,
      seconds,
      tests: passed + skipped + failedIn(file)
    }))
  }
}
