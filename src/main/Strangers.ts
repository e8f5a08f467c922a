/**
 * What callers without credentials may use, by their network and all together: main-thread time, in estimated milliseconds a second, and connections.
 * Requests with credentials that have proved right are not counted; the first one is, and all at a path that checks none. Health and metrics are never refused, only answered later.
 */
import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Metric } from "effect"
import { tooManyDocument } from "../http/v2/requests/Problem.ts"
import { Buckets } from "../domain/values/Buckets.ts"
import { lateMillis, promptMillis, promptRefusals } from "../domain/values/RefusalDelay.ts"

export interface StrangersOptions {
  /** Milliseconds of the main thread in a second for one network, and for all. Four seconds' worth may be used at once. */
  readonly networkMillisPerSecond: number
  readonly millisPerSecond: number
  /** Connections with requests, from one network and in all. Websockets are not among them. */
  readonly connectionsPerNetwork: number
  readonly connections: number
  /** Whether requests to a path are refused if their credentials are wrong. At other paths wrong ones would not be counted. */
  readonly checksCredentials: (path: string) => boolean
  /** Where a request comes from, and whether a trusted proxy says so; its connections are those of many. */
  readonly originOf: (request: IncomingMessage) => { readonly network: string; readonly isForwarded: boolean }
}

/** What a request takes, measured: of ready bytes, and in addition for their number; and of anything that is routed. */
const readyMillis = 0.1
const millisPerMiB = 4
const routedMillis = 1

const burstSeconds = 4

/** How long a request waits that is answered although its network has used too much. */
const delayedMillis = 250
const namesMax = 10_000

/** What supervisors, load balancers and Prometheus ask for. */
const operational: ReadonlySet<string> = new Set(["/livez", "/healthz", "/readyz", "/metrics"])

const refusals = Metric.counter("http_strangers_refused_total", {
  description:
    "Requests without credentials that were refused, and connections that were closed, because their network or all strangers had used too much",
  incremental: true
})
const ofNetwork = Metric.withAttributes(refusals, { why: "network" })
const ofAll = Metric.withAttributes(refusals, { why: "all" })
const ofConnections = Metric.withAttributes(refusals, { why: "connections" })

export const strangersMetrics = [ofNetwork, ofAll, ofConnections]

/** Credentials that were right a moment ago, by their hash. Beyond this number the one that was used longest ago is forgotten. */
const provedMax = 20_000

/** The hash of a request's credentials, right or wrong; undefined if it has none. REST v1 has them in the query. */
const credentialsOf = ({ headers, url = "" }: IncomingMessage, path: string): string | undefined => {
  const { authorization, cookie } = headers
  const query = path.startsWith("/api/") ? new URLSearchParams(url.slice(url.indexOf("?"))) : undefined
  const all = [headers["x-api-key"], authorization, cookie, query?.get("clientId"), query?.get("code")]
  if (all.every((one) => one === undefined || one === null)) return undefined
  return createHash("sha256").update(JSON.stringify(all)).digest("base64")
}

const refuse = (response: ServerResponse, path: string, status: 429 | 503, seconds: number, isLast: boolean): void => {
  const document = tooManyDocument(path, seconds)
  const about = document === undefined ? {} : { "content-type": "application/problem+json" }
  const body = document ?? ""
  const ended = isLast ? { connection: "close" } : {}
  response.writeHead(status, {
    ...about,
    ...ended,
    "retry-after": `${seconds}`,
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}

type Count = (metric: typeof ofNetwork) => void

export class Strangers {
  private readonly options: StrangersOptions
  private readonly count: Count
  private readonly networks: Buckets
  private readonly all: Buckets
  private readonly prompt = new Buckets(promptRefusals, promptMillis, namesMax)
  private readonly sockets = new WeakSet<Socket>()
  private readonly proved = new Set<string>()
  private readonly connectionsOf = new Map<string, number>()
  private connections = 0

  constructor(options: StrangersOptions, count: Count) {
    this.options = options
    this.count = count
    const { millisPerSecond, networkMillisPerSecond } = options
    this.networks = new Buckets(networkMillisPerSecond * burstSeconds, burstSeconds * 1000, namesMax)
    // Requests without credentials, and those with credentials that have not proved right, so that neither takes the share of the other.
    this.all = new Buckets(millisPerSecond * burstSeconds, burstSeconds * 1000, 2)
  }

  /** Calls `proceed` now, after a delay or never. `readyBytes`: how long an answer is that is not routed. */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    readyBytes: number | undefined,
    proceed: () => void
  ): void {
    const { isForwarded, network } = this.options.originOf(request)
    if (!this.connected(request.socket, isForwarded ? undefined : network)) {
      this.count(ofConnections)
      return refuse(response, path, 503, 1, true)
    }
    const isChecked = readyBytes === undefined && this.options.checksCredentials(path)
    const credentials = isChecked ? credentialsOf(request, path) : undefined
    if (credentials !== undefined && this.proved.has(credentials)) return proceed()
    const kind = credentials === undefined ? "strangers" : "newcomers"
    const now = performance.now()
    const millis = readyBytes === undefined ? routedMillis : readyMillis + (readyBytes / (1024 * 1024)) * millisPerMiB
    const isWithin = this.networks.take(network, now, millis)
    if (isWithin && this.all.take(kind, now, millis)) return proceed()
    if (operational.has(path)) return this.later(response, delayedMillis, proceed)
    this.count(isWithin ? ofAll : ofNetwork)
    const seconds = isWithin ? this.all.waitSeconds(kind, now) : this.networks.waitSeconds(network, now)
    // Firmware that does not know 429 tries again after a 503.
    const status = path.startsWith("/files/") ? 503 : 429
    const answer = () => refuse(response, path, status, seconds, false)
    if (this.prompt.take(network, now)) answer()
    else this.later(response, lateMillis, answer)
  }

  /** Remembers the credentials of a request, which have proved right. */
  prove(request: IncomingMessage, path: string): void {
    const credentials = credentialsOf(request, path)
    if (credentials === undefined) return
    this.proved.delete(credentials)
    if (this.proved.size >= provedMax) {
      const [oldest] = this.proved
      if (oldest !== undefined) this.proved.delete(oldest)
    }
    this.proved.add(credentials)
  }

  private later(response: ServerResponse, millis: number, work: () => void): void {
    const timer = setTimeout(work, millis)
    response.once("close", () => clearTimeout(timer))
  }

  /** Counts the connection of a request, once. False if there are too many. */
  private connected(socket: Socket, network: string | undefined): boolean {
    if (this.sockets.has(socket)) return true
    const ofNetwork = network === undefined ? 0 : (this.connectionsOf.get(network) ?? 0)
    if (this.connections >= this.options.connections || ofNetwork >= this.options.connectionsPerNetwork) return false
    this.sockets.add(socket)
    this.connections += 1
    if (network !== undefined) this.connectionsOf.set(network, ofNetwork + 1)
    socket.once("close", () => {
      this.connections -= 1
      if (network === undefined) return
      const left = (this.connectionsOf.get(network) ?? 1) - 1
      if (left > 0) this.connectionsOf.set(network, left)
      else this.connectionsOf.delete(network)
    })
    return true
  }
}
