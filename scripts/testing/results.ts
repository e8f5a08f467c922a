/**
 * What a test run leaves in the file that `TEST_REPORT` names: one line of JSON for each event, written at once. A run that is
 * killed has so left what it had done until then, and which files it was at.
 */
import { existsSync, readFileSync } from "node:fs"
import { Option, Schema } from "effect"

const Started = Schema.Struct({ event: Schema.Literal("started"), project: Schema.String, file: Schema.String })

const Ended = Schema.Struct({
  event: Schema.Literal("ended"),
  project: Schema.String,
  file: Schema.String,
  /** From when a worker took the file until its last hook was done: loading and hooks are in it. */
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

/** The run came to its end by itself. */
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
  /** The run came to its end by itself. */
  readonly isComplete: boolean
}

/** What a report says. Files that were begun and not ended are failures, since nobody knows what they would have shown. */
export const read = (path: string): Results => {
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  // Half a line is what a run leaves that was killed while it wrote.
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
