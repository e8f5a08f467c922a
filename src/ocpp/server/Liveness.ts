/**
 * Decides when a silent charger is pinged and when it counts as gone. It counts sweeps without a sign of life, not
 * time: a process that was stopped for a minute has made only one sweep, and must not mistake its own stall for silence
 * of its chargers (fault F23).
 */
import type { OcppLimits } from "./Limits.ts"

/** The server has one tick a second. Each tick visits a fifth of the connections, so that pings are spread over time. */
export const tickMillis = 1000
export const sweepBuckets = 5
const sweepMillis = tickMillis * sweepBuckets

/** What is kept of one connection. */
export interface Signs {
  /** A message, ping or pong was received since the last sweep. */
  heard: boolean
  /** The charger has answered a ping of ours before. */
  pongs: boolean
  /**
   * The charger kept sending messages without answering our pings: it cannot answer them, so only its messages show
   * that it is alive.
   */
  isMute: boolean
  /** Sweeps since the connection was opened. */
  sweeps: number
  /** Sweeps since anything was received. */
  silent: number
}

export const freshSigns = (): Signs => ({ heard: false, pongs: false, isMute: false, sweeps: 0, silent: 0 })

/** The limits, converted to sweeps. */
export interface LivenessRules {
  readonly pingAfter: number
  readonly dead: number
  readonly mutePingDead: number
  /** When a charger that never answered a ping is asked for a message, and when one that is known not to answer pings is. */
  readonly askAfter: number
  readonly muteAskAfter: number
}

const sweeps = (millis: number): number => Math.max(1, Math.ceil(millis / sweepMillis))

/**
 * A pong takes at most one sweep. Most of the time until the charger counts as gone remains for its answer, since some
 * chargers need a minute.
 */
const askAfter = 2

export const livenessRules = (limits: OcppLimits): LivenessRules => ({
  pingAfter: sweeps(limits.pingAfterMillis),
  dead: sweeps(limits.deadAfterMillis),
  mutePingDead: sweeps(limits.mutePingDeadAfterMillis),
  askAfter,
  muteAskAfter: Math.ceil(sweeps(limits.mutePingDeadAfterMillis) / 2)
})

/** The number of sweeps in `millis`, rounded up. */
export const sweepsIn = sweeps

/** In the sweep after the first ping, a received message may have been sent before the ping arrived. */
const sweepsUntilMute = 3

/**
 * One sweep over a connection. The first sweep always pings. A ping or pong counts as a sign of life like a message, so
 * that a charger without news is not closed. `ask`: the charger has never answered a ping and is silent, so it is
 * pinged and also asked for a message. `dead`: it answered neither. A charger that is known not to answer pings gets
 * more time, since only its heartbeats show that it is alive.
 */
export const judge = (signs: Signs, rules: LivenessRules): "fine" | "ping" | "ask" | "dead" => {
  const isFirst = signs.sweeps === 0
  signs.sweeps++
  if (signs.heard) {
    if (signs.sweeps >= sweepsUntilMute) signs.isMute = !signs.pongs
    signs.heard = false
    signs.silent = 0
    return isFirst ? "ping" : "fine"
  }
  signs.silent++
  const isMute = signs.isMute && !signs.pongs
  if (signs.silent >= (isMute ? rules.mutePingDead : rules.dead)) return "dead"
  if (!signs.pongs && signs.silent === (isMute ? rules.muteAskAfter : rules.askAfter)) return "ask"
  return isFirst || signs.silent % rules.pingAfter === 0 ? "ping" : "fine"
}
