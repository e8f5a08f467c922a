/**
 * The metrics of the OCPP server. Series are created once per label value and updated in place, about 50 ns each, since
 * every message passes here. No label ever contains a charger's id or anything else that a charger may choose.
 */
import { type Context, Metric } from "effect"
import { type Overdrawn, overdraws } from "./FrameRate.ts"
import { authFailureReasons, refusedStatuses, type RefusalReason } from "./Refusals.ts"

const frameKinds = ["CALL", "CALLRESULT", "CALLERROR", "Malformed", "Ignored"] as const
export type FrameKind = (typeof frameKinds)[number]

/** Why a received frame had no effect. */
const dropReasons = ["unmatched", "binary", "closing", "backlog"] as const
export type DropReason = (typeof dropReasons)[number]

/** Why the server ended a connection. */
const cutReasons = [
  "dead",
  "stalled",
  "outbound",
  "slow-frame",
  "abuse",
  "too-big",
  "fragments",
  "protocol",
  "backlog",
  "defect",
  "asked",
  "stopping"
] as const
export type CutReason = (typeof cutReasons)[number]

const counter = (id: string, description: string) => (attributes: Readonly<Record<string, string>>) =>
  Metric.counter(id, { description, incremental: true, attributes })

const messages = counter("ocpp_messages_total", "OCPP frames by direction (in is from the charger) and kind")
const authFailures = counter(
  "ocpp_auth_failures_total",
  "Upgrades refused because the charger did not prove its identity"
)
const refused = counter("ocpp_refused_upgrades_total", "Upgrades answered with a status other than 101")
const dropped = counter("ocpp_dropped_frames_total", "Frames that were received and had no effect")
const cut = counter("ocpp_closed_connections_total", "Connections that the server ended, by reason")
const violations = counter("ocpp_tolerated_violations_total", "CALLs accepted although they violate the specification")
const paused = counter(
  "ocpp_throttled_total",
  "Times that reading a charger's socket was paused because it sent too fast: too many frames, too many bytes, or frames that took too long"
)
const largeOnes = counter("ocpp_large_frames_total", "Frames that waited in a queue because of their size")

const connections = (profile: number, version: string) =>
  Metric.gauge("ocpp_connections", {
    description: "Connected chargers by security profile and OCPP version",
    attributes: { profile: String(profile), version }
  })

/** In seconds. A stored message takes milliseconds, one that waits for the database up to ten seconds. */
const durationBounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const callDuration = (action: string, result: "CALLRESULT" | "CALLERROR") =>
  Metric.histogram("ocpp_call_duration_seconds", {
    description: "Time from a charger's CALL to the answer",
    boundaries: durationBounds,
    attributes: { action, direction: "in", result }
  })

/** Creates one metric per key and keeps it; keys come from closed sets. */
const series = <K extends string, A>(make: (key: K) => A): ((key: K) => A) => {
  const kept = new Map<K, A>()
  return (key) => {
    let metric = kept.get(key)
    if (metric === undefined) kept.set(key, (metric = make(key)))
    return metric
  }
}

/** The server's metrics, bound to the context in which they are reported. */
export class Metrics {
  private readonly context: Context.Context<never>
  private readonly inbound = series((kind: FrameKind) => messages({ direction: "in", kind }))
  private readonly outbound = series((kind: FrameKind) => messages({ direction: "out", kind }))
  private readonly drops = series((reason: DropReason) => dropped({ reason }))
  private readonly cuts = series((reason: CutReason) => cut({ reason }))
  private readonly failures = series((reason: RefusalReason) => authFailures({ reason }))
  private readonly refusals = series((status: string) => refused({ status }))
  private readonly gauges = series((key: string) => {
    const [profile = "", version = ""] = key.split(" ")
    return connections(Number(profile), version)
  })
  private readonly results = series((action: string) => callDuration(action, "CALLRESULT"))
  private readonly errors = series((action: string) => callDuration(action, "CALLERROR"))
  private readonly tolerated = violations({})
  private readonly throttles = series((reason: Overdrawn) => paused({ reason }))
  private readonly large = largeOnes({})
  private readonly lag = Metric.gauge("event_loop_lag_seconds", {
    description: "Longest delay of the event loop in the last second"
  })

  /**
   * All series start at 0, so that their rates show the first increase. Durations of calls start with the first call of
   * their action.
   */
  constructor(context: Context.Context<never>, versions: ReadonlyArray<string>) {
    this.context = context
    const begun = [
      ...frameKinds.flatMap((kind) => [this.inbound(kind), this.outbound(kind)]),
      ...dropReasons.map(this.drops),
      ...cutReasons.map(this.cuts),
      ...authFailureReasons.map(this.failures),
      ...refusedStatuses.map((status) => this.refusals(String(status))),
      ...versions.flatMap((version) => [0, 1, 2, 3].map((profile) => this.gauges(`${profile} ${version}`))),
      this.tolerated,
      ...overdraws.map(this.throttles),
      this.large,
      this.lag
    ]
    for (const metric of begun) metric.valueUnsafe(context)
  }

  received(kind: FrameKind): void {
    this.inbound(kind).updateUnsafe(1, this.context)
  }
  sent(kind: FrameKind): void {
    this.outbound(kind).updateUnsafe(1, this.context)
  }
  /** `action` must be one that the version knows; otherwise a charger could create labels. */
  answered(action: string, result: "CALLRESULT" | "CALLERROR", millis: number): void {
    const histogram = result === "CALLRESULT" ? this.results(action) : this.errors(action)
    histogram.updateUnsafe(millis / 1000, this.context)
  }
  violated(count: number): void {
    this.tolerated.updateUnsafe(count, this.context)
  }
  droppedFrame(reason: DropReason): void {
    this.drops(reason).updateUnsafe(1, this.context)
  }
  throttled(reason: Overdrawn): void {
    this.throttles(reason).updateUnsafe(1, this.context)
  }
  largeFrame(): void {
    this.large.updateUnsafe(1, this.context)
  }
  cut(reason: CutReason): void {
    this.cuts(reason).updateUnsafe(1, this.context)
  }
  refusedUpgrade(status: number): void {
    this.refusals(String(status)).updateUnsafe(1, this.context)
  }
  authFailure(reason: RefusalReason): void {
    this.failures(reason).updateUnsafe(1, this.context)
  }
  connected(profile: number, version: string, change: 1 | -1): void {
    this.gauges(`${profile} ${version}`).modifyUnsafe(change, this.context)
  }
  loopLag(millis: number): void {
    this.lag.updateUnsafe(millis / 1000, this.context)
  }
}
