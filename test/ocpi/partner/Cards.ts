/** The tokens of an eMSP: the sender of the tokens module, with a list in pages and real-time authorisation. */
import { schemasOf, type Version } from "../schemas/Schemas.ts"
import type { Heard } from "./Server.ts"
import type { Reply } from "./Stores.ts"
import { type Json, now } from "./Wire.ts"

/** Small, so that a few tokens have several pages. */
const pageSize = 2

/** The answer to a real-time authorisation. */
export type Authorize = (token: Json, heard: Heard) => Json | undefined

export class Cards {
  private readonly held: Array<Json> = []
  /** Real-time authorisations that were requested, by uid. */
  readonly asked: Array<{ readonly uid: string; readonly type: string | null; readonly body: unknown }> = []
  /** Such as `{ allowed: … }`. Undefined means an unknown token. */
  authorize: Authorize = () => ({ allowed: "ALLOWED" })
  /** Whether the answer is sent in a list, as by an eMSP that wraps every answer in one. */
  wordInList = false
  private readonly version: Version
  private readonly party: Json
  private readonly url: () => string
  private readonly problem: (text: string) => void

  constructor(version: Version, party: Json, url: () => string, problem: (text: string) => void) {
    this.version = version
    this.party = party
    this.url = url
    this.problem = problem
  }

  /** A new token of this version, not in the list yet. */
  make(uid: string, more: Json = {}): Json {
    const contract = `DEABCC${uid}`.slice(0, 36)
    const shared = { uid, type: "RFID", issuer: "Test eMSP", valid: true, whitelist: "ALLOWED", last_updated: now() }
    return this.version === "2.1.1"
      ? { ...shared, auth_id: contract, ...more }
      : { ...this.party, ...shared, contract_id: contract, ...more }
  }

  add(token: Json): void {
    for (const fault of schemasOf[this.version].Token(token, "a token of the test")) this.problem(fault)
    const at = this.held.findIndex(({ type, uid }) => uid === token["uid"] && type === token["type"])
    if (at < 0) this.held.push(token)
    else this.held[at] = token
  }

  answer(heard: Heard): Reply {
    const { method, path } = heard
    if (method === "GET" && path.length === 0) return this.page(heard)
    if (method === "POST" && path.length === 2 && path[1] === "authorize") return this.word(heard)
    return { http: 405, code: 2000 }
  }

  private page({ query }: Heard): Reply {
    const from = Date.parse(query.get("date_from") ?? "1970-01-01T00:00:00Z")
    const to = Date.parse(query.get("date_to") ?? "2970-01-01T00:00:00Z")
    const fitting = this.held.filter(({ last_updated }) => {
      const at = Date.parse(String(last_updated).replace(/Z?$/, "Z"))
      return at >= from && at < to
    })
    const offset = Number(query.get("offset") ?? 0)
    const limit = Math.min(Number(query.get("limit") ?? pageSize), pageSize)
    const rest = new URLSearchParams(query)
    rest.set("offset", String(offset + limit))
    rest.set("limit", String(limit))
    const link: Readonly<Record<string, string>> =
      offset + limit < fitting.length ? { link: `<${this.url()}?${rest.toString()}>; rel="next"` } : {}
    return {
      http: 200,
      code: 1000,
      data: fitting.slice(offset, offset + limit),
      headers: { "x-total-count": String(fitting.length), "x-limit": String(pageSize), ...link }
    }
  }

  private word(heard: Heard): Reply {
    const { body, path, query } = heard
    const uid = path[0] ?? ""
    this.asked.push({ uid, type: query.get("type"), body })
    if (body !== undefined) {
      for (const fault of schemasOf[this.version].LocationReferences(body, "POST authorize")) this.problem(fault)
    }
    const token = this.held.find((one) => String(one["uid"]).toUpperCase() === uid.toUpperCase())
    const said = token === undefined ? undefined : this.authorize(token, heard)
    if (said === undefined) return { http: 404, code: this.version === "2.1.1" ? 2001 : 2004 }
    const data = this.version === "2.1.1" ? said : { token, ...said }
    return { http: 200, code: 1000, data: this.wordInList ? [data] : data }
  }
}
