/**
 * A test run in which workers die, hang and throw: each such file fails and says why, all others run, and the run ends. Vitest is started with this
 * project's own settings on the files of `workers`, which do all that.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read, type Results } from "../../scripts/testing/results.ts"

const folder = "test/scripts/workers"

let directory = ""
let exit: number | null = null
let output = ""
let results: Results

const run = (report: string) =>
  new Promise<void>((resolve) => {
    // Without the variables that vitest sets for its workers, since this process is one.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|FAULTS)/.test(name)))
    const runtime = "Deno" in globalThis ? ["run", "-A"] : []
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", `${folder}/vitest.config.ts`, "--root", "."]
    const child = spawn(process.execPath, [...runtime, ...vitest], {
      env: { ...env, NO_COLOR: "1", TEST_REPORT: report },
      stdio: ["ignore", "pipe", "pipe"]
    })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void (output += text))
    child.on("close", (code) => {
      exit = code
      resolve()
    })
  })

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "voltlane-workers-"))
  await run(join(directory, "results.jsonl"))
  results = read(join(directory, "results.jsonl"))
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const failuresOf = (file: string) => results.failures.filter((failure) => failure.file === `${folder}/${file}`)

describe("a run of tests", () => {
  it.each([
    ["Killed.ts", "The test worker died (with signal SIGKILL) while it ran this file."],
    ["KilledLoading.ts", "The test worker died (with signal SIGKILL) while it ran this file."],
    ["Blocks.ts", "The test worker was ended because this file blocked the event loop for longer than a file may."],
    ["Waits.ts", "The test worker was ended because this file took longer than a file may."],
    ["HookHangs.ts", "Hook timed out in 1000ms"],
    ["Throws.ts", "thrown by a timer"],
    ["Exits.ts", "process.exit unexpectedly called"]
  ])("fails %s, and says why", (file, why) => {
    const failures = failuresOf(file)
    expect(failures.map(({ message }) => message).join("\n")).toContain(why)
    // There are also tests that had failed by themselves until their worker was ended.
    expect(failures.filter(({ test }) => test.startsWith("("))).toHaveLength(1)
    expect(output).toContain(why)
  })

  it("runs all other files, and keeps what passed before a worker died", () => {
    const passed = results.files.filter(({ file }) => file.includes("Sound"))
    expect(passed.map(({ tests }) => tests)).toEqual([2, 2, 2, 2])
    expect(failuresOf("Sound1.ts")).toEqual([])
    expect(results.files).toHaveLength(11)
    // Eight in the sound files, one before a death, and two that passed although their file had an error.
    expect(results.passed).toBe(11)
  })

  it("ends by itself as failed, and does not show the output of passing tests", () => {
    expect(exit).toBe(1)
    expect(output).toContain("7 failed | 4 passed (11)")
    expect(output).not.toContain("said by a test that passes")
  })
})
