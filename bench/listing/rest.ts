/**
 * What a page of 50 costs over HTTP, as operators and partners read it: the CPU of the service and of PostgreSQL, compared with that of a server
 * which writes the same objects as JSON from memory. Nothing is compressed. Runs on a PostgreSQL of its own, with the history of a fresh service.
 * Gate: 1.3 times.
 *
 *     node bench/listing/rest.ts
 */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fill, fresh } from "../age/fill.ts"
import { made } from "../age/run.ts"
import { startCluster } from "../measure/postgres.ts"
import { cpuMillisNow } from "../measure/process.ts"
import { startChild } from "../servers/child.ts"
import { freePort } from "../servers/port.ts"
import { voltlane } from "../servers/voltlane.ts"
import { PREFIX } from "../workloads.ts"

const gate = 1.3
const requests = 100
const rounds = 8

const paths: ReadonlyArray<string> = [
  "/cpo/v2/sessions?limit=50",
  "/cpo/v2/cdrs?limit=50",
  "/cpo/v2/chargers?limit=50",
  "/cpo/v2/tokens?limit=50",
  "/cpo/v2/events?limit=50",
  "/ocpi/2.2.1/sessions?date_from=2020-01-01T00:00:00Z&limit=50",
  "/ocpi/2.2.1/cdrs?limit=50",
  "/ocpi/2.2.1/locations?limit=50"
]

interface Measured {
  readonly path: string
  readonly ask: (base: string) => Promise<string>
}

const progress = (text: string): void => void process.stderr.write(`${text}\n`)

const dataFolder = mkdtempSync(join(tmpdir(), "voltlane-pages-"))
process.once("exit", () => rmSync(dataFolder, { recursive: true, force: true }))
await using cluster = await startCluster()
const service = await voltlane(cluster, "bench_pages", { deno: false, embedded: false, dataFolder })
const past = { chargers: 1_000, driven: 500, drivenCards: 200, ...fresh }
let others: Awaited<ReturnType<typeof made>>
{
  await using _child = await service.start()
  others = await made(service.baseUrl)
  await service.register({ prefix: PREFIX, chargers: past.driven, cards: past.drivenCards, passwords: false })
}
await fill(cluster.url("bench_pages"), past, others, progress)
await using ours = await service.start()
const port = await freePort()
const memory = `http://127.0.0.1:${port}`
const script = fileURLToPath(new URL("../floors/memory.ts", import.meta.url))
await using floor = await startChild([process.execPath, script], { PORT: `${port}` }, memory, [200])

const headersOf = (path: string): Readonly<Record<string, string>> =>
  path.startsWith("/cpo")
    ? { "x-api-key": service.command?.headers["x-api-key"] ?? "" }
    : { authorization: `Token ${Buffer.from(others.partnerToken).toString("base64")}` }

const measured = paths.map((path): Measured => ({
  path,
  ask: async (base) => {
    const answer = await fetch(`${base}${path}`, { headers: { ...headersOf(path), "accept-encoding": "identity" } })
    const body = await answer.text()
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${body.slice(0, 200)}`)
    return body
  }
}))

/** CPU milliseconds of one request, averaged over several in a row. */
const cost = async (ask: () => Promise<unknown>, clock: () => number): Promise<number> => {
  const before = clock()
  for (let n = 0; n < requests; n++) await ask()
  return (clock() - before) / requests
}

// Work that follows from a start is done by then.
await new Promise((resolve) => setTimeout(resolve, 15_000))
const ourClock = () => cpuMillisNow(ours.pid) + cpuMillisNow(cluster.pid)
for (const { ask, path } of measured) {
  const body = await ask(service.baseUrl)
  const given = await fetch(`${memory}${path}`, { method: "PUT", body })
  await given.text()
  // They take turns. The first round, in which both are compiled, is not counted.
  let [least, database, from] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++) {
    const before = cpuMillisNow(cluster.pid)
    const page = await cost(() => ask(service.baseUrl), ourClock)
    const postgres = (cpuMillisNow(cluster.pid) - before) / requests
    const clock = () => cpuMillisNow(floor.pid)
    const stringified = await cost(() => ask(memory), clock)
    if (round === 0) continue
    from = Math.min(from, stringified)
    if (page < least) [least, database] = [page, postgres]
  }
  const ratio = least / from
  console.log(
    `${path.padEnd(64)} ${`${body.length}`.padStart(7)} bytes  ${least.toFixed(2)} ms of CPU, ${database.toFixed(2)} of it PostgreSQL; from memory ${from.toFixed(2)}: ${ratio.toFixed(2)} (gate ${gate})`
  )
  if (!(ratio <= gate)) process.exitCode = 1
}
console.log(`load ${loadavg()[0]?.toFixed(1)}`)
