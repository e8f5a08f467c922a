/**
 * When a silent charger is pinged, and when it is gone. Judged by sweeps that the charger was silent for, never by the clock: a process
 * that stood still for a minute has made one sweep, and must not take its own stall for its chargers' (fault F23).
 */
import type { OcppLimits } from "./Limits.ts"

/** One tick of the server a second; each visits a fifth of the connections, so that pings spread out. */
export const tickMillis = 1000
export const sweepBuckets = 5
const sweepMillis = tickMillis * sweepBuckets

/** What is kept of one connection. */
export interface Signs {
  /** Anything was heard since the last sweep: a message, a ping, a pong. */
  heard: boolean
  /** A ping of ours was ever answered. */
  pongs: boolean
  /** It went on talking after a ping that it had not answered: it cannot answer any, and lives by what it says. */
  isMute: boolean
  /** Sweeps since the connection was opened. */
  sweeps: number
  /** Sweeps since anything was heard. */
  silent: number
}

export const freshSigns = (): Signs => ({ heard: false, pongs: false, isMute: false, sweeps: 0, silent: 0 })

/** `limits` in sweeps. */
export interface LivenessRules {
  readonly pingAfter: number
  readonly dead: number
  readonly mutePingDead: number
  /** When one that never answered a ping is asked for a message, and when one that is known not to. */
  readonly askAfter: number
  readonly muteAskAfter: number
}

const sweeps = (millis: number): number => Math.max(1, Math.ceil(millis / sweepMillis))

/** A pong takes one sweep at most; most of the time until it counts as gone is left for its answer, since some chargers take a minute. */
const askAfter = 2

export const livenessRules = (limits: OcppLimits): LivenessRules => ({
  pingAfter: sweeps(limits.pingAfterMillis),
  dead: sweeps(limits.deadAfterMillis),
  mutePingDead: sweeps(limits.mutePingDeadAfterMillis),
  askAfter,
  muteAskAfter: Math.ceil(sweeps(limits.mutePingDeadAfterMillis) / 2)
})

/** Sweeps that take as long as `millis`. */
export const sweepsIn = sweeps

/** In the sweep after the first ping a message may have been on its way before it. */
const sweepsUntilMute = 3

/**
 * One sweep over a connection. The first one always pings, and a ping or pong is as good a sign of life as a message: who has nothing to say
 * is not closed for it. `ask`: it has never answered a ping and is silent, so that it is pinged and asked for a message as well. `dead`: nothing
 * of that was answered. A charger that is known to answer no pings has longer, since it lives by its heartbeats.
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
