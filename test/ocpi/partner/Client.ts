/** The calling half of a partner: requests to the CPO, and strict checks of each answer. */
import { randomUUID } from "node:crypto"
import { envelopeOf, type Version } from "../schemas/Schemas.ts"
import type { Check } from "../schemas/Shape.ts"
import { authorization, field, isJson, type Json, nextPage, send, transportOf } from "./Wire.ts"

/** A CPO's answer. */
export interface Answer {
  readonly http: number
  readonly code: unknown
  readonly data: unknown
  readonly message: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Asked {
  readonly token: string
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The party that the request is for and the one that it is from, from 2.2 on. */
  readonly from?: Json | undefined
  readonly to?: Json | undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const routing = (direction: "from" | "to", party: Json | undefined): Readonly<Record<string, string>> =>
  party === undefined
    ? {}
    : {
        [`OCPI-${direction}-country-code`]: String(party["country_code"]),
        [`OCPI-${direction}-party-id`]: String(party["party_id"])
      }

/** A longer list is treated as endless. */
const pagesMax = 1000

export class Client {
  private readonly version: Version
  private readonly problem: (text: string) => void
  /** The text of every answer, to check what must not appear in any. */
  readonly answers: Array<string> = []

  constructor(version: Version, problem: (text: string) => void) {
    this.version = version
    this.problem = problem
  }

  async ask(method: string, url: string, { body, from, headers, raw, to, token }: Asked): Promise<Answer> {
    const { base64, modern } = transportOf(this.version)
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const ids = { "x-request-id": randomUUID(), "x-correlation-id": randomUUID() }
    const sent: Record<string, string> = {
      authorization: authorization(token, base64),
      ...(modern ? { ...ids, ...routing("from", from), ...routing("to", to) } : {}),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    }
    const got = await send({ method, url, headers: sent, body: text })
    this.answers.push(got.text)
    const what = `${method} ${url} (${got.http})`
    const envelope = parsed(got.text)
    for (const fault of envelopeOf[this.version](envelope, what)) this.problem(fault)
    if (!(got.headers["content-type"] ?? "").startsWith("application/json"))
      this.problem(`${what}: no JSON by its type`)
    if (modern) {
      for (const name of ["x-request-id", "x-correlation-id"]) {
        const sentValue = Object.entries(sent).find(([one]) => one.toLowerCase() === name)?.[1]
        if (sentValue !== undefined && got.headers[name] !== sentValue) this.problem(`${what}: ${name} was not echoed`)
      }
    }
    return {
      http: got.http,
      code: field(envelope, "status_code"),
      data: field(envelope, "data"),
      message: field(envelope, "status_message"),
      headers: got.headers,
      text: got.text
    }
  }

  /** Checks the data of a successful answer and returns it. Fails with the answer otherwise. */
  expect(answer: Answer, check: Check, what: string): Json {
    if (answer.http >= 300 || answer.code !== 1000 || !isJson(answer.data)) {
      throw new Error(`${what} was answered ${answer.http}: ${answer.text.slice(0, 600)}`)
    }
    for (const fault of check(answer.data, what)) this.problem(fault)
    return answer.data
  }

  /** All pages of a list, in order. */
  async pages(url: string, asked: Asked, check: Check, what: string): Promise<ReadonlyArray<Json>> {
    const items: Array<Json> = []
    const seen = new Set<string>()
    let next: string | undefined = url
    while (next !== undefined) {
      if (seen.has(next) || seen.size > pagesMax) throw new Error(`${what} has no end: ${next}`)
      seen.add(next)
      const answer: Answer = await this.ask("GET", next, asked)
      if (answer.http !== 200 || answer.code !== 1000 || !Array.isArray(answer.data)) {
        throw new Error(`${what} was answered ${answer.http}: ${answer.text.slice(0, 600)}`)
      }
      const page = answer.data as ReadonlyArray<Json>
      for (const [i, item] of page.entries()) {
        for (const fault of check(item, `${what}[${items.length + i}]`)) this.problem(fault)
      }
      items.push(...page)
      next = nextPage(answer.headers["link"])
      this.counts(answer, items.length, page.length, next, what)
    }
    return items
  }

  private counts({ headers }: Answer, soFar: number, page: number, next: string | undefined, what: string): void {
    const [total, limit] = [headers["x-total-count"], headers["x-limit"]]
    if (!/^\d+$/.test(total ?? "")) this.problem(`${what}: no X-Total-Count`)
    if (!/^[1-9]\d*$/.test(limit ?? "")) this.problem(`${what}: no X-Limit`)
    if (page > Number(limit)) this.problem(`${what}: ${page} objects where X-Limit is ${String(limit)}`)
    if (next === undefined && soFar > Number(total)) this.problem(`${what}: ${soFar} of ${String(total)} came`)
    if (next !== undefined && page === 0) this.problem(`${what}: an empty page that is not the last`)
  }
}
