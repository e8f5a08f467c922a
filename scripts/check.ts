/**
 * The one command before every commit, and the one that CI runs:
 *
 *     npm run check            formats, lint, types, Effect's diagnostics, architecture, unit tests: under a minute
 *     npm run check:all        also integration tests, the long suites, more properties, PostgreSQL, Deno, faults
 *     npm run check -- --no-tests
 *
 * It prints one line per step. The first step that fails prints its output and what to do, and ends the run.
 */
import { spawn } from "node:child_process"
import { delimiter, resolve } from "node:path"
import { choose, type Step } from "./steps.ts"

interface Outcome {
  readonly ok: boolean
  readonly output: string
}

/** Enough for every message of a failing step; endless output must not fill the memory. */
const outputLimit = 4_000_000

const run = (step: Step): Promise<Outcome> =>
  new Promise((done) => {
    const [command = "", ...args] = step.command
    const child = spawn(command, args, {
      // On Windows the tools in node_modules/.bin are shell scripts.
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        ...step.env,
        PATH: [resolve("node_modules/.bin"), process.env["PATH"]].join(delimiter)
      }
    })
    let output = ""
    const keep = (chunk: Buffer) => {
      if (output.length < outputLimit) output += chunk.toString()
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    const timer = setTimeout(() => {
      output += `\nended after ${step.limit_s} s, the limit of this step`
      child.kill("SIGTERM")
    }, step.limit_s * 1000)
    child.on("error", (error) => {
      clearTimeout(timer)
      done({ ok: false, output: `${command} did not start: ${error.message}. Run npm ci first.` })
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      done({ ok: code === 0, output })
    })
  })

const known = ["--all", "--no-tests"]
const flags = process.argv.slice(2)
const unknown = flags.find((flag) => !known.includes(flag))
if (unknown !== undefined) {
  console.error(`check: ${unknown} is not known; there are ${known.join(" and ")}`)
  process.exit(2)
}

const line = (status: string, name: string, seconds: number) =>
  console.log(`${status.padEnd(7)} ${name.padEnd(13)} ${seconds.toFixed(1).padStart(7)} s`)

const began = performance.now()
const since = (start: number) => (performance.now() - start) / 1000
for (const step of choose({ all: flags.includes("--all"), tests: !flags.includes("--no-tests") })) {
  const start = performance.now()
  const { ok, output } = await run(step)
  line(ok ? "ok" : "FAILED", step.name, since(start))
  if (!ok) {
    console.log(`\n${output.trim()}\n\n${step.name} failed. ${step.fix}`)
    process.exit(1)
  }
}
line("ok", "everything", since(began))
