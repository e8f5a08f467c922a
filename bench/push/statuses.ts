/**
 * How soon partners learn that the status of an EVSE has changed. Chargers report the given number of changes a second, and each goes to every
 * partner. The time is from the moment when the charger sends it to the moment when the partner's server has the request. Chargers and partners are
 * in this process; the service is in one of its own, on a PostgreSQL of its own. Gate: 99 of 100 within a second, with one request each.
 *
 *     node bench/push/statuses.ts [CHANGES_A_SECOND] [PARTNERS] [SECONDS]     # 100, 20 and 20 by default
 */
import { WebSocket } from "ws"
import { startPostgres } from "../../scripts/postgres.ts"
import { Service } from "../../test/simulation/Process.ts"
import { until } from "../../test/simulation/Wait.ts"
import { cpuSeconds } from "../measure/process.ts"
import { partnerParty, type Push, servePartners } from "./partners.ts"

const [rate = 100, partners = 20, seconds = 20] = process.argv.slice(2).map(Number)
/** At the default rate each charger changes every three seconds. A change that is undone before it was pushed would not be pushed at all. */
const chargers = 300
/** Load before the measurement: a service that has just started runs at half speed for some seconds. */
const warmUpSeconds = 5
const gateMillis = 1_000

const address = { streetAddress: "Quay", city: "Groningen", country: "NLD", latitude: 53.2, longitude: 6.5 }

/** When each charger's last change was sent, by its site. */
const sent = new Map<string, { readonly status: string; readonly at: number }>()
const latencies: Array<number> = []
const heard = { shown: 0, patches: 0, late: 0 }
/** The last status of each site that each partner received. */
const received = new Map<string, unknown>()

const pushed = ({ at, body, method, partner, path: [module, , , siteId = ""] }: Push): void => {
  if (module !== "locations") return
  if (method === "PUT") return void (heard.shown += 1)
  heard.patches += 1
  received.set(`${partner} ${siteId}`, body["status"])
  const change = sent.get(siteId)
  // A status that a later change has overtaken counts as late, not as fast.
  if (change === undefined || change.status !== body["status"]) heard.late += 1
  else latencies.push(at - change.at)
}

const postgres = await startPostgres({ fsync: true })
const partnerServers = await servePartners(partners, pushed)
await using service = await Service.start({ databaseUrl: postgres.url, env: { OUTBOUND_ALLOW_PRIVATE: "true" } })

const post = async (path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> => {
  const { status, text } = await service.rest.request("POST", path, body)
  if (status > 299) throw new Error(`${path} was answered ${status}: ${text}`)
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

/** Connects, with retries: a busy service refuses new connections for some seconds. */
const dial = async (url: string): Promise<WebSocket> => {
  for (let tries = 1; ; tries++) {
    const socket = new WebSocket(url, ["ocpp1.6"])
    const failed = await new Promise<Error | undefined>((resolve) => {
      socket.once("open", () => resolve(undefined))
      socket.once("error", resolve)
    })
    if (failed === undefined) return socket
    if (tries === 20) throw failed
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

/** Connects a charger with one connector at a site of its own; returns how to change its status and how to close it. */
const connect = async (n: number) => {
  const chargerId = `BENCH-${n}`
  const { id } = await post("sites", { name: `Bench ${n}`, ...address })
  await post("chargers", { name: chargerId, chargerId, siteId: id })
  const socket = await dial(`${service.ocppUrl}/${chargerId}`)
  // The charger supports no CALL of the service.
  socket.on("message", (data) => {
    const [kind, messageId] = JSON.parse(String(data)) as [number, string]
    if (kind === 2) socket.send(JSON.stringify([4, messageId, "NotImplemented", "", {}]))
  })
  let messages = 0
  const call = (action: string, payload: object) => socket.send(JSON.stringify([2, `${++messages}`, action, payload]))
  call("BootNotification", { chargePointVendor: "Bench", chargePointModel: "One" })
  call("StatusNotification", { connectorId: 1, errorCode: "NoError", status: "Available" })
  let isCharging = false
  const change = () => {
    isCharging = !isCharging
    sent.set(String(id), { status: isCharging ? "CHARGING" : "AVAILABLE", at: performance.now() })
    const status = isCharging ? "Charging" : "Available"
    call("StatusNotification", { connectorId: 1, errorCode: "NoError", status })
  }
  return { change, close: () => socket.terminate() }
}

const fleet: Array<Awaited<ReturnType<typeof connect>>> = []
for (let n = 0; n < chargers; n++) fleet.push(await connect(n))
for (let n = 0; n < partners; n++) {
  const party = { countryCode: "DE", partyId: partnerParty(n), roles: ["EMSP"] }
  const { id } = await post("partners", { name: `Bench ${n}`, ...party })
  await post(`partners/${String(id)}/register`, {
    versionsUrl: partnerServers.versionsUrl(n),
    token: `bench-${n}`
  })
}
await until(
  () => `${heard.shown} of ${chargers * partners} locations were received`,
  120_000,
  () => heard.shown >= chargers * partners
)
const cpu = () => ({ ours: cpuSeconds(service.life.pid), postgres: cpuSeconds(postgres.pid) })
/** Reports changes at an even rate, one charger after the other. */
const report = async (count: number): Promise<void> => {
  const start = performance.now()
  for (let n = 0; n < count; n++) {
    const due = start + (n * 1_000) / rate
    while (performance.now() < due)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    fleet[n % chargers]?.change()
  }
}
const hasReceived = ([siteId, { status }]: readonly [string, { readonly status: string }]): boolean =>
  Array.from({ length: partners }, (_, n) => received.get(`${n} ${siteId}`) ?? "AVAILABLE").every(
    (one) => one === status
  )
const allReceived = () =>
  until(
    () => `${[...sent].filter((one) => !hasReceived(one)).length} sites' last statuses were not received`,
    60_000,
    () => [...sent].every(hasReceived)
  )

await report(rate * warmUpSeconds)
await allReceived()
latencies.length = 0
Object.assign(heard, { patches: 0, late: 0 })
const total = rate * seconds
const before = cpu()
await report(total)
await allReceived()
const after = cpu()
const each = (of: "ours" | "postgres") => (((after[of] - before[of]) * 1_000) / Math.max(1, heard.patches)).toFixed(2)
const sorted = latencies.toSorted((one, other) => one - other)
const at = (share: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)
const late = (heard.late / Math.max(1, heard.patches)) * 100
console.log(
  `${rate} changes/s to ${partners} partners for ${seconds} s: ${heard.patches} requests for ${total * partners}, ` +
    `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms, overtaken ${late.toFixed(2)} %; ` +
    `CPU of a request: ours ${each("ours")} ms, PostgreSQL ${each("postgres")} ms`
)
if (!(Number(at(0.99)) <= gateMillis) || late >= 1 || heard.patches > total * partners) process.exitCode = 1
for (const one of fleet) one.close()
partnerServers.close()
await service[Symbol.asyncDispose]()
await postgres.stop()
process.exit()
