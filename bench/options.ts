/** The command line of the bench. A wrong option ends it at once with one line of text. */
import { parseArgs } from "node:util"

export const serverNames = ["ours", "bare", "group"] as const
export type ServerName = (typeof serverNames)[number]

export const workloadNames = [
  "ramp",
  "idle",
  "empty",
  "silent",
  "heartbeat",
  "meter",
  "tx",
  "command",
  "storm"
] as const
export type WorkloadName = (typeof workloadNames)[number]

export interface Options {
  readonly servers: ReadonlyArray<ServerName>
  readonly workloads: ReadonlyArray<WorkloadName>
  /** Chargers of every workload but `idle`, and of `idle`. Below 5,000, memory per charger is mostly slack of the heap. */
  readonly chargers: number
  readonly idleChargers: number
  /** Chargers that send in closed loops. */
  readonly active: number
  /** Messages a second in open loops. */
  readonly rate: number
  /** Commands to chargers, one after the other. */
  readonly commands: number
  /** Measured seconds of `empty` and `silent`. */
  readonly restSeconds: number
  /** Measured seconds of each loop, and seconds of the same load before it that are not counted. */
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly runs: number
  /** Report rows, commits and WAL bytes per message. Exact counters cost ten idle seconds of PostgreSQL per workload. */
  readonly writes: boolean
  readonly passwords: boolean
  readonly deno: boolean
  /** Run the service on its embedded database. */
  readonly embedded: boolean
  readonly gates: boolean
  readonly out: string
}

export const usage = `node bench/run.ts [options]
  --servers LIST   of ours,bare,group (all)
  --only LIST      workloads of ${workloadNames.join(",")} (all)
  --n N            chargers (1000)            --idle-n N   chargers of idle (5000)
  --active N       in closed loops (200)      --rate N     messages/s in open loops (1000)
  --commands N     to chargers, one after the other, after half as many that are not counted (2000)
  --seconds S      of each loop (3)           --warm-up S  uncounted, before each loop (1)
  --rest-seconds S of empty and silent (60)
  --runs N         repeats, medians quoted (1)
  --no-writes      leave out rows, commits and WAL a message (10 s less a workload)
  --passwords      chargers with HTTP Basic passwords (security profile 1)
  --deno           run the service on Deno; the floors stay on Node
  --embedded       run the service on its embedded database
  --gates          exit with 1 when a gate fails or could not be measured
  --out FILE       results (bench/results/last.local.json)`

export class UsageError extends Error {}

const number = (name: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new UsageError(`--${name} must be a positive number`)
  return value
}

const list = <A extends string>(name: string, text: string, allowed: ReadonlyArray<A>): ReadonlyArray<A> => {
  const values = text.split(",")
  const unknown = values.find((value) => !allowed.some((known) => known === value))
  if (unknown !== undefined) throw new UsageError(`--${name}: ${unknown} is none of ${allowed.join(", ")}`)
  return allowed.filter((value) => values.includes(value))
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        servers: { type: "string", default: serverNames.join(",") },
        only: { type: "string", default: workloadNames.join(",") },
        n: { type: "string", default: "1000" },
        "idle-n": { type: "string", default: "5000" },
        active: { type: "string", default: "200" },
        rate: { type: "string", default: "1000" },
        commands: { type: "string", default: "2000" },
        seconds: { type: "string", default: "3" },
        "warm-up": { type: "string", default: "1" },
        runs: { type: "string", default: "1" },
        "rest-seconds": { type: "string", default: "60" },
        embedded: { type: "boolean", default: false },
        "no-writes": { type: "boolean", default: false },
        passwords: { type: "boolean", default: false },
        deno: { type: "boolean", default: false },
        gates: { type: "boolean", default: false },
        out: { type: "string", default: "bench/results/last.local.json" },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** @throws UsageError naming the wrong option; also for `--help`, with the usage as its message. */
export const parseOptions = (args: ReadonlyArray<string>): Options => {
  const given = parse(args)
  if (given.help) throw new UsageError(usage)
  const chargers = number("n", given.n)
  return {
    servers: list("servers", given.servers, serverNames),
    workloads: list("only", given.only, workloadNames),
    chargers,
    idleChargers: number("idle-n", given["idle-n"]),
    active: Math.min(chargers, number("active", given.active)),
    rate: number("rate", given.rate),
    commands: number("commands", given.commands),
    seconds: number("seconds", given.seconds),
    warmUpSeconds: number("warm-up", given["warm-up"]),
    runs: number("runs", given.runs),
    writes: !given["no-writes"],
    passwords: given.passwords,
    deno: given.deno,
    embedded: given.embedded,
    restSeconds: number("rest-seconds", given["rest-seconds"]),
    gates: given.gates,
    out: given.out
  }
}
