/**
 * The benchmark. It drives the running service and its two floors over real sockets, one after the other in one run,
 * charges each with the CPU time of every process involved, and prints the tables and the gates. See README.md.
 */
import { Schema } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os"
import { dirname, join } from "node:path"
import { age } from "./age/run.ts"
import { gateTable, judge } from "./gates.ts"
import { isolation } from "./isolation/run.ts"
import { type Cluster, startCluster } from "./measure/postgres.ts"
import { type Options, parseOptions, type ServerName, UsageError } from "./options.ts"
import { corePercent, type Measurement, perCpuSecond, type PromiseCheck, type Results, ResultsJson } from "./results.ts"
import { bareFloor, groupCommitFloor } from "./servers/floor.ts"
import { voltlane } from "./servers/voltlane.ts"
import { runSuite } from "./suite.ts"
import { show, tables } from "./table.ts"
import type { Stage } from "./workloads.ts"

const startedAt = performance.now()
const progress = (text: string): void => {
  process.stderr.write(`${`${Math.round((performance.now() - startedAt) / 1000)}`.padStart(5)} s  ${text}\n`)
}

const describe = (m: Measurement): string => {
  const figures =
    m.workload === "empty" || m.workload === "silent"
      ? `${show(corePercent(m))} % of a core`
      : m.memory === undefined
        ? `${show(perCpuSecond(m))} per CPU s, ${show(m.messages / m.seconds)}/s, p50/p99 ${show(m.p50Ms)}/${show(m.p99Ms)} ms`
        : `${show(m.memory.rssKiBPerCharger)} KiB a charger`
  return `${m.server} ${m.workload}: ${figures}, ${m.failures} failures ${m.failureSamples.join("; ")}`
}

const commit = (): string => {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim()
  } catch {
    return "no commit"
  }
}

const startable = (name: ServerName, run: number, cluster: Cluster, options: Options, dataFolder: string) => {
  switch (name) {
    case "ours":
      return voltlane(cluster, `bench_ours_${run}`, { ...options, dataFolder })
    case "bare":
      return bareFloor()
    case "group":
      return groupCommitFloor(cluster, `bench_group_${run}`)
  }
}

const main = async (options: Options): Promise<number> => {
  const dataFolder = mkdtempSync(join(tmpdir(), "voltlane-bench-"))
  process.once("exit", () => rmSync(dataFolder, { recursive: true, force: true }))
  const loadAverage = loadavg()[0] ?? 0
  const measurements: Array<Measurement> = []
  const promises: Array<PromiseCheck> = []
  await using cluster = await startCluster()
  progress(`PostgreSQL ${cluster.version}, process ${cluster.pid}`)
  const record = (measurement: Measurement) => {
    measurements.push(measurement)
    progress(describe(measurement))
  }
  for (let run = 1; run <= options.runs; run++) {
    progress(`run ${run} of ${options.runs}: ${options.servers.join(", ")}`)
    const stages: Array<Stage> = []
    for (const name of options.servers) {
      stages.push({ server: await startable(name, run, cluster, options, dataFolder), cluster, options, run })
    }
    promises.push(...(await runSuite(stages, record)))
  }
  const results: Results = {
    at: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memoryGiB: totalmem() / 2 ** 30,
      system: `Linux ${release()}`,
      runtime: options.deno ? `service on Deno, floors on Node ${process.version}` : `Node ${process.version}`,
      postgres: cluster.version,
      loadAverage
    },
    commit: commit(),
    command: ["node bench/run.ts", ...process.argv.slice(2)].join(" "),
    measurements,
    promises
  }
  mkdirSync(dirname(options.out), { recursive: true })
  writeFileSync(options.out, JSON.stringify(JSON.parse(Schema.encodeSync(ResultsJson)(results)), undefined, 2))
  const verdicts = judge(results)
  process.stdout.write(`${tables(results)}\n\n${gateTable(verdicts)}\n\nWritten to ${options.out}\n`)
  return options.gates && verdicts.some((verdict) => verdict.outcome !== "PASS") ? 1 : 0
}

// Ends through "exit", whose listeners end the processes that were started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

try {
  const [first, ...rest] = process.argv.slice(2)
  const own = { age, isolation }
  process.exitCode =
    first === "age" || first === "isolation" ? await own[first](rest) : await main(parseOptions(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(
    `${error instanceof UsageError ? error.message : String(error instanceof Error ? error.stack : error)}\n`
  )
  process.exitCode = 2
}
