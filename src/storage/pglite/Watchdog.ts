/**
 * Watches the worker that owns the embedded database. Queries block its thread, and in some failures (the disk is full and the write-ahead
 * log cannot grow) they never return. Then only a new process helps, which a supervisor starts.
 */

export interface Watchdog {
  /** To be called when a message was sent to the worker. */
  readonly asked: () => void
  /** To be called when the worker answered. */
  readonly heard: () => void
  /**
   * Checks after `elapsedMillis`, and returns after how many ms to call it again; call it sooner once a message is sent. Pings an idle
   * worker.
   */
  readonly tick: (elapsedMillis: number) => number
  /** Disables the check until the returned function is called, since migrations may take long. */
  readonly pause: () => () => void
}

export const tickMillis = 500

/**
 * The most that is counted for the time between two checks. It is also the delay of the first check after an idle period, when other timers
 * fire anyway.
 */
export const longestTickMillis = 2 * tickMillis

/** The delay between checks while the worker is idle. Frequent checks would cost more than everything else that an idle service does. */
export const restMillis = 5_000

/**
 * Calls `onSilent` once, when the worker has had outstanding messages and not answered for `limitMillis`. Silence is counted in ticks, each
 * with at most twice its length. So a machine that slept or a main thread that was busy does not count as silence of the worker.
 */
export const makeWatchdog = (options: {
  readonly limitMillis: number
  readonly ping: () => void
  readonly onSilent: (silentMillis: number) => void
}): Watchdog => {
  let outstanding = 0
  let silentMillis = 0
  let isUsed = true
  let isRested = false
  let paused = 0
  let barked = false
  return {
    asked: () => {
      outstanding += 1
      isUsed = true
    },
    heard: () => {
      if (outstanding > 0) outstanding -= 1
      silentMillis = 0
    },
    tick: (elapsedMillis) => {
      if (outstanding > 0) {
        if (paused > 0 || barked) return tickMillis
        silentMillis += Math.min(elapsedMillis, longestTickMillis)
        if (silentMillis < options.limitMillis) return tickMillis
        barked = true
        options.onSilent(silentMillis)
        return tickMillis
      }
      const isUnheard = isRested && !isUsed
      isRested = !isUnheard
      if (isUnheard) options.ping()
      isUsed = false
      return isUnheard ? tickMillis : restMillis
    },
    pause: () => {
      let ended = false
      paused += 1
      return () => {
        if (ended) return
        ended = true
        paused -= 1
        silentMillis = 0
      }
    }
  }
}
