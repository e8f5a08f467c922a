/**
 * The CPO's objects that an eMSP stores: the receiver side of locations, sessions, CDRs and tariffs. It is as strict as the standard allows, and
 * records each fault in what it receives.
 */
import { schemasOf, type Version } from "../schemas/Schemas.ts"
import type { Check } from "../schemas/Shape.ts"
import { field, isJson, type Json } from "./Wire.ts"

/** A request after the address of a module. */
export interface Received {
  readonly method: string
  readonly path: ReadonlyArray<string>
  readonly body: unknown
}

export interface Reply {
  readonly http: number
  readonly code: number
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const ok = (data?: unknown): Reply => ({ http: 200, code: 1000, ...(data === undefined ? {} : { data }) })
const created: Reply = { http: 201, code: 1000 }
const unknown = (code: number): Reply => ({ http: 404, code })
const notAllowed: Reply = { http: 405, code: 2000 }
const invalid: Reply = { http: 200, code: 2001 }

type Kind = "locations" | "sessions" | "tariffs"

const at = (value: unknown): number => Date.parse(String(field(value, "last_updated")).replace(/Z?$/, "Z"))

/** The later of two `last_updated`. */
const newer = (one: unknown, other: unknown): unknown =>
  at(one) > at(other) ? field(one, "last_updated") : field(other, "last_updated")

/** Lists of objects that have an id within their parent. */
const withChild = (list: unknown, name: string, child: Json): ReadonlyArray<unknown> => {
  const items: ReadonlyArray<unknown> = Array.isArray(list) ? list : []
  const id = field(child, name)
  return items.some((item) => field(item, name) === id)
    ? items.map((item) => (field(item, name) === id ? child : item))
    : [...items, child]
}

const childOf = (list: unknown, name: string, id: string | undefined): Json | undefined =>
  Array.isArray(list) ? (list as ReadonlyArray<unknown>).filter(isJson).find((item) => item[name] === id) : undefined

export class Stores {
  readonly locations = new Map<string, Json>()
  readonly sessions = new Map<string, Json>()
  readonly tariffs = new Map<string, Json>()
  readonly cdrs = new Map<string, Json>()
  /** Every received state of an object, oldest first, by module and id. */
  readonly history = new Map<string, Array<Json>>()
  private readonly version: Version
  private readonly problem: (text: string) => void
  private readonly cdrUrl: (id: string) => string

  constructor(version: Version, problem: (text: string) => void, cdrUrl: (id: string) => string) {
    this.version = version
    this.problem = problem
    this.cdrUrl = cdrUrl
  }

  private check(check: Check, value: unknown, what: string): void {
    for (const fault of check(value, what)) this.problem(fault)
  }

  private remember(key: string, value: Json): void {
    const states = this.history.get(key) ?? []
    const last = states.at(-1)
    if (last !== undefined && at(value) < at(last)) this.problem(`${key} went back from ${at(last)} to ${at(value)}`)
    this.history.set(key, [...states, value])
  }

  private put(module: Kind, store: Map<string, Json>, key: string, value: Json): Reply {
    const isNew = !store.has(key)
    this.remember(`${module} ${key}`, value)
    store.set(key, value)
    return isNew ? created : ok()
  }

  /** From 2.2 on an object names its party, which must match the address. */
  private owned(what: string, [country, party]: ReadonlyArray<string>, body: unknown): void {
    if (this.version === "2.1.1") return
    const named = `${String(field(body, "country_code"))}/${String(field(body, "party_id"))}`
    if (named !== `${country}/${party}`) this.problem(`${what} of ${named} was sent to ${country}/${party}`)
  }

  take(module: string, received: Received): Reply {
    if (module === "locations") return this.location(received)
    if (module === "sessions") return this.session(received)
    if (module === "tariffs") return this.tariff(received)
    return module === "cdrs" ? this.cdr(received) : unknown(2000)
  }

  private location({ body, method, path }: Received): Reply {
    const [country = "", party = "", id = "", evseUid, connectorId, ...more] = path
    if (more.length > 0 || id === "") return unknown(2000)
    const key = `${country}/${party}/${id}`
    const whole = this.locations.get(key)
    const evse = childOf(whole?.["evses"], "uid", evseUid)
    const connector = childOf(evse?.["connectors"], "id", connectorId)
    const [name, target] =
      connectorId !== undefined
        ? (["Connector", connector] as const)
        : evseUid !== undefined
          ? (["EVSE", evse] as const)
          : (["Location", whole] as const)
    if (method === "GET") return target === undefined ? unknown(2003) : ok(target)
    if (!isJson(body)) return invalid
    if (method === "PATCH") {
      this.check(schemasOf[this.version].patches[name], body, `PATCH ${name}`)
      return target === undefined ? unknown(2003) : this.locate(key, path, { ...target, ...body })
    }
    if (method !== "PUT") return notAllowed
    this.check(schemasOf[this.version][name], body, `PUT ${name}`)
    if (name === "Location") this.owned(name, path, body)
    const ownId = field(body, name === "EVSE" ? "uid" : "id")
    if (ownId !== path.at(-1)) this.problem(`PUT ${name} ${String(ownId)} to ${String(path.at(-1))}`)
    const parent = name === "Connector" ? evse : whole
    return name !== "Location" && parent === undefined ? unknown(2003) : this.locate(key, path, body)
  }

  /**
   * Stores an object in its place and updates its parents. EVSEs of one location are sent one by one, so that an older change of one may arrive after
   * a newer one of another: the location has the newest time of all.
   */
  private locate(key: string, path: ReadonlyArray<string>, value: Json): Reply {
    const [, , , evseUid, connectorId] = path
    const whole = this.locations.get(key) ?? {}
    if (evseUid === undefined) return this.put("locations", this.locations, key, value)
    const evse = childOf(whole["evses"], "uid", evseUid)
    const isNew = evse === undefined
    if (!isNew && at(value) < at(evse)) this.problem(`EVSE ${evseUid} went back from ${at(evse)} to ${at(value)}`)
    const changed =
      connectorId === undefined
        ? value
        : { ...evse, last_updated: newer(evse, value), connectors: withChild(evse?.["connectors"], "id", value) }
    this.put("locations", this.locations, key, {
      ...whole,
      last_updated: newer(whole, value),
      evses: withChild(whole["evses"], "uid", changed)
    })
    return isNew ? created : ok()
  }

  private session({ body, method, path }: Received): Reply {
    const [country = "", party = "", id = "", ...more] = path
    if (more.length > 0 || id === "") return unknown(2000)
    const key = `${country}/${party}/${id}`
    const held = this.sessions.get(key)
    if (method === "GET") return held === undefined ? unknown(2001) : ok(held)
    if (!isJson(body)) return invalid
    const final = ["COMPLETED", "INVALID"].includes(String(held?.["status"]))
    if (final && JSON.stringify(held) !== JSON.stringify(body)) this.problem(`session ${id} changed after its end`)
    if (method === "PATCH") {
      this.check(schemasOf[this.version].patches.Session, body, "PATCH Session")
      if (held === undefined) return unknown(2001)
      const before = Array.isArray(held["charging_periods"]) ? (held["charging_periods"] as ReadonlyArray<unknown>) : []
      const added = Array.isArray(body["charging_periods"]) ? (body["charging_periods"] as ReadonlyArray<unknown>) : []
      const periods = this.version === "2.1.1" ? {} : { charging_periods: [...before, ...added] }
      return this.put("sessions", this.sessions, key, { ...held, ...body, ...periods })
    }
    if (method !== "PUT") return notAllowed
    this.check(schemasOf[this.version].Session, body, "PUT Session")
    this.owned("Session", path, body)
    if (body["id"] !== id) this.problem(`PUT Session ${String(body["id"])} to ${id}`)
    if (Number(body["kwh"]) < Number(held?.["kwh"] ?? 0)) this.problem(`session ${id} has less energy than before`)
    return this.put("sessions", this.sessions, key, body)
  }

  private tariff({ body, method, path }: Received): Reply {
    const [country = "", party = "", id = "", ...more] = path
    if (more.length > 0 || id === "") return unknown(2000)
    const key = `${country}/${party}/${id}`
    if (method === "GET") return this.tariffs.has(key) ? ok(this.tariffs.get(key)) : unknown(2001)
    if (method === "DELETE") return this.tariffs.delete(key) ? ok() : unknown(2001)
    // PATCH exists in 2.1.1 only.
    if (method === "PATCH" && this.version === "2.1.1" && isJson(body)) {
      const held = this.tariffs.get(key)
      return held === undefined ? unknown(2001) : this.put("tariffs", this.tariffs, key, { ...held, ...body })
    }
    if (method !== "PUT") return notAllowed
    if (!isJson(body)) return invalid
    this.check(schemasOf[this.version].Tariff, body, "PUT Tariff")
    this.owned("Tariff", path, body)
    if (body["id"] !== id) this.problem(`PUT Tariff ${String(body["id"])} to ${id}`)
    return this.put("tariffs", this.tariffs, key, body)
  }

  private cdr({ body, method, path }: Received): Reply {
    if (method === "GET") {
      const held = this.cdrs.get(path[0] ?? "")
      return held === undefined ? unknown(2001) : ok(held)
    }
    if (method !== "POST" || path.length > 0) return notAllowed
    if (!isJson(body)) return invalid
    this.check(schemasOf[this.version].CDR, body, "POST CDR")
    const id = String(body["id"])
    const held = this.cdrs.get(id)
    if (held !== undefined && JSON.stringify(held) !== JSON.stringify(body)) this.problem(`CDR ${id} changed`)
    this.remember(`cdrs ${id}`, body)
    this.cdrs.set(id, body)
    return { ...(held === undefined ? created : ok()), headers: { location: this.cdrUrl(id) } }
  }
}
