/**
 * Waits until servers have nothing left to do after a load, so that work done after the answer is charged to the
 * message that caused it. Reports how long they went on.
 */
import { setTimeout as sleep } from "node:timers/promises"

const WINDOW_MS = 200
/** A window is busy if it used more than this share of one core: two clock ticks of rounding are 10 % of a window. */
const BUSY_SHARE = 0.15
/** Idle means so many windows in a row that were not busy. */
const IDLE_WINDOWS = 3

export interface IdleResult {
  /** Seconds from the call to the end of the last busy window. */
  readonly workLeftSeconds: number
  /** False if the servers were still busy at the limit. */
  readonly idle: boolean
}

/**
 * Watches `cpu` (CPU seconds used so far) for at least `atLeastMs`, then until idle, at most until `limitMs`. The
 * minimum gives work that is written behind on a timer the time to start, so that it is counted too.
 */
export const untilIdle = async (
  cpu: () => number,
  limits: { readonly atLeastMs: number; readonly limitMs: number }
): Promise<IdleResult> => {
  const start = performance.now()
  let last = { at: start, used: cpu() }
  let workLeftSeconds = 0
  let idleWindows = 0
  while (true) {
    await sleep(WINDOW_MS)
    const now = { at: performance.now(), used: cpu() }
    const share = (now.used - last.used) / ((now.at - last.at) / 1000)
    idleWindows = share > BUSY_SHARE ? 0 : idleWindows + 1
    if (idleWindows === 0) workLeftSeconds = (now.at - start) / 1000
    last = now
    if (now.at - start >= limits.limitMs) return { workLeftSeconds, idle: idleWindows >= IDLE_WINDOWS }
    if (now.at - start >= limits.atLeastMs && idleWindows >= IDLE_WINDOWS) return { workLeftSeconds, idle: true }
  }
}
