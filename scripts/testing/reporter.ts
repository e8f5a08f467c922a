/**
 * How a test run is reported. On the console: every file by name if they are few, otherwise only the failures, an occasional line of progress, and
 * the slowest files. In the file that `TEST_REPORT` names: the events that `results.ts` describes.
 *
 * A file whose worker dies has failed, and the report says what happened to the worker. Vitest itself reports only an error of the whole run.
 */
import { appendFileSync, writeFileSync } from "node:fs"
import { relative } from "node:path"
import {
  DefaultReporter,
  experimental_getRunnerTask as taskOf,
  type SerializedError,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification
} from "vitest/node"
import type { Line } from "./results.ts"

/** Up to this number of files, each is named. */
const fewFiles = 20
const progressInterval_ms = 15_000
const slowestShown = 5
/** Enough for what was expected and received; some values are whole documents. */
const messageMax = 4000

/** The signal by which `workerLimits.ts` ended a worker says why it did. */
const deaths: ReadonlyArray<readonly [string, string]> = [
  ["SIGALRM", "was ended because this file took longer than a file may"],
  ["SIGVTALRM", "was ended because this file blocked the event loop for longer than a file may"]
]

const messageOf = (error: { readonly message?: string; readonly stack?: string; readonly cause?: unknown }): string =>
  (error.stack ?? error.message ?? String(error)).slice(0, messageMax)

/** The message of an error together with that of its cause: the death of a worker is described in the cause. */
const wholeText = ({ cause, message }: SerializedError): string =>
  typeof cause === "object" && cause !== null && "message" in cause
    ? `${message} ${String(cause.message)}`
    : String(message)

/** What is known about the worker of a file that did not end. */
const deathOf = (path: string, errors: ReadonlyArray<SerializedError>): string => {
  const text = errors.map(wholeText).find((text) => text.includes(path))
  if (text === undefined) return "This file was not run to its end, and there is no error that says why."
  const [, how] = deaths.find(([signal]) => text.includes(`${signal} `)) ?? []
  const [, exit] = /exited unexpectedly (.*?) ?during/.exec(text) ?? []
  if (how !== undefined) return `The test worker ${how}.`
  return exit === undefined ? text : `The test worker died (${exit}) while it ran this file.`
}

const seconds = (since: number): number => (performance.now() - since) / 1000

export class TestReporter extends DefaultReporter {
  private readonly report: string | undefined
  private specifications: ReadonlyArray<TestSpecification> = []
  private readonly starts = new Map<string, number>()
  private readonly ended = new Map<string, { readonly file: string; readonly seconds: number }>()
  private passed = 0
  private failed = 0
  private progress: NodeJS.Timeout | undefined

  constructor(options: { readonly report: string | undefined }) {
    super()
    this.report = options.report
  }

  override onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    this.specifications = specifications
    this.starts.clear()
    this.ended.clear()
    this.passed = 0
    this.failed = 0
    if (this.report !== undefined) writeFileSync(this.report, "")
    super.onTestRunStart(specifications)
    const began = performance.now()
    const logProgress = () =>
      this.log(
        `${Math.round(seconds(began))} s: ${this.ended.size} of ${specifications.length} files, ${this.passed} tests passed, ${this.failed} failed`
      )
    // A terminal shows the running files anyway.
    if (!this.isTTY && specifications.length > fewFiles)
      this.progress = setInterval(logProgress, progressInterval_ms).unref()
  }

  override onTestModuleQueued(module: TestModule): void {
    this.starts.set(module.id, performance.now())
    this.write({ event: "started", project: module.project.name, file: this.fileOf(module) })
    super.onTestModuleQueued(module)
  }

  override onTestModuleEnd(module: TestModule): void {
    this.endModule(module, seconds(this.starts.get(module.id) ?? performance.now()))
    super.onTestModuleEnd(module)
  }

  override onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    errors: ReadonlyArray<SerializedError>,
    reason: TestRunEndReason
  ): void {
    clearInterval(this.progress)
    const others = this.failUnfinished(modules, errors)
    for (const error of others) this.failByError(modules, error)
    if (reason !== "interrupted") this.failNeverRun(errors)
    this.write({ event: "complete" })
    super.onTestRunEnd(modules, others, reason)
    if (this.specifications.length > fewFiles) this.logSlowest()
  }

  protected override printTestModule(module: TestModule): void {
    if (this.specifications.length <= fewFiles || module.state() === "failed") super.printTestModule(module)
  }

  private fileOf(module: TestModule): string {
    return relative(this.ctx.config.root, module.moduleId)
  }

  private write(line: Line): void {
    if (this.report !== undefined) appendFileSync(this.report, `${JSON.stringify(line)}\n`)
  }

  private fail(file: string, test: string, message: string): void {
    this.failed += 1
    this.write({ event: "failed", file, test, message })
  }

  /** `took_s` is left out for a file that did not end by itself: it is not known when its worker died. */
  private endModule(module: TestModule, took_s = 0): void {
    const file = this.fileOf(module)
    const tests = [...module.children.allTests()]
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const before = this.failed
    for (const test of tests) {
      const result = test.result()
      if (result.state === "failed") this.fail(file, test.fullName, result.errors.map(messageOf).join("\n"))
    }
    for (const part of [module, ...module.children.allSuites()]) {
      const name = part.type === "module" ? "(the whole file)" : `${part.fullName} (a hook)`
      for (const error of part.errors()) this.fail(file, name, messageOf(error))
    }
    if (module.state() === "failed" && this.failed === before) this.fail(file, "(the whole file)", "It failed.")
    this.passed += count("passed")
    this.ended.set(module.id, { file, seconds: took_s })
    this.write({
      event: "ended",
      project: module.project.name,
      file,
      seconds: Math.round(took_s * 100) / 100,
      passed: count("passed"),
      skipped: count("skipped")
    })
  }

  /** Marks files that began but did not end as failed. Returns the errors that are about something else. */
  private failUnfinished(
    modules: ReadonlyArray<TestModule>,
    errors: ReadonlyArray<SerializedError>
  ): ReadonlyArray<SerializedError> {
    const unfinished = modules.filter((module) => ["queued", "pending"].includes(module.state()))
    for (const module of unfinished) {
      const error = { name: "Error", message: deathOf(module.moduleId, errors), stacks: [] }
      taskOf(module).result = { state: "fail", errors: [error] }
      for (const test of module.children.allTests()) {
        if (test.result().state === "pending") taskOf(test).mode = "skip"
      }
      this.endModule(module)
    }
    return errors.filter((error) => !unfinished.some(({ moduleId }) => wholeText(error).includes(moduleId)))
  }

  /** An uncaught error fails the file that was running, even if its tests have passed. */
  private failByError(modules: ReadonlyArray<TestModule>, error: SerializedError): void {
    const path: unknown = error["VITEST_TEST_PATH"]
    const module = modules.find(({ moduleId }) => moduleId === path)
    this.fail(module === undefined ? "(no file)" : this.fileOf(module), "(outside of its tests)", messageOf(error))
    if (module === undefined) return
    const task = taskOf(module)
    const uncaught = {
      name: "Error",
      message: `An error was not caught; it is shown below: ${error.message}`,
      stacks: []
    }
    task.result = { ...task.result, state: "fail", errors: [...(task.result?.errors ?? []), uncaught] }
  }

  /** Fails the files for which no worker could be started. */
  private failNeverRun(errors: ReadonlyArray<SerializedError>): void {
    for (const { moduleId, testModule } of this.specifications) {
      if (testModule !== undefined && this.ended.has(testModule.id)) continue
      this.fail(relative(this.ctx.config.root, moduleId), "(the whole file)", deathOf(moduleId, errors))
    }
  }

  private logSlowest(): void {
    const slowest = [...this.ended.values()].toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown)
    this.log("Slowest files, with their hooks:")
    for (const { file, seconds } of slowest) this.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
    this.log()
  }
}
