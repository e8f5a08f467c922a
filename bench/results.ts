/** The shape of a results file: what was measured, where and with which options. Written by the run, read by the report. */
import { Schema } from "effect"

export const Measurement = Schema.Struct({
  server: Schema.Literals(["ours", "bare", "group"]),
  run: Schema.Int,
  workload: Schema.Literals([
    "ramp",
    "idle",
    "empty",
    "silent",
    "heartbeat",
    "heartbeat open",
    "meter",
    "meter open",
    "tx",
    "command",
    "storm"
  ]),
  /** Chargers connected. */
  chargers: Schema.Int,
  /** Messages answered; for `ramp` and `storm` boots accepted; 0 for `idle`, `empty` and `silent`. */
  messages: Schema.Int,
  /** Wall time of the load, without the work that the servers did after it. */
  seconds: Schema.Finite,
  /** CPU seconds of the server's and of PostgreSQL's process tree, until both were idle again. */
  serverCpu: Schema.Finite,
  postgresCpu: Schema.Finite,
  p50Ms: Schema.Finite,
  p99Ms: Schema.Finite,
  failures: Schema.Int,
  failureSamples: Schema.Array(Schema.String),
  /** Seconds that the servers went on working after the last answer. */
  workLeft: Schema.Finite,
  writes: Schema.optionalKey(Schema.Struct({ rows: Schema.Finite, commits: Schema.Finite, walBytes: Schema.Finite })),
  memory: Schema.optionalKey(
    Schema.Struct({ rssKiBPerCharger: Schema.Finite, rssMiB: Schema.Finite, pssMiB: Schema.Finite })
  )
})
export type Measurement = typeof Measurement.Type

/** One kind of data that was acknowledged and then looked for in the database. */
export const PromiseCheck = Schema.Struct({ what: Schema.String, kept: Schema.Boolean, detail: Schema.String })
export type PromiseCheck = typeof PromiseCheck.Type

export const Results = Schema.Struct({
  at: Schema.String,
  machine: Schema.Struct({
    cpu: Schema.String,
    cores: Schema.Int,
    memoryGiB: Schema.Finite,
    system: Schema.String,
    runtime: Schema.String,
    postgres: Schema.String,
    /** Load average over one minute when the run began; above 0.5 other programs were running too. */
    loadAverage: Schema.Finite
  }),
  commit: Schema.String,
  command: Schema.String,
  measurements: Schema.Array(Measurement),
  promises: Schema.Array(PromiseCheck)
})
export type Results = typeof Results.Type
export const ResultsJson = Schema.fromJsonString(Results)

export const median = (values: ReadonlyArray<number>): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low, high] = [sorted[Math.max(0, middle - (sorted.length % 2 === 0 ? 1 : 0))], sorted[middle]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

/** The median over the runs of one figure of one server under one workload; undefined if it was not measured. */
export const figure = (
  results: Results,
  server: Measurement["server"],
  workload: Measurement["workload"],
  of: (measurement: Measurement) => number | undefined
): number | undefined =>
  median(
    results.measurements
      .filter((measurement) => measurement.server === server && measurement.workload === workload)
      .map(of)
      .filter((value) => value !== undefined)
  )

/**
 * The median over the runs of our figure divided by the floor's figure of the same run. The two were measured within
 * seconds of each other, so their ratio varies less than either of them.
 */
export const ratioTo = (
  results: Results,
  floor: Measurement["server"],
  workload: Measurement["workload"],
  of: (measurement: Measurement) => number | undefined
): number | undefined => {
  const runs = new Set(results.measurements.map((measurement) => measurement.run))
  const ratios = [...runs].map((run) => {
    const measurements = results.measurements.filter((measurement) => measurement.run === run)
    const [ours, base] = (["ours", floor] as const).map((server) =>
      figure({ ...results, measurements }, server, workload, of)
    )
    return ours === undefined || base === undefined || base === 0 ? undefined : ours / base
  })
  return median(ratios.filter((ratio) => ratio !== undefined))
}

/** The CPU that the service used, PostgreSQL included, in percent of one core. */
export const corePercent = ({ postgresCpu, seconds, serverCpu }: Measurement): number =>
  ((serverCpu + postgresCpu) / seconds) * 100

export const perCpuSecond = (measurement: Measurement): number | undefined => {
  const cpu = measurement.serverCpu + measurement.postgresCpu
  return measurement.messages === 0 || cpu === 0 ? undefined : measurement.messages / cpu
}

export const perSecond = (measurement: Measurement): number | undefined =>
  measurement.messages === 0 ? undefined : measurement.messages / measurement.seconds
