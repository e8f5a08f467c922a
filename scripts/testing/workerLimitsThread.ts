/** The thread of `workerLimits.ts`. It counts its own seconds, so that a machine that was asleep or very busy is no reason to end a worker. */
import { writeSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import type { ThreadMessage } from "./workerLimits.ts"

const beats = workerData as Int32Array

let current: ThreadMessage = "idle"
let seconds = 0
let blocked_s = 0
let seen = 0

parentPort?.on("message", (next: ThreadMessage) => {
  current = next
  seconds = 0
  blocked_s = 0
})

const end = (signal: NodeJS.Signals, why: string) => {
  writeSync(2, `${why} Its test worker is ended.\n`)
  // Windows only supports signals that kill.
  process.kill(process.pid, process.platform === "win32" ? "SIGKILL" : signal)
}

setInterval(() => {
  if (current === "idle") return
  const { file, limits } = current
  const now = Atomics.load(beats, 0)
  seconds += 1
  blocked_s = now === seen ? blocked_s + 1 : 0
  seen = now
  if (blocked_s >= limits.blocked_s)
    end("SIGVTALRM", `${file} has blocked the event loop for ${limits.blocked_s} s, the longest that a file may.`)
  if (seconds >= limits.file_s) end("SIGALRM", `${file} has taken ${limits.file_s} s, the longest that a file may.`)
}, 1000)
