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
  /** A message was ever heard. */
  framed: boolean
  /** A ping of ours was ever answered. */
  pongs: boolean
  /** Sweeps since the connection was opened. */
  sweeps: number
  /** Sweeps since anything was heard. */
  silent: number
}

export const freshSigns = (): Signs => ({ heard: false, framed: false, pongs: false, sweeps: 0, silent: 0 })

/** `limits` in sweeps. */
export interface LivenessRules {
  readonly firstFrame: number
  readonly pingAfter: number
  readonly dead: number
  readonly mutePingDead: number
}

const sweeps = (millis: number): number => Math.max(1, Math.ceil(millis / sweepMillis))

export const livenessRules = (limits: OcppLimits): LivenessRules => ({
  firstFrame: sweeps(limits.firstFrameMillis),
  pingAfter: sweeps(limits.pingAfterMillis),
  dead: sweeps(limits.deadAfterMillis),
  mutePingDead: sweeps(limits.mutePingDeadAfterMillis)
})

/** Sweeps that take as long as `millis`. */
export const sweepsIn = sweeps

/**
 * One sweep over a connection. `silent`: it was opened and never said a word. `dead`: it answered pings once and no longer does, or
 * never did and has said nothing for very long; a charger that cannot answer pings lives by its heartbeats. The first sweep always
 * pings, to learn which of the two it is.
 */
export const judge = (signs: Signs, rules: LivenessRules): "fine" | "ping" | "silent" | "dead" => {
  const isFirst = signs.sweeps === 0
  signs.sweeps++
  if (!signs.framed && signs.sweeps > rules.firstFrame) return "silent"
  if (signs.heard) {
    signs.heard = false
    signs.silent = 0
    return isFirst ? "ping" : "fine"
  }
  signs.silent++
  if (signs.silent >= (signs.pongs ? rules.dead : rules.mutePingDead)) return "dead"
  return isFirst || signs.silent % rules.pingAfter === 0 ? "ping" : "fine"
}
