/**
 * Watches the worker that owns the embedded database. Its queries block its thread, and in some failures (a full disk under the
 * write-ahead log) they never return: then only a new process helps, and a supervisor starts one.
 */

export interface Watchdog {
  /** Something was asked of the worker. */
  readonly asked: () => void
  /** The worker answered. */
  readonly heard: () => void
  /** Looks again after `elapsedMillis`, and answers after how long it is to be called again; sooner once something is asked. Pings an idle worker. */
  readonly tick: (elapsedMillis: number) => number
  /** No silence is too long until the returned function is called: migrations may take their time. */
  readonly pause: () => () => void
}

export const tickMillis = 500

/** No more than this counts of the time between two looks; until the first after a rest it is as long, when other timers wake as well. */
export const longestTickMillis = 2 * tickMillis

/** Until a worker that is asked nothing is looked at again: looks at an idle service would cost more than all that it does. */
export const restMillis = 5_000

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
