/**
 * Ends a test worker that would never end by itself. Vitest's own time limits are timers in the worker: none of them fires while a test
 * blocks the event loop, and a file of many tests may wait for each of them as long as one may take. So a thread beside the tests looks
 * after both, in every worker; it is given each file as it begins. What it does is told by `reporter.ts`.
 */
import { Worker } from "node:worker_threads"
import { afterAll, expect, inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    readonly workerLimits: Limits
  }
}

export interface Limits {
  /** The longest that the event loop may stand still. */
  readonly blocked_s: number
  /** The longest that one file may take. */
  readonly file_s: number
}

/** What the thread is told: the file that begins, or that none runs. */
export type Told = { readonly file: string; readonly limits: Limits } | "idle"

const heartbeat_ms = 500

const start = (): ((told: Told) => void) => {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL("./workerLimitsThread.ts", import.meta.url), { workerData: beats })
  thread.unref()
  setInterval(() => Atomics.add(beats, 0, 1), heartbeat_ms).unref()
  return (told) => thread.postMessage(told)
}

// One thread for each worker, though this file is loaded anew for each file of tests.
const shared = globalThis as { voltlaneWorkerLimits?: (told: Told) => void }
const tell = (shared.voltlaneWorkerLimits ??= start())

tell({ file: expect.getState().testPath ?? "a test file", limits: inject("workerLimits") })
// Hooks end in the opposite order, so this one is after all those of the file.
afterAll(() => tell("idle"))
