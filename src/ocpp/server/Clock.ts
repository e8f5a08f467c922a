/**
 * The clock and the single timer of the OCPP server. A timer per socket would take more memory than everything else
 * that is kept of a socket. Tests provide a clock of their own.
 */

export interface Clock {
  /** ms epoch. */
  readonly now: () => number
  /** The time of a monotonic clock, in ms: a duration is the difference of two values. */
  readonly elapsed: () => number
  /** Calls `tick` every `millis`; returns a function that stops it. Never keeps the process alive. */
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
