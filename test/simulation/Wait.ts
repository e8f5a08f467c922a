/** Waiting in tests: for a condition, and never for a length of time that is hoped to be enough. */
import { setTimeout as sleep } from "node:timers/promises"

/** Polling interval in ms: short compared with a round trip through the service under load. */
const lookEveryMillis = 20

/** Waits until `condition` is true; throws `what()` after `limitMillis`, which is a bound on liveness and not a measurement. */
export const until = async (
  what: () => string,
  limitMillis: number,
  condition: () => boolean | Promise<boolean>
): Promise<void> => {
  const end = performance.now() + limitMillis
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`after ${limitMillis / 1000} s still not: ${what()}`)
    await sleep(lookEveryMillis)
  }
}

/** Runs `job` for every item, at most `atATime` of them at the same time. */
export const inParallel = async <A>(
  items: ReadonlyArray<A>,
  atATime: number,
  job: (item: A, index: number) => Promise<unknown>
): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      const item = items[index]
      if (item !== undefined) await job(item, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker))
}

/** Waits for a random time: the instant of a fault is by nature a length of time. */
export const sleepMillis = (millis: number): Promise<void> => sleep(millis)
