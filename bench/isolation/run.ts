/**
 * What others notice of an attacker: chargers send heartbeats and charge at a fixed rate, first alone, then beside each attack. The attacker, the
 * chargers and the service are processes of their own on one machine. For each attack the table shows the 99th percentile of the chargers' answers,
 * the growth of the service's memory and what the attacker was answered.
 *
 *     npm run bench -- isolation
 *     npm run bench -- isolation --only metrics-leaving,wrong-tokens --seconds 5
 */
import { Schema } from "effect"
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { fill, type Past } from "../age/fill.ts"
import { made } from "../age/run.ts"
import { type Generator, startGenerator } from "../load/remote.ts"
import { startCluster } from "../measure/postgres.ts"
import { memoryKiB } from "../measure/process.ts"
import { UsageError } from "../options.ts"
import { voltlane } from "../servers/voltlane.ts"
import { markdown } from "../table.ts"
import type { Attack, Target } from "./attack.ts"
import { attacks } from "./attacks.ts"

const startedAt = performance.now()
const progress = (text: string): void => {
  process.stderr.write(`${`${Math.round((performance.now() - startedAt) / 1000)}`.padStart(5)} s  ${text}\n`)
}

/** Chargers that send heartbeats, as many that charge, and how many messages a second each group sends. */
const chargers = 50
const rate = 50
const warmUpSeconds = 5
/** What keys and partners can read. */
const past: Past = { sessions: 20_000, days: 30, chargers: 500, driven: 0, drivenCards: 0, readingsPerSession: 2 }
/** How long the service rests after an attack, so that the next one is not charged for what this one left. */
const restMillis = 3_000
/** How long the attacker has been at work when the measurement begins. */
const leadMillis = 1_000
const sampleMillis = 200
const groups = { heartbeat: "VBH", tx: "VBT" } as const

const Answers = Schema.Record(Schema.String, Schema.Int)

/** Starts an attack; `stop` ends it and returns how many answers of which status it got. */
const attacking = (attack: string, target: Target) => {
  const child = fork(new URL("attacker.ts", import.meta.url), { execArgv: [] })
  const abandon = () => void child.kill("SIGKILL")
  process.once("exit", abandon)
  child.send({ attack, target })
  const stop = () =>
    new Promise<Readonly<Record<string, number>>>((resolve, reject) => {
      child.once("exit", () => reject(new Error(`the attacker of ${attack} ended`)))
      child.once("message", (message) => resolve(Schema.decodeUnknownSync(Answers)(message)))
      child.send("stop")
    }).finally(() => {
      process.off("exit", abandon)
      child.removeAllListeners("exit").kill("SIGKILL")
    })
  return { stop }
}

/** The greatest resident memory of a process while `work` runs, in MiB. */
const greatestMemory = async <A>(pid: number, work: Promise<A>): Promise<readonly [A, number]> => {
  let greatest = 0
  const sample = () => (greatest = Math.max(greatest, memoryKiB(pid).rss / 1024))
  const timer = setInterval(sample, sampleMillis)
  const result = await work.finally(() => clearInterval(timer))
  sample()
  return [result, greatest]
}

interface Neighbours {
  readonly heartbeats: Generator
  readonly transactions: Generator
}

/** 99th percentiles of both groups over some seconds. */
const neighbours = async ({ heartbeats, transactions }: Neighbours, seconds: number) => {
  const [heartbeat, transaction] = await Promise.all([
    heartbeats.order({ kind: "open", workload: "heartbeat", rate, seconds }),
    transactions.order({ kind: "open", workload: "tx", rate, seconds })
  ])
  const failures = [...heartbeat.failureSamples, ...transaction.failureSamples]
  return { heartbeatMs: heartbeat.p99Ms, transactionMs: transaction.p99Ms, failures }
}

type Noticed = Awaited<ReturnType<typeof neighbours>>

const parse = (args: ReadonlyArray<string>) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: Object.keys(attacks).join(",") },
      seconds: { type: "string", default: "8" },
      embedded: { type: "boolean", default: false },
      deno: { type: "boolean", default: false }
    }
  })
  const chosen = values.only.split(",").map((name): readonly [string, Attack] => {
    const attack = attacks[name]
    if (attack === undefined) throw new UsageError(`--only: ${name} is none of ${Object.keys(attacks).join(", ")}`)
    return [name, attack]
  })
  return { ...values, chosen, seconds: Number(values.seconds) }
}

export const isolation = async (args: ReadonlyArray<string>): Promise<number> => {
  const { chosen, deno, embedded, seconds } = parse(args)
  const dataFolder = mkdtempSync(join(tmpdir(), "voltlane-isolation-"))
  process.once("exit", () => rmSync(dataFolder, { recursive: true, force: true }))
  await using cluster = await startCluster()
  const server = await voltlane(cluster, "bench_isolation", { deno, embedded, dataFolder })
  const others = await (async () => {
    await using _registrar = await server.start()
    for (const prefix of Object.values(groups)) {
      await server.register({ prefix, chargers: chargers + 1, cards: chargers, passwords: false })
    }
    // Awaited here: the service ends with this block.
    return await made(server.baseUrl)
  })()
  // The embedded database cannot be filled from here, so that its lists are short.
  if (!embedded) await fill(cluster.url("bench_isolation"), past, others, progress)
  await using child = await server.start()
  using heartbeats = startGenerator()
  using transactions = startGenerator()
  const group = async (generator: Generator, prefix: string) => {
    const fleet = { url: server.ocppUrl, prefix, chargers, password: false }
    await generator.order({ kind: "ramp", fleet, parallel: chargers })
  }
  await group(heartbeats, groups.heartbeat)
  await group(transactions, groups.tx)
  const both = { heartbeats, transactions }
  await sleep(server.bootSettleMs)
  await neighbours(both, warmUpSeconds)

  const target: Target = {
    port: Number(new URL(server.baseUrl).port),
    key: server.command?.headers["x-api-key"] ?? "",
    partnerToken: others.partnerToken,
    idleCharger: `${groups.tx}-${`${chargers}`.padStart(5, "0")}`,
    ocppUrl: server.ocppUrl
  }
  const alone: Noticed = await neighbours(both, seconds)
  progress(`alone: heartbeat ${alone.heartbeatMs.toFixed(0)} ms, transaction ${alone.transactionMs.toFixed(0)} ms`)
  const rows: Array<ReadonlyArray<string>> = []
  let isMet = true
  for (const [name, { goal, run: _, what }] of chosen) {
    const before = memoryKiB(child.pid).rss / 1024
    const attack = attacking(name, target)
    await sleep(leadMillis)
    const [noticed, greatest] = await greatestMemory(child.pid, neighbours(both, seconds))
    const answers = await attack.stop()
    const grown = greatest - before
    const isGood =
      noticed.heartbeatMs <= alone.heartbeatMs + goal.heartbeatMs &&
      noticed.transactionMs <= alone.transactionMs + goal.transactionMs &&
      grown <= goal.memoryMiB &&
      noticed.failures.length === 0
    isMet &&= isGood
    const figures = [noticed.heartbeatMs, noticed.transactionMs, grown].map((value) => value.toFixed(0))
    const answered = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
    rows.push([name, ...figures, answered.join(", ") || "none", isGood ? "PASS" : "FAIL"])
    progress(`${name} (${what}): ${figures.join(" / ")}; ${answered.join(", ")} ${noticed.failures.join("; ")}`)
    await sleep(restMillis)
  }
  const base = ["none", alone.heartbeatMs.toFixed(0), alone.transactionMs.toFixed(0), "", "", ""]
  const head = ["attack", "heartbeat p99, ms", "transaction p99, ms", "memory, MiB", "answers", "goal"]
  process.stdout.write(`${markdown(head, [base, ...rows])}\n`)
  return isMet ? 0 : 1
}
