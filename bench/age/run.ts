/**
 * What age costs: one database with a day of history and one with two years, each with its own process of the service. Compares the CPU of the
 * service and PostgreSQL for the same work in both: lists, connects and transactions.
 *
 *     npm run bench -- age                      # 1,000,000 sessions over 720 days, about half an hour
 *     npm run bench -- age --sessions 200000
 */
import { Schema } from "effect"
import { parseArgs } from "node:util"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { query, startCluster } from "../measure/postgres.ts"
import { cpuMillisNow } from "../measure/process.ts"
import type { Options } from "../options.ts"
import { get, post, voltlane, type Voltlane } from "../servers/voltlane.ts"
import { startGenerator } from "../load/remote.ts"
import { perCpuSecond, type Measurement } from "../results.ts"
import { closedLoop, PREFIX, ramp, type Running, settled, storm } from "../workloads.ts"
import { fill, fresh, type Made, type Past } from "./fill.ts"
import { type Known, type ListCase, listCases, windowCases } from "./lists.ts"

/** A higher ratio means that age costs. */
const gate = 1.5
/** In ms of CPU. A list that costs no more than this in the aged database always passes: below it the error of the clocks dominates the ratio. */
const alwaysCheap = 5
/** Rounds for each list, of which the first is not counted. A round is `requests` requests, or as many as are answered in `roundMillis`. */
const rounds = 5
const requests = 6
const roundMillis = 1_000
const chargers = 1_000
const dayMillis = 86_400_000
const hourMillis = 3_600_000

const startedAt = performance.now()
const progress = (text: string): void => {
  process.stderr.write(`${`${Math.round((performance.now() - startedAt) / 1000)}`.padStart(5)} s  ${text}\n`)
}

const Named = Schema.Struct({ id: Schema.String })
const Invited = Schema.Struct({ id: Schema.String, credentialsToken: Schema.String })

/** Creates what the history needs from the service itself: a tariff, and a partner with its token. */
export const made = async (base: string): Promise<Made> => {
  const priceComponents = [{ type: "ENERGY", price: 0.4, stepSize: 1 }]
  const tariff = await post(base, "tariffs", { currency: "EUR", elements: [{ priceComponents }] })
  const partner = await post(base, "partners", { name: "Age", countryCode: "DE", partyId: "AGE", roles: ["EMSP"] })
  const { credentialsToken, id } = Schema.decodeUnknownSync(Invited)(partner)
  return { tariff: Schema.decodeUnknownSync(Named)(tariff).id, partner: id, partnerToken: credentialsToken }
}

const knownOf = async (url: string, days: number, others: Made): Promise<Known> => {
  const at = new Date(Date.now() - (days / 2) * dayMillis)
  const recentFrom = Date.now() - Math.min(20, days / 2) * dayMillis
  const [row] = await query(
    url,
    "SELECT id::text AS id FROM session WHERE partner_id IS NULL ORDER BY id OFFSET 100 LIMIT 1"
  )
  return {
    ...others,
    sessionId: String(row?.["id"]),
    leastUsedCharger: `AGE-${chargers}`,
    leastUsedSite: "01990000-0000-7000-8000-000000000100",
    from: at.toISOString(),
    to: new Date(at.getTime() + Math.min(1, days / 4) * dayMillis).toISOString(),
    month: at.toISOString().slice(0, 7),
    recentFrom: new Date(recentFrom).toISOString(),
    recentTo: new Date(recentFrom + 6 * hourMillis).toISOString()
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

interface Aged {
  readonly name: "fresh" | "aged"
  readonly service: Voltlane
  readonly known: Known
  readonly others: Made
}

/** One list in both databases, each queried with its own times and ids. */
interface Pair {
  readonly name: string
  readonly ask: ReadonlyArray<() => Promise<unknown>>
}

const partnersGet = async ({ others, service }: Aged, path: string): Promise<void> => {
  const headers = { authorization: `Token ${Buffer.from(others.partnerToken).toString("base64")}` }
  const answer = await fetch(`${service.baseUrl}${path}`, { headers })
  const text = await answer.text()
  if (!answer.ok || !text.includes('"status_code":1000')) throw new Error(`GET ${path}: ${answer.status} ${text}`)
}

const pairsOf = async (both: ReadonlyArray<Aged>): Promise<ReadonlyArray<Pair>> => {
  const base = both[0]?.service.baseUrl ?? ""
  const [ours, theirs] = await Promise.all(
    ["/cpo/swagger.json", "/ocpi/swagger.json"].map(async (path) => (await fetch(`${base}${path}`)).json())
  )
  const paired = (
    casesOf: (known: Known) => ReadonlyArray<ListCase>,
    ask: (aged: Aged, path: string) => Promise<unknown>
  ): ReadonlyArray<Pair> => {
    const cases = both.map(({ known }) => casesOf(known))
    return (cases[0] ?? []).map(({ name }, i) => ({
      name,
      ask: both.map((aged, n) => () => ask(aged, cases[n]?.[i]?.path ?? ""))
    }))
  }
  return [
    ...paired(
      (known) => listCases(ours, known),
      ({ service }, path) => get(service.baseUrl, path.replace(/^\/v2\//, ""))
    ),
    ...paired((known) => windowCases(theirs, known), partnersGet)
  ]
}

/**
 * CPU milliseconds of one answer in each database, of the service and PostgreSQL together: the least over several rounds of several requests. The
 * databases are queried in turns, and other work on the machine is not counted. They share one PostgreSQL, in which the other database does
 * almost nothing meanwhile.
 */
const costsOf = async ({ ask }: Pair, clocks: ReadonlyArray<() => number>): Promise<ReadonlyArray<number>> => {
  const costs = ask.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, one] of ask.entries()) {
      const clock = clocks[i] ?? (() => 0)
      const [before, from] = [clock(), performance.now()]
      let asked = 0
      while (asked < requests && performance.now() - from < roundMillis) {
        await one()
        asked++
      }
      if (round > 0) costs[i]?.push((clock() - before) / asked)
    }
  }
  return costs.map((each) => Math.min(...each))
}

const compareLists = async (both: ReadonlyArray<Aged>, runnings: ReadonlyArray<Running>): Promise<number> => {
  const clocks = runnings.map(
    ({ child, cluster }) =>
      () =>
        cpuMillisNow(child.pid) + cpuMillisNow(cluster.pid)
  )
  let over = 0
  const rows: Array<readonly [number, string]> = []
  for (const pair of await pairsOf(both)) {
    try {
      const [before = Number.NaN, after = Number.NaN] = await costsOf(pair, clocks)
      const ratio = after / before
      if (ratio > gate && after > alwaysCheap) over++
      rows.push([
        ratio,
        `${ratio.toFixed(2).padStart(8)} ${before.toFixed(1).padStart(8)} ${after.toFixed(1).padStart(8)}  ${pair.name}`
      ])
    } catch (error) {
      progress(`${pair.name}: not measured: ${error instanceof Error ? error.message.slice(0, 240) : "failed"}`)
    }
  }
  const worst = rows.toSorted(([a], [b]) => b - a)
  process.stdout.write(
    `\n${rows.length} lists and filters: ${over} over ${gate} and ${alwaysCheap} ms\n   ratio    fresh     aged  ms of CPU\n`
  )
  for (const [, line] of worst.slice(0, 40)) process.stdout.write(`${line}\n`)
  return over
}

const options: Options = {
  servers: ["ours"],
  workloads: ["ramp", "tx"],
  chargers: 500,
  idleChargers: 500,
  active: 200,
  rate: 1_000,
  commands: 100,
  seconds: 5,
  warmUpSeconds: 2,
  runs: 1,
  writes: false,
  passwords: false,
  deno: false,
  embedded: false,
  restSeconds: 60,
  gates: false,
  out: ""
}

/**
 * Compares connects of chargers that all come back at once, and transactions. The databases take turns, three times, after a ramp that is not
 * counted.
 */
const compareLoads = async (runnings: ReadonlyArray<Running>): Promise<void> => {
  const cost = (measurement: Measurement): number => 1_000_000 / (perCpuSecond(measurement) ?? Number.NaN)
  for (const running of runnings) await ramp(running, "ramp", options.chargers)
  for (const workload of ["storm", "tx"] as const) {
    const costs = runnings.map((): Array<readonly [all: number, database: number]> => [])
    for (let round = 0; round < 3; round++) {
      for (const [i, running] of runnings.entries()) {
        const made = workload === "storm" ? await storm(running) : await closedLoop(running, "tx")
        costs[i]?.push([cost(made), (made.postgresCpu / made.messages) * 1_000_000])
        progress(`${workload}: left work ${made.workLeft.toFixed(1)} s, p99 ${made.p99Ms?.toFixed(1) ?? "?"} ms`)
      }
    }
    const [young = Number.NaN, old = Number.NaN] = costs.map((each) => median(each.map(([all]) => all)))
    const [youngs = Number.NaN, olds = Number.NaN] = costs.map((each) => median(each.map(([, database]) => database)))
    process.stdout.write(
      `${workload === "storm" ? "connect" : "tx message"}: ${young.toFixed(0)} and ${old.toFixed(0)} µs of CPU, ratio ${(old / young).toFixed(2)}; of the database ${youngs.toFixed(0)} and ${olds.toFixed(0)}\n`
    )
  }
}

/** Runs the comparison. The exit code is 1 if a list costs more with age. */
export const age = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { sessions: { type: "string", default: "1000000" }, days: { type: "string", default: "720" } }
  })
  const past: Past = {
    sessions: Number(values.sessions),
    days: Number(values.days),
    chargers,
    driven: options.chargers,
    drivenCards: options.active,
    readingsPerSession: 5
  }
  const dataFolder = mkdtempSync(join(tmpdir(), "voltlane-age-"))
  process.once("exit", () => rmSync(dataFolder, { recursive: true, force: true }))
  await using cluster = await startCluster()
  await using stack = new AsyncDisposableStack()
  const aged: Array<Aged> = []
  const runnings: Array<Running> = []
  for (const name of ["fresh", "aged"] as const) {
    const service = await voltlane(cluster, `bench_${name}`, {
      deno: false,
      embedded: false,
      dataFolder: join(dataFolder, name)
    })
    let others: Made
    {
      await using _child = await service.start()
      others = await made(service.baseUrl)
      await service.register({ prefix: PREFIX, chargers: options.chargers, cards: options.active, passwords: false })
    }
    const url = cluster.url(`bench_${name}`)
    const own = { ...past, ...(name === "fresh" ? fresh : {}) }
    progress(`${name}: ${own.sessions} sessions over ${own.days} days`)
    await fill(url, own, others, progress)
    const child = stack.use(await service.start())
    const running: Running = {
      server: service,
      cluster,
      options,
      run: 1,
      child,
      generator: stack.use(startGenerator())
    }
    const idle = await settled(running, 5_000)
    progress(`${name}: worked ${idle.workLeftSeconds.toFixed(1)} s after the start`)
    aged.push({ name, service, others, known: await knownOf(url, own.days, others) })
    runnings.push(running)
  }
  const over = await compareLists(aged, runnings)
  await compareLoads(runnings)
  return over === 0 ? 0 : 1
}
