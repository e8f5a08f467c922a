/** Takes one server through the chosen workloads: load, wait until idle, read the clocks, next. */
import { setTimeout as sleep } from "node:timers/promises"
import type { LoadOrder } from "./load/protocol.ts"
import type { Generator } from "./load/remote.ts"
import { startGenerator } from "./load/remote.ts"
import { untilIdle } from "./measure/idle.ts"
import type { Cluster } from "./measure/postgres.ts"
import { cpuSeconds, memoryKiB } from "./measure/process.ts"
import { writesOf, writesSince } from "./measure/writes.ts"
import type { Options } from "./options.ts"
import type { Measurement } from "./results.ts"
import type { Child } from "./servers/child.ts"
import type { Server } from "./servers/server.ts"

/** What is written behind is due within two seconds (the service's own promise), so nobody is called idle before. */
const WRITTEN_BEHIND_MS = 2_000
/** A server that is still busy by then is measured as it is; its work left shows the limit. */
const IDLE_LIMIT_MS = 60_000
/** Dials at a time in a ramp. */
const PARALLEL_DIALS = 100
const AFTER_WARM_UP_MS = 500

export const PREFIX = "VB"

export interface Stage {
  readonly server: Server
  readonly cluster: Cluster
  readonly options: Options
  readonly run: number
  readonly record: (measurement: Measurement) => void
}

/** A server that runs, with a fleet that is online. */
export interface Running extends Stage {
  readonly child: Child
  readonly generator: Generator
}

const clocks = ({ child, cluster, server }: Running) => ({
  server: cpuSeconds(child.pid),
  postgres: server.database === undefined ? 0 : cpuSeconds(cluster.pid)
})

const settled = (running: Running, atLeastMs: number) =>
  untilIdle(
    () => {
      const { server, postgres } = clocks(running)
      return server + postgres
    },
    { atLeastMs, limitMs: IDLE_LIMIT_MS }
  )

/** Gives one order and charges the servers with all they do until they are idle again. */
const measured = async (
  running: Running,
  workload: Measurement["workload"],
  chargers: number,
  order: LoadOrder
): Promise<Measurement> => {
  const before = clocks(running)
  const load = await running.generator.order(order)
  const booted = order.kind === "ramp" || order.kind === "storm"
  const { workLeftSeconds } = await settled(
    running,
    Math.max(WRITTEN_BEHIND_MS, booted ? running.server.bootSettleMs : 0)
  )
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

const rampOrder = ({ server, options }: Stage, chargers: number): LoadOrder => ({
  kind: "ramp",
  fleet: { url: server.ocppUrl, prefix: PREFIX, chargers, password: options.passwords },
  parallel: PARALLEL_DIALS
})

/** A closed loop after an uncounted one; what both wrote is divided by the messages of both. */
const closedLoop = async (running: Running, workload: "heartbeat" | "meter" | "tx"): Promise<Measurement> => {
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

const openLoop = (running: Running, workload: "heartbeat" | "meter"): Promise<Measurement> => {
  const { chargers, rate, seconds } = running.options
  return measured(running, `${workload} open`, chargers, { kind: "open", workload, rate, seconds })
}

/** `ramp`, `heartbeat`, `meter`, `tx` and `storm` on one fresh process; then `afterwards`, which may kill it. */
const underLoad = async (stage: Stage, afterwards: (running: Running) => Promise<void>): Promise<void> => {
  await using child = await stage.server.start()
  using generator = startGenerator()
  const running: Running = { ...stage, child, generator }
  const { chargers, workloads, writes } = stage.options
  const wants = (name: Options["workloads"][number]) => workloads.includes(name)
  const ramp = await measured(running, "ramp", chargers, rampOrder(stage, chargers))
  if (wants("ramp")) stage.record(ramp)
  // Brings PostgreSQL's counters to rest, so that the first workload is not charged with the ramp's rows.
  if (writes && stage.server.database !== undefined) await sleep(10_500)
  for (const workload of ["heartbeat", "meter", "tx"] as const) {
    if (wants(workload)) stage.record(await closedLoop(running, workload))
  }
  for (const workload of ["heartbeat", "meter"] as const) {
    if (wants(workload)) stage.record(await openLoop(running, workload))
  }
  if (wants("storm")) stage.record(await measured(running, "storm", chargers, { kind: "storm" }))
  await afterwards(running)
}

const MEMORY_SAMPLE_MS = 1_000
const MEMORY_SAMPLES = 10

/** `idle`: the growth of resident memory from none to all chargers, after the garbage of their arrival is gone. */
const idle = async (stage: Stage): Promise<void> => {
  await using child = await stage.server.start()
  using generator = startGenerator()
  const running: Running = { ...stage, child, generator }
  const { idleChargers } = stage.options
  await settled(running, WRITTEN_BEHIND_MS)
  const empty = memoryKiB(child.pid)
  const ramp = await measured(running, "idle", idleChargers, rampOrder(stage, idleChargers))
  const before = clocks(running)
  // V8 gives memory back some seconds after the work that needed it: wait until it has stopped falling.
  let now = memoryKiB(child.pid)
  let seconds = 0
  for (let steady = 0; steady < MEMORY_SAMPLES; seconds += MEMORY_SAMPLE_MS / 1000) {
    await sleep(MEMORY_SAMPLE_MS)
    const next = memoryKiB(child.pid)
    steady = next.rss < now.rss * 0.995 ? 0 : steady + 1
    now = next
  }
  const after = clocks(running)
  stage.record({
    ...ramp,
    messages: 0,
    seconds,
    serverCpu: after.server - before.server,
    postgresCpu: after.postgres - before.postgres,
    memory: {
      rssKiBPerCharger: (now.rss - empty.rss) / idleChargers,
      rssMiB: now.rss / 1024,
      pssMiB: (now.pss + (stage.server.database === undefined ? 0 : memoryKiB(stage.cluster.pid).pss)) / 1024
    }
  })
}

/** Registers the fleet, then measures on fresh processes, which the registration has not warmed or filled. */
export const runSuite = async (stage: Stage, afterwards: (running: Running) => Promise<void>): Promise<void> => {
  const { chargers, idleChargers, active, passwords, workloads } = stage.options
  const wantsIdle = workloads.includes("idle")
  if (stage.server.name === "ours") {
    await using _registrar = await stage.server.start()
    const all = wantsIdle ? Math.max(chargers, idleChargers) : chargers
    await stage.server.register({ prefix: PREFIX, chargers: all, cards: active, passwords })
  }
  if (workloads.some((workload) => workload !== "idle")) await underLoad(stage, afterwards)
  if (wantsIdle) await idle(stage)
}
