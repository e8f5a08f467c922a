/** A server under test as a child process: starts it, waits until it answers, and stops it. Keeps its last output. */
import { spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** The folder in which `npm start` runs, and so every server here. */
export const projectFolder = fileURLToPath(new URL("../../", import.meta.url))

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 30_000
const LAST_OUTPUT_CHARS = 4_000

export interface Child extends AsyncDisposable {
  readonly pid: number
  /** Ends the process at once, as `kill -9` does. */
  readonly kill: () => Promise<void>
}

/** Starts `command` and waits until an HTTP GET of `readyUrl` is answered with one of `readyStatuses`. */
export const startChild = async (
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  readyUrl: string,
  readyStatuses: ReadonlyArray<number>
): Promise<Child> => {
  const [file = "", ...args] = command
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(file, args, {
    cwd: projectFolder,
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const abandon = () => void child.kill("SIGKILL")
  process.once("exit", abandon)
  child.once("exit", () => process.off("exit", abandon))
  let lastOutput = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      lastOutput = (lastOutput + text).slice(-LAST_OUTPUT_CHARS)
    })
  }
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const signal = async (name: "SIGTERM" | "SIGKILL") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(name)
    await Promise.race([exited, sleep(STOP_LIMIT_MS, undefined, { ref: false })])
  }
  const deadline = Date.now() + START_LIMIT_MS
  while (true) {
    const status = await fetch(readyUrl).then(
      (answer) => answer.status,
      () => 0
    )
    if (readyStatuses.includes(status)) break
    if (child.exitCode === null && Date.now() < deadline) await sleep(50)
    else {
      await signal("SIGKILL")
      throw new Error(`${command.join(" ")} did not come up (status ${status}):\n${lastOutput}`)
    }
  }
  return {
    pid: child.pid ?? 0,
    kill: () => signal("SIGKILL"),
    [Symbol.asyncDispose]: async () => {
      await signal("SIGTERM")
      await signal("SIGKILL")
    }
  }
}
