/**
 * Watches the worker that owns the embedded database. Its queries block its thread, and in some failures (a full disk under the
 * write-ahead log) they never return: then only a new process helps, and a supervisor starts one.
 */

export interface Watchdog {
  /** Something was asked of the worker. */
  readonly asked: () => void
  /** The worker answered. */
  readonly heard: () => void
  /** Looks again after `elapsedMillis`; to be called about every `tickMillis`. Pings an idle worker. */
  readonly tick: (elapsedMillis: number) => void
  /** No silence is too long until the returned function is called: migrations may take their time. */
  readonly pause: () => () => void
}

export const tickMillis = 500

/**
 * `onSilent` is called once, when something has been outstanding and nothing was heard for `limitMillis`. Silence is counted in ticks,
 * each at most twice its length: a machine that slept, or a main thread that was busy itself, is not the worker's silence.
 */
export const makeWatchdog = (options: {
  readonly limitMillis: number
  readonly ping: () => void
  readonly onSilent: (silentMillis: number) => void
}): Watchdog => {
  let outstanding = 0
  let silentMillis = 0
  let paused = 0
  let barked = false
  return {
    asked: () => {
      outstanding += 1
    },
    heard: () => {
      if (outstanding > 0) outstanding -= 1
      silentMillis = 0
    },
    tick: (elapsedMillis) => {
      if (outstanding === 0) return options.ping()
      if (paused > 0 || barked) return
      silentMillis += Math.min(elapsedMillis, 2 * tickMillis)
      if (silentMillis < options.limitMillis) return
      barked = true
      options.onSilent(silentMillis)
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
