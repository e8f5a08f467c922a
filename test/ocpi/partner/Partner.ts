/**
 * A complete eMSP for tests: a real HTTP server and client in one version of OCPI, both sides of the handshake, the receivers of what a CPO sends,
 * the sender of tokens, and the addresses for results. It is a strict peer: it checks everything that it receives against the standard's tables, and
 * `problems` lists what did not fit.
 */
import { randomUUID } from "node:crypto"
import { until } from "../../simulation/Wait.ts"
import { schemaSince22, schemasOf, type Version } from "../schemas/Schemas.ts"
import type { Check } from "../schemas/Shape.ts"
import { type Answer, Client } from "./Client.ts"
import { type Heard, Server } from "./Server.ts"
import { type Reply, Stores } from "./Stores.ts"
import { Cards } from "./Cards.ts"
import { field, isJson, type Json, printed, transportOf } from "./Wire.ts"

export interface PartnerOptions {
  readonly version: Version
  readonly countryCode?: string
  readonly partyId?: string
  readonly name?: string
}

/** The CPO's role in a module, by which the module is found in its version details. */
const cpoRole: Readonly<Record<string, string>> = {
  cdrs: "SENDER",
  chargingprofiles: "RECEIVER",
  commands: "RECEIVER",
  hubclientinfo: "RECEIVER",
  locations: "SENDER",
  sessions: "SENDER",
  tariffs: "SENDER",
  tokens: "RECEIVER"
}

const ours: ReadonlyArray<readonly [string, "RECEIVER" | "SENDER", boolean]> = [
  ["credentials", "RECEIVER", false],
  ["locations", "RECEIVER", false],
  ["sessions", "RECEIVER", false],
  ["cdrs", "RECEIVER", false],
  ["tariffs", "RECEIVER", false],
  ["tokens", "SENDER", false],
  ["commands", "SENDER", false],
  ["chargingprofiles", "SENDER", true]
]

const listed = {
  cdrs: "CDR",
  locations: "Location",
  sessions: "Session",
  tariffs: "Tariff"
} as const

const newToken = (): string => randomUUID().replaceAll("-", "")

/** How long a test waits for a message, in ms. */
const waitMillis = 20_000

export class Partner implements AsyncDisposable {
  readonly version: Version
  readonly party: { readonly country_code: string; readonly party_id: string }
  readonly name: string
  readonly problems: Array<string> = []
  readonly server: Server
  readonly client: Client
  readonly stores: Stores
  readonly cards: Cards
  /** Results that were posted, by the id in the address. */
  readonly results = new Map<string, Array<unknown>>()
  /** Active charging profiles that were put, by session. */
  readonly activeProfiles = new Map<string, Json>()
  /** The CPO's modules as named in its details: `locations SENDER`, without a role in 2.1.1. */
  readonly endpoints = new Map<string, string>()
  /** The token with which we call the CPO. */
  theirToken: string | undefined
  /** The CPO's credentials as last received. */
  theirs: Json | undefined
  /** The token with which the CPO may call us. */
  private readonly tokens = new Set<string>()
  private readonly registrationTokens = new Set<string>()

  constructor({ countryCode = "DE", name = "Test eMSP", partyId = "ABC", version }: PartnerOptions) {
    this.version = version
    this.party = { country_code: countryCode, party_id: partyId }
    this.name = name
    const problem = (text: string) => void this.problems.push(text)
    this.client = new Client(version, problem)
    this.stores = new Stores(version, problem, (id) => `${this.url("cdrs")}/${id}`)
    this.cards = new Cards(version, this.party, () => this.url("tokens"), problem)
    this.server = new Server({
      version,
      problem,
      isKnown: (token) => this.tokens.has(token) || this.registrationTokens.has(token),
      answer: (heard) => this.answer(heard)
    })
  }

  static async start(options: PartnerOptions): Promise<Partner> {
    const partner = new Partner(options)
    await partner.server.up()
    return partner
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.down()
  }

  get versionsUrl(): string {
    return `${this.server.base}/versions`
  }

  /** The address of one of our modules. */
  url(module: string): string {
    return `${this.server.base}/${this.version}/${module}`
  }

  /** A token with which to register with us (TOKEN_A), to hand to a CPO with `versionsUrl`. */
  invitation(): string {
    const token = newToken()
    this.registrationTokens.add(token)
    return token
  }

  /** Our credentials with a token. */
  credentials(token: string): Json {
    const business_details = { name: this.name }
    return this.version === "2.1.1"
      ? { token, url: this.versionsUrl, business_details, ...this.party }
      : { token, url: this.versionsUrl, roles: [{ role: "EMSP", business_details, ...this.party }] }
  }

  private look(check: Check, value: unknown, what: string): void {
    for (const fault of check(value, what)) this.problems.push(fault)
  }

  /** Discovers the CPO's modules. */
  async discover(versionsUrl: string, token: string): Promise<void> {
    const tables = schemasOf[this.version]
    const versions = await this.client.ask("GET", versionsUrl, { token })
    this.look(tables.Versions, versions.data, "versions")
    const list: ReadonlyArray<unknown> = Array.isArray(versions.data) ? versions.data : []
    const url = field(
      list.find((one) => field(one, "version") === this.version),
      "url"
    )
    if (typeof url !== "string") throw new Error(`the CPO has no ${this.version}: ${versions.text}`)
    const answer = await this.client.ask("GET", url, { token })
    const details = this.client.expect(answer, tables.VersionDetails, "details")
    this.endpoints.clear()
    for (const endpoint of details["endpoints"] as ReadonlyArray<Json>) {
      const key = [endpoint["identifier"], endpoint["role"]].filter((word) => word !== undefined).join(" ")
      if (this.endpoints.has(key)) this.problems.push(`details name ${key} twice`)
      this.endpoints.set(key, String(endpoint["url"]))
    }
  }

  /** The address of one of the CPO's modules. Undefined if the CPO does not have it. */
  endpoint(module: string): string | undefined {
    if (!transportOf(this.version).modern) return this.endpoints.get(module)
    const role = cpoRole[module]
    return role === undefined
      ? (this.endpoints.get(`${module} RECEIVER`) ?? this.endpoints.get(`${module} SENDER`))
      : this.endpoints.get(`${module} ${role}`)
  }

  private async exchange(method: "POST" | "PUT", token: string): Promise<Answer> {
    const url = this.endpoint("credentials")
    if (url === undefined) throw new Error("the CPO names no credentials")
    const own = newToken()
    this.tokens.add(own)
    const answer = await this.client.ask(method, url, { token, body: this.credentials(own) })
    if (answer.http < 300 && answer.code === 1000) {
      this.theirs = this.client.expect(answer, schemasOf[this.version].Credentials, `${method} credentials`)
      this.theirToken = String(this.theirs["token"])
      for (const old of this.tokens) if (old !== own) this.tokens.delete(old)
    } else this.tokens.delete(own)
    return answer
  }

  /** Registers with a CPO as the sender of the handshake, with the token from its invitation. Returns the final answer. */
  async register(versionsUrl: string, token: string): Promise<Answer> {
    await this.discover(versionsUrl, token)
    return this.exchange("POST", token)
  }

  /** Exchanges the tokens of both sides. The old one is accepted until the answer has arrived. */
  rotate(): Promise<Answer> {
    return this.exchange("PUT", this.token())
  }

  async unregister(): Promise<Answer> {
    const answer = await this.client.ask("DELETE", this.endpoint("credentials") ?? "", { token: this.token() })
    if (answer.http < 300) this.tokens.clear()
    return answer
  }

  private token(): string {
    if (this.theirToken === undefined) throw new Error("the partner is not registered")
    return this.theirToken
  }

  /** The CPO's party that we call: the first one in its credentials. */
  get cpo(): Json {
    const roles = this.theirs?.["roles"]
    const first: unknown = Array.isArray(roles) ? roles[0] : this.theirs
    return { country_code: field(first, "country_code"), party_id: field(first, "party_id") }
  }

  /** A request to one of the CPO's modules. The path is appended to its address unchanged. */
  ask(
    method: string,
    module: string,
    path = "",
    body?: unknown,
    more: { readonly raw?: string } = {}
  ): Promise<Answer> {
    const base = this.endpoint(module)
    if (base === undefined) throw new Error(`the CPO has no ${module} in ${this.version}`)
    return this.client.ask(method, `${base}${path}`, {
      token: this.token(),
      body,
      from: this.party,
      to: this.cpo,
      ...more
    })
  }

  /** Every object of a list, from all of its pages. */
  pull(module: keyof typeof listed, query = ""): Promise<ReadonlyArray<Json>> {
    const asked = { token: this.token(), from: this.party, to: this.cpo }
    const base = this.endpoint(module)
    if (base === undefined) throw new Error(`the CPO has no ${module} in ${this.version}`)
    const url = `${base}${query}`
    return this.client.pages(url, asked, schemasOf[this.version][listed[module]], module)
  }

  /** One location, EVSE or connector. */
  async read(...path: ReadonlyArray<string>): Promise<Json> {
    const name = (["Location", "EVSE", "Connector"] as const)[path.length - 1] ?? "Connector"
    const answer = await this.ask("GET", "locations", path.map((one) => `/${encodeURIComponent(one)}`).join(""))
    return this.client.expect(answer, schemasOf[this.version][name], name)
  }

  /** Pushes one of our tokens. */
  putToken(token: Json): Promise<Answer> {
    this.cards.add(token)
    return this.ask("PUT", "tokens", this.tokenPath(token), token)
  }

  patchToken(token: Json, change: Json): Promise<Answer> {
    return this.ask("PATCH", "tokens", this.tokenPath(token), change)
  }

  tokenPath(token: Json): string {
    const { country_code, party_id } = this.party
    const type = this.version === "2.1.1" ? "" : `?type=${String(token["type"])}`
    return `/${country_code}/${party_id}/${encodeURIComponent(String(token["uid"]))}${type}`
  }

  /** A new address for one result, and the id by which the result is found. */
  expectResult(module: "chargingprofiles" | "commands", kind: string): { readonly id: string; readonly url: string } {
    const id = randomUUID()
    this.results.set(id, [])
    return { id, url: `${this.url(module)}/${kind}/${id}` }
  }

  /** Sends a command. Returns the CPO's immediate answer, and the id of the result that follows. */
  async command(name: string, body: Json): Promise<{ readonly answer: Json; readonly id: string }> {
    const { id, url } = this.expectResult("commands", name)
    const answer = await this.ask("POST", "commands", `/${name}`, { response_url: url, ...body })
    return { answer: this.client.expect(answer, schemasOf[this.version].CommandResponse, name), id }
  }

  /** Sets, reads or clears the charging profile of a session. */
  async profile(method: "DELETE" | "GET" | "PUT", sessionId: string, body?: Json) {
    const kind = { DELETE: "clear", GET: "active", PUT: "set" }[method]
    const { id, url } = this.expectResult("chargingprofiles", kind)
    const query = { DELETE: `?response_url=${encodeURIComponent(url)}`, GET: "", PUT: "" }[method]
    const active = `?duration=900&response_url=${encodeURIComponent(url)}`
    const answer = await this.ask(
      method,
      "chargingprofiles",
      `/${encodeURIComponent(sessionId)}${method === "GET" ? active : query}`,
      method === "PUT" ? { ...body, response_url: url } : undefined
    )
    return {
      answer: this.client.expect(answer, schemaSince22(this.version, "ChargingProfileResponse"), `${method} profile`),
      id
    }
  }

  /** Waits for the result of a command or a profile. */
  async result(id: string): Promise<Json> {
    const got = () => this.results.get(id)?.[0]
    await this.eventually("a result", () => got() !== undefined)
    const value = got()
    if (!isJson(value)) throw new Error(`the result is ${JSON.stringify(value)}`)
    return value
  }

  async eventually(what: string, holds: () => boolean): Promise<void> {
    const last = () =>
      this.server.heard.slice(-8).map(({ method, module, path }) => `${method} ${module} ${path.join("/")}`)
    await until(() => `${what} (heard: ${last().join(", ")}; problems: ${this.problems.join("; ")})`, waitMillis, holds)
  }

  /** All texts that we received, to check what must not appear in any. */
  get everything(): ReadonlyArray<string> {
    return [
      ...this.client.answers,
      ...this.server.heard.map(({ headers, path, text }) => [path.join("/"), text, JSON.stringify(headers)].join(" "))
    ]
  }

  private async answer(heard: Heard): Promise<Reply> {
    const { method, module, token } = heard
    if (module === "versions") return { http: 200, code: 1000, data: [{ version: this.version, url: this.url("") }] }
    if (module === "details") return { http: 200, code: 1000, data: this.details() }
    if (module === "credentials") return this.credential(heard)
    if (this.registrationTokens.has(token)) return { http: 401, code: 2001 }
    if (module === "tokens") return this.cards.answer(heard)
    if (module === "commands" || module === "chargingprofiles") return this.receiveResult(heard)
    if (!["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method)) return { http: 405, code: 2000 }
    return this.stores.take(module, heard)
  }

  private details(): Json {
    const { modern } = transportOf(this.version)
    const endpoints = ours.flatMap(([identifier, role, later]) =>
      later && !modern ? [] : [{ identifier, ...(modern ? { role } : {}), url: this.url(identifier) }]
    )
    return { version: this.version, endpoints }
  }

  /** The receiver of the handshake: calls the CPO back while its request is open. */
  private async credential({ body, method, token }: Heard): Promise<Reply> {
    const isRegistration = this.registrationTokens.has(token)
    if ((method === "POST") !== isRegistration && method !== "GET") return { http: 405, code: 2000 }
    if (method === "GET") return { http: 200, code: 1000, data: this.credentials(token) }
    if (method === "DELETE") {
      this.tokens.clear()
      this.theirToken = undefined
      return { http: 200, code: 1000 }
    }
    this.look(schemasOf[this.version].Credentials, body, `${method} credentials`)
    if (!isJson(body)) return { http: 400, code: 2001 }
    try {
      await this.discover(String(body["url"]), String(body["token"]))
    } catch (error) {
      this.problems.push(`the CPO could not be called back: ${String(error)}`)
      return { http: 200, code: 3001 }
    }
    this.theirs = body
    this.theirToken = String(body["token"])
    const own = newToken()
    this.registrationTokens.delete(token)
    this.tokens.clear()
    this.tokens.add(own)
    return { http: 200, code: 1000, data: this.credentials(own) }
  }

  /** Receives the results of commands and profiles, and active profiles. */
  private receiveResult({ body, method, module, path }: Heard): Reply {
    const [kind = "", id = ""] = path
    if (method === "PUT" && module === "chargingprofiles" && path.length === 1) {
      this.look(schemaSince22(this.version, "ActiveChargingProfile"), body, "PUT active profile")
      if (isJson(body)) this.activeProfiles.set(kind, body)
      return { http: 200, code: 1000 }
    }
    const waiting = this.results.get(id)
    if (method !== "POST" || waiting === undefined) return { http: 404, code: 2001 }
    const check =
      module === "commands"
        ? schemasOf[this.version].CommandResult
        : schemaSince22(
            this.version,
            kind === "active"
              ? "ActiveChargingProfileResult"
              : kind === "clear"
                ? "ClearProfileResult"
                : "ChargingProfileResult"
          )
    this.look(check, body, `result of ${kind}`)
    if (waiting.length > 0 && JSON.stringify(waiting[0]) !== JSON.stringify(body)) {
      this.problems.push(`a second result of ${kind}: ${JSON.stringify(body)} after ${JSON.stringify(waiting[0])}`)
    }
    waiting.push(body)
    return { http: 200, code: 1000 }
  }

  /** A time in the format of this version. */
  readonly time = printed
}
