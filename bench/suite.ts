/**
 * The order of one run. Under load all servers are up at once and take turns, workload by workload; only one of them
 * works at a time. So the compared figures are measured within seconds of each other, on a machine that others may be
 * using too. Memory and rest are measured afterwards, with one server at a time.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { startGenerator } from "./load/remote.ts"
import { memoryKiB, preciseClock } from "./measure/process.ts"
import { countersAtRest } from "./measure/writes.ts"
import { checkPromises } from "./promises.ts"
import type { Measurement, PromiseCheck } from "./results.ts"
import {
  clocks,
  closedLoop,
  commands,
  openLoop,
  PREFIX,
  ramp,
  type Running,
  settled,
  type Stage,
  storm,
  WRITTEN_BEHIND_MS
} from "./workloads.ts"

export type Record = (measurement: Measurement) => void

/** `ramp`, the loops and `storm` on fresh processes; then the check of the service's promises, which the service does not survive. */
const underLoad = async (stages: ReadonlyArray<Stage>, record: Record): Promise<ReadonlyArray<PromiseCheck>> => {
  await using stack = new AsyncDisposableStack()
  const all: Array<Running> = []
  for (const stage of stages) {
    const child = stack.use(await stage.server.start())
    all.push({ ...stage, child, generator: stack.use(startGenerator()) })
  }
  const [first] = all
  if (first === undefined) return []
  const { chargers, workloads, writes } = first.options
  for (const running of all) {
    const measurement = await ramp(running, "ramp", chargers)
    if (workloads.includes("ramp")) record(measurement)
  }
  // The ramp's rows must not be charged to the first loop.
  if (writes) await countersAtRest()
  for (const workload of ["heartbeat", "meter", "tx"] as const) {
    for (const running of workloads.includes(workload) ? all : []) record(await closedLoop(running, workload))
  }
  for (const workload of ["heartbeat", "meter"] as const) {
    for (const running of workloads.includes(workload) ? all : []) record(await openLoop(running, workload))
  }
  for (const running of workloads.includes("command") ? all : []) {
    const measurement = await commands(running)
    if (measurement !== undefined) record(measurement)
  }
  for (const running of workloads.includes("storm") ? all : []) record(await storm(running))
  const ours = all.find((running) => running.server.name === "ours")
  // Awaited here: otherwise what the stack holds would be disposed of before the promise settles.
  return ours?.server.database === undefined ? [] : await checkPromises(ours)
}

const MEMORY_SAMPLE_MS = 1_000
/** Memory is at rest after so many samples in a row without a fall of half a percent. */
const MEMORY_SAMPLES = 10
const STEADY_SHARE = 0.995

/** Memory once it has stopped falling: a runtime releases it some seconds after the work that needed it. */
const memoryAtRest = async (pid: number) => {
  let now = memoryKiB(pid)
  for (let steady = 0; steady < MEMORY_SAMPLES;) {
    await sleep(MEMORY_SAMPLE_MS)
    const next = memoryKiB(pid)
    steady = next.rss < now.rss * STEADY_SHARE ? 0 : steady + 1
    now = next
  }
  return now
}

/** `idle`: the growth of resident memory from no chargers to all chargers, both at rest. */
const idle = async (stage: Stage): Promise<Measurement> => {
  await using child = await stage.server.start()
  using generator = startGenerator()
  const running: Running = { ...stage, child, generator }
  const { idleChargers } = stage.options
  await settled(running, WRITTEN_BEHIND_MS)
  const empty = await memoryAtRest(child.pid)
  const arrival = await ramp(running, "idle", idleChargers)
  const before = clocks(running)
  const startedAt = performance.now()
  const now = await memoryAtRest(child.pid)
  const seconds = (performance.now() - startedAt) / 1000
  const after = clocks(running)
  const postgres = stage.server.database === undefined ? 0 : memoryKiB(stage.cluster.pid).pss
  return {
    ...arrival,
    messages: 0,
    seconds,
    serverCpu: after.server - before.server,
    postgresCpu: after.postgres - before.postgres,
    memory: {
      rssKiBPerCharger: (now.rss - empty.rss) / idleChargers,
      rssMiB: now.rss / 1024,
      pssMiB: (now.pss + postgres) / 1024
    }
  }
}

/**
 * The wait after a start or an arrival, before rest is measured. Work that follows it on a timer is done by then, for example the requests that the
 * service sends a charger some time after its boot.
 */
const BEFORE_REST_MS = 75_000
/** Time between samples. A PostgreSQL process that ends is only charged until its last sample. */
const REST_SAMPLE_MS = 2_000

/** `empty` and `silent`: what a service uses at rest, with no charger connected or with chargers that only answer pings. */
const rest = async (stage: Stage, workload: "empty" | "silent"): Promise<Measurement> => {
  await using child = await stage.server.start()
  using generator = startGenerator()
  const running: Running = { ...stage, child, generator }
  const { chargers, restSeconds } = stage.options
  const arrival = workload === "silent" ? await ramp(running, workload, chargers) : undefined
  await sleep(BEFORE_REST_MS)
  const server = preciseClock(child.pid)
  const postgres = stage.server.database === undefined ? () => 0 : preciseClock(stage.cluster.pid)
  let [serverCpu, postgresCpu] = [0, 0]
  const startedAt = performance.now()
  while (performance.now() - startedAt < restSeconds * 1000) {
    await sleep(REST_SAMPLE_MS)
    serverCpu += server()
    postgresCpu += postgres()
  }
  return {
    server: stage.server.name,
    run: stage.run,
    workload,
    chargers: arrival?.chargers ?? 0,
    messages: 0,
    seconds: (performance.now() - startedAt) / 1000,
    serverCpu,
    postgresCpu,
    p50Ms: 0,
    p99Ms: 0,
    failures: arrival?.failures ?? 0,
    failureSamples: arrival?.failureSamples ?? [],
    workLeft: 0
  }
}

/** Registers the fleet in a process that ends before the measurements, so that the measured ones start cold. */
const register = async ({ server, options }: Stage): Promise<void> => {
  const { chargers, idleChargers, active, passwords, workloads } = options
  const most = workloads.includes("idle") ? Math.max(chargers, idleChargers) : chargers
  await using _registrar = await server.start()
  await server.register({ prefix: PREFIX, chargers: most, cards: active, passwords })
}

export const runSuite = async (stages: ReadonlyArray<Stage>, record: Record): Promise<ReadonlyArray<PromiseCheck>> => {
  const workloads = stages[0]?.options.workloads ?? []
  for (const stage of stages) if (stage.server.name === "ours") await register(stage)
  const loaded = workloads.some((workload) => workload !== "idle" && workload !== "empty" && workload !== "silent")
  const promises = loaded ? await underLoad(stages, record) : []
  for (const stage of workloads.includes("idle") ? stages : []) record(await idle(stage))
  for (const workload of ["empty", "silent"] as const) {
    if (!workloads.includes(workload)) continue
    for (const stage of stages) if (stage.server.name === "ours") record(await rest(stage, workload))
  }
  return promises
}
