/**
 * The gates of a release: each is a ratio of figures from one run on one machine, so that it does not depend on the
 * hardware or on the load of the host. A gate whose figures are missing, or come with failures, does not pass.
 */
import { corePercent, figure, type Measurement, perCpuSecond, ratioTo, type Results } from "./results.ts"
import { markdown, show } from "./table.ts"

export interface Verdict {
  readonly gate: string
  readonly wanted: string
  readonly found: string
  readonly outcome: "PASS" | "FAIL" | "NOT MEASURED"
}

interface Ratio {
  readonly gate: string
  readonly workload: Measurement["workload"]
  readonly floor: "bare" | "group"
  readonly of: (measurement: Measurement) => number | undefined
  readonly atLeast?: number
  readonly atMost?: number
  /** Results with fewer chargers than this are not conclusive. */
  readonly chargers: number
}

const ratios: ReadonlyArray<Ratio> = [
  {
    gate: "Heartbeats per CPU second / bare",
    workload: "heartbeat",
    floor: "bare",
    of: perCpuSecond,
    atLeast: 0.5,
    chargers: 1
  },
  {
    gate: "transaction messages per CPU second / group commit",
    workload: "tx",
    floor: "group",
    of: perCpuSecond,
    atLeast: 0.4,
    chargers: 1
  },
  {
    gate: "memory a charger / bare",
    workload: "idle",
    floor: "bare",
    of: (m) => m.memory?.rssKiBPerCharger,
    atMost: 2,
    chargers: 5000
  },
  {
    gate: "reconnects per CPU second / bare",
    workload: "storm",
    floor: "bare",
    of: perCpuSecond,
    atLeast: 0.4,
    chargers: 1000
  },
  {
    gate: "p50 of a command, from HTTP to the charger and back / group commit",
    workload: "command",
    floor: "group",
    of: (m) => m.p50Ms,
    atMost: 2,
    chargers: 1
  },
  {
    gate: "p99 of a stored message, open loop / group commit",
    workload: "meter open",
    floor: "group",
    of: (m) => m.p99Ms,
    atMost: 2,
    chargers: 1000
  }
]

const worst = (results: Results, workload: Measurement["workload"]): number =>
  Math.max(
    0,
    ...results.measurements.filter((m) => m.server === "ours" && m.workload === workload).map((m) => m.failures)
  )

const judgeRatio = (results: Results, { gate, workload, floor, of, atLeast, atMost, chargers }: Ratio): Verdict => {
  const wanted = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
  const [ours, base] = [figure(results, "ours", workload, of), figure(results, floor, workload, of)]
  const size = figure(results, "ours", workload, (m) => m.chargers)
  const ratio = ratioTo(results, floor, workload, of)
  if (ours === undefined || base === undefined || ratio === undefined || size === undefined) {
    return { gate, wanted, found: "–", outcome: "NOT MEASURED" }
  }
  if (size < chargers) return { gate, wanted, found: `only ${size} of ${chargers} chargers`, outcome: "NOT MEASURED" }
  const failures = worst(results, workload)
  const kept = ratio >= (atLeast ?? -Infinity) && ratio <= (atMost ?? Infinity) && failures === 0
  const found = `${show(ratio)} (${show(ours)} / ${show(base)})${failures === 0 ? "" : `, ${failures} failures`}`
  return { gate, wanted, found, outcome: kept ? "PASS" : "FAIL" }
}

const judgeStorm = (results: Results): Verdict => {
  const gate = "failures in a storm of 1,000 reconnects"
  const size = figure(results, "ours", "storm", (m) => m.chargers)
  if (size === undefined || size < 1000) return { gate, wanted: "0", found: "–", outcome: "NOT MEASURED" }
  const failures = worst(results, "storm")
  return { gate, wanted: "0", found: `${failures}`, outcome: failures === 0 ? "PASS" : "FAIL" }
}

/** The most CPU that a service may use at rest, in percent of a core. */
const judgeRest = (
  results: Results,
  { atMost, gate, workload }: { readonly gate: string; readonly workload: "empty" | "silent"; readonly atMost: number }
): Verdict => {
  const wanted = `≤ ${atMost} %`
  const found = figure(results, "ours", workload, corePercent)
  const size = figure(results, "ours", workload, (m) => m.chargers) ?? 0
  if (found === undefined) return { gate, wanted, found: "–", outcome: "NOT MEASURED" }
  if (workload === "silent" && size < 1000) {
    return { gate, wanted, found: `only ${size} of 1000 chargers`, outcome: "NOT MEASURED" }
  }
  const kept = found <= atMost && worst(results, workload) === 0
  return { gate, wanted, found: `${show(found)} %`, outcome: kept ? "PASS" : "FAIL" }
}

export const judge = (results: Results): ReadonlyArray<Verdict> => [
  ...ratios.map((ratio) => judgeRatio(results, ratio)),
  judgeStorm(results),
  judgeRest(results, { gate: "idle, no charger connected", workload: "empty", atMost: 0.3 }),
  judgeRest(results, { gate: "1,000 silent chargers", workload: "silent", atMost: 0.5 }),
  ...(results.promises.length === 0
    ? [{ gate: "promises kept", wanted: "all", found: "–", outcome: "NOT MEASURED" as const }]
    : results.promises.map(({ what, kept, detail }) => ({
        gate: what,
        wanted: "kept",
        found: detail,
        outcome: kept ? ("PASS" as const) : ("FAIL" as const)
      })))
]

export const gateTable = (verdicts: ReadonlyArray<Verdict>): string =>
  markdown(
    ["gate", "wanted", "found", ""],
    verdicts.map(({ gate, wanted, found, outcome }) => [gate, wanted, found, outcome])
  )
