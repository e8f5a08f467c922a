/**
 * The time and the one timer that the OCPP server runs on. A timer per socket would cost more memory than the rest of what is kept of
 * it; and a test turns the hands itself.
 */

export interface Clock {
  /** ms epoch. */
  readonly now: () => number
  /** ms of a clock that only goes forward: what work took is the difference of two. */
  readonly elapsed: () => number
  /** Calls `tick` every `millis`; answers what stops it. Never keeps the process alive. */
  readonly every: (millis: number, tick: () => void) => () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  every: (millis, tick) => {
    const timer = setInterval(tick, millis)
    timer.unref()
    return () => clearInterval(timer)
  }
}
