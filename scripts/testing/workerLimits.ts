/**
 * Ends a test worker that would never end by itself. Vitest's own time limits are timers in the worker: none of them fires while a test blocks the
 * event loop, and a file of many tests may use the whole limit for each of them. So each worker has a second thread that checks both, and that is
 * notified when a file begins. `reporter.ts` reports what it did.
 */
import { Worker } from "node:worker_threads"
import { afterAll, expect, inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    readonly workerLimits: Limits
  }
}

export interface Limits {
  /** The longest that the event loop may be blocked. */
  readonly blocked_s: number
  /** The longest that one file may take. */
  readonly file_s: number
}

/** The messages to the thread: the file that begins, or that none is running. */
export type ThreadMessage = { readonly file: string; readonly limits: Limits } | "idle"

const heartbeat_ms = 500

const start = (): ((message: ThreadMessage) => void) => {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL("./workerLimitsThread.ts", import.meta.url), { workerData: beats })
  thread.unref()
  setInterval(() => Atomics.add(beats, 0, 1), heartbeat_ms).unref()
  return (message) => thread.postMessage(message)
}

// One thread for each worker, although this file is loaded again for each test file.
const shared = globalThis as { voltlaneWorkerLimits?: (message: ThreadMessage) => void }
const notify = (shared.voltlaneWorkerLimits ??= start())

notify({ file: expect.getState().testPath ?? "a test file", limits: inject("workerLimits") })
// Hooks run in reverse order at the end, so this one runs after all hooks of the file.
afterAll(() => notify("idle"))
