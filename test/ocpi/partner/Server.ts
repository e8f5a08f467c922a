/**
 * The listening half of a partner: HTTP, the caller's token, the headers of its version, planned faults, and the envelope. What is answered is
 * decided by the function that it is created with.
 */
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Version } from "../schemas/Schemas.ts"
import { commit, Faults } from "./Faults.ts"
import type { Reply } from "./Stores.ts"
import { authorization, type Json, now, transportOf } from "./Wire.ts"

/** A request as received. */
export interface Heard {
  readonly method: string
  /** `versions`, `details`, or OCPI's name of the module. */
  readonly module: string
  /** The path after the module's address, percent-decoded. */
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly token: string
  readonly text: string
  /** Undefined if there is no body or it is not JSON. */
  readonly body: unknown
  readonly at: number
}

export interface ServerOptions {
  readonly version: Version
  /** The version whose token format is required, whatever `version` is. */
  readonly problem: (text: string) => void
  readonly isKnown: (token: string) => boolean
  readonly answer: (heard: Heard) => Promise<Reply> | Reply
}

/** How many requests are kept for tests to examine. */
const heardMax = 20_000

/** Modules whose requests name no parties. */
const withoutRouting = new Set(["versions", "details", "credentials", "hubclientinfo"])

const read = (incoming: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => void chunks.push(chunk))
    incoming.on("error", reject)
    incoming.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")))
  })

const parsed = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export class Server {
  readonly faults = new Faults()
  readonly heard: Array<Heard> = []
  /** Connections that were opened, and bytes of floods that were sent. */
  connections = 0
  flooded = 0
  port = 0
  private http: HttpServer | undefined
  private readonly options: ServerOptions
  private readonly requestIds = new Set<string>()

  constructor(options: ServerOptions) {
    this.options = options
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}/ocpi/emsp`
  }

  /** Listens. The second time it uses the same port as the first. */
  async up(): Promise<void> {
    const http = createServer((incoming, response) => {
      void this.serve(incoming, response).catch((error: unknown) => {
        this.options.problem(`the partner itself failed: ${String(error)}`)
        response.destroy()
      })
    })
    http.on("connection", () => void (this.connections += 1))
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject)
      http.listen(this.port, "127.0.0.1", resolve)
    })
    this.port = (http.address() as AddressInfo).port
    this.http = http
  }

  /** Stops listening and closes open connections. */
  async down(): Promise<void> {
    const http = this.http
    this.http = undefined
    if (http === undefined) return
    const closed = new Promise((resolve) => http.close(resolve))
    http.closeAllConnections()
    await closed
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const heard = this.read(incoming, await read(incoming))
    const fault = this.faults.next(heard.method, heard.module, heard.path)
    if (this.heard.length < heardMax) this.heard.push(heard)
    const flooded = (total: number) => void (this.flooded = Math.max(this.flooded, total))
    if (fault !== undefined && commit(fault, response, (code) => this.envelope({ http: 200, code }), flooded)) return
    this.look(heard)
    const isKnown = heard.token !== "" && this.options.isKnown(heard.token)
    const reply: Reply = isKnown ? await this.options.answer(heard) : { http: 401, code: 2001 }
    if (fault?.does === "hold") await fault.until
    if (fault?.does === "loseAnswer") return void response.destroy()
    const self = `http://127.0.0.1:${this.port}${incoming.url ?? ""}`
    response.writeHead(reply.http, {
      "content-type": "application/json",
      ...this.echoed(heard.headers),
      ...reply.headers,
      ...(fault?.does === "loop" ? { link: `<${self}>; rel="next"` } : {})
    })
    response.end(this.envelope(reply))
  }

  private read(incoming: IncomingMessage, text: string): Heard {
    const url = new URL(incoming.url ?? "/", "http://partner")
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const)
    )
    const [, , ...segments] = url.pathname.split("/").filter((segment) => segment !== "")
    const [first = "", second, ...path] = segments.map(decodeURIComponent)
    const module = first === "versions" ? "versions" : (second ?? "details")
    return {
      method: incoming.method ?? "",
      module,
      path,
      query: url.searchParams,
      headers,
      token: this.tokenOf(headers["authorization"]),
      text,
      body: parsed(text),
      at: Date.now()
    }
  }

  /** The token in the form of the version. A strict partner accepts no other. */
  private tokenOf(header: string | undefined): string {
    const value = /^Token (\S+)$/.exec(header ?? "")?.[1] ?? ""
    if (!transportOf(this.options.version).base64) return value
    const token = Buffer.from(value, "base64").toString("utf8")
    return authorization(token, true) === header ? token : ""
  }

  /** Checks that apply to every request. */
  private look({ body, headers, method, module, text }: Heard): void {
    const { problem, version } = this.options
    const what = `${method} ${module}`
    if (text !== "") {
      if (!/^application\/json\b/.test(headers["content-type"] ?? "")) problem(`${what}: no JSON by its content type`)
      if (body === undefined) problem(`${what}: the body is no JSON`)
    }
    if (body !== null && typeof body === "object" && "status_code" in body) problem(`${what}: an envelope as a body`)
    if (!transportOf(version).modern) return
    const id = headers["x-request-id"] ?? ""
    if (id === "" || (headers["x-correlation-id"] ?? "") === "") problem(`${what}: no ids`)
    if (this.requestIds.has(id)) problem(`${what}: X-Request-ID ${id} came twice`)
    this.requestIds.add(id)
    const routed = ["from-country-code", "from-party-id", "to-country-code", "to-party-id"].filter(
      (name) => headers[`ocpi-${name}`] !== undefined
    )
    const wanted = withoutRouting.has(module) ? 0 : 4
    if (routed.length !== wanted) problem(`${what}: ${routed.length} routing headers instead of ${wanted}`)
  }

  private echoed(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const names = ["x-request-id", "x-correlation-id"]
    return Object.fromEntries(
      names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
    )
  }

  private envelope({ code, data }: Reply): string {
    const envelope: Json = { ...(data === undefined ? {} : { data }), status_code: code, timestamp: now() }
    return JSON.stringify(envelope)
  }
}
