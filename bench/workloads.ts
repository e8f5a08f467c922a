/** One workload on one running server: gives the load, waits until it is idle, reads the clocks. */
import type { LoadOrder } from "./load/protocol.ts"
import type { Generator } from "./load/remote.ts"
import { untilIdle } from "./measure/idle.ts"
import type { Cluster } from "./measure/postgres.ts"
import { cpuSeconds } from "./measure/process.ts"
import { writesOf, writesSince } from "./measure/writes.ts"
import type { Options } from "./options.ts"
import type { Measurement } from "./results.ts"
import type { Child } from "./servers/child.ts"
import type { Server } from "./servers/server.ts"

/** What is written behind is due within two seconds (the service's own promise), so no server counts as idle before that. */
export const WRITTEN_BEHIND_MS = 2_000
/** A server that is still busy by then is measured as it is; its work left then equals this limit. */
const IDLE_LIMIT_MS = 60_000
/** Dials at a time in a ramp. */
const PARALLEL_DIALS = 100
const AFTER_WARM_UP_MS = 500

/** Prefix of every charger id and card. */
export const PREFIX = "VB"

/** A server in one run. */
export interface Stage {
  readonly server: Server
  readonly cluster: Cluster
  readonly options: Options
  readonly run: number
}

/** A running server, with the generator that holds its fleet. */
export interface Running extends Stage {
  readonly child: Child
  readonly generator: Generator
}

/** CPU seconds used so far. A server that stores nothing is not charged for PostgreSQL. */
export const clocks = ({ child, cluster, server }: Running) => ({
  server: cpuSeconds(child.pid),
  postgres: server.database === undefined ? 0 : cpuSeconds(cluster.pid)
})

export const settled = (running: Running, atLeastMs: number) =>
  untilIdle(
    () => {
      const { server, postgres } = clocks(running)
      return server + postgres
    },
    { atLeastMs, limitMs: IDLE_LIMIT_MS }
  )

/** Gives one order and charges the server with all that it does until it is idle again. */
const measured = async (
  running: Running,
  workload: Measurement["workload"],
  chargers: number,
  order: LoadOrder
): Promise<Measurement> => {
  const before = clocks(running)
  const load = await running.generator.order(order)
  const boots = order.kind === "ramp" || order.kind === "storm"
  const atLeastMs = Math.max(WRITTEN_BEHIND_MS, boots ? running.server.bootSettleMs : 0)
  const { workLeftSeconds } = await settled(running, atLeastMs)
  const after = clocks(running)
  return {
    server: running.server.name,
    run: running.run,
    workload,
    chargers,
    messages: load.messages,
    seconds: load.seconds,
    serverCpu: after.server - before.server,
    postgresCpu: after.postgres - before.postgres,
    p50Ms: load.p50Ms,
    p99Ms: load.p99Ms,
    failures: load.failures,
    failureSamples: load.failureSamples,
    workLeft: workLeftSeconds
  }
}

export const ramp = (running: Running, workload: "ramp" | "idle" | "silent", chargers: number): Promise<Measurement> =>
  measured(running, workload, chargers, {
    kind: "ramp",
    fleet: { url: running.server.ocppUrl, prefix: PREFIX, chargers, password: running.options.passwords },
    parallel: PARALLEL_DIALS
  })

/** A closed loop after one that is not counted. What both wrote is divided by the messages of both. */
export const closedLoop = async (running: Running, workload: "heartbeat" | "meter" | "tx"): Promise<Measurement> => {
  const { cluster, options } = running
  const database = options.writes ? running.server.database : undefined
  const before = database === undefined ? undefined : await writesOf(cluster, database)
  const order = (seconds: number): LoadOrder => ({ kind: "closed", workload, active: options.active, seconds })
  const warmUp = await running.generator.order(order(options.warmUpSeconds))
  await settled(running, AFTER_WARM_UP_MS)
  const measurement = await measured(running, workload, options.chargers, order(options.seconds))
  if (database === undefined || before === undefined) return measurement
  const { rows, commits, walBytes } = await writesSince(cluster, database, before)
  const messages = Math.max(1, warmUp.messages + measurement.messages)
  return {
    ...measurement,
    writes: { rows: rows / messages, commits: commits / messages, walBytes: walBytes / messages }
  }
}

/** An open loop right after one that is not counted: a server that has been at rest first has to grow to the load. */
export const openLoop = async (running: Running, workload: "heartbeat" | "meter"): Promise<Measurement> => {
  const { chargers, rate, seconds, warmUpSeconds } = running.options
  const order = (duration: number): LoadOrder => ({ kind: "open", workload, rate, seconds: duration })
  await running.generator.order(order(warmUpSeconds))
  return measured(running, `${workload} open`, chargers, order(seconds))
}

/** Commands one after the other; undefined for a server that cannot send commands. */
export const commands = async (running: Running): Promise<Measurement | undefined> => {
  const { command } = running.server
  if (command === undefined) return undefined
  const order = (count: number): LoadOrder => ({ kind: "command", count, ...command })
  await running.generator.order(order(running.options.commands / 2))
  return measured(running, "command", running.options.chargers, order(running.options.commands))
}

export const storm = (running: Running): Promise<Measurement> =>
  measured(running, "storm", running.options.chargers, { kind: "storm" })
