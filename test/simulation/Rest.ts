/** REST v2 as an operator's script uses it: what the tests register and read back. */
import { Schema } from "effect"
import { inParallel } from "./Wait.ts"

const RestSession = Schema.Struct({
  id: Schema.String,
  chargerId: Schema.String,
  evseId: Schema.Finite,
  transactionId: Schema.Union([Schema.String, Schema.Finite]),
  tokenUid: Schema.String,
  status: Schema.String,
  startedAt: Schema.String,
  endedAt: Schema.NullOr(Schema.String),
  energyWh: Schema.NullOr(Schema.Finite),
  meterStartWh: Schema.Finite,
  meterStopWh: Schema.NullOr(Schema.Finite),
  stopReason: Schema.NullOr(Schema.String),
  heldReason: Schema.NullOr(Schema.String)
})
export type RestSession = typeof RestSession.Type

const Page = Schema.Struct({ items: Schema.Array(Schema.Unknown), nextCursor: Schema.NullOr(Schema.String) })
const Charger = Schema.Struct({ chargerId: Schema.String, activeConnection: Schema.Boolean })
const Statistics = Schema.Struct({ connected: Schema.Finite })
const Reading = Schema.Struct({ at: Schema.String, energyWh: Schema.NullOr(Schema.Finite) })
export type RestCharger = typeof Charger.Type

const registrationsAtATime = 16

/** One answer: its status, and its text for error messages. */
export interface Answer {
  readonly status: number
  readonly text: string
}

export class Rest {
  readonly base: string
  private readonly key: string

  constructor(base: string, key: string) {
    this.base = base
    this.key = key
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await fetch(`${this.base}/cpo/v2/${path}`, {
      method,
      headers: {
        "x-api-key": this.key,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, text: await answer.text() }
  }

  private async ok(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await this.request(method, path, body)
    if (status < 200 || status > 299) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }

  /** All items of a list, read page by page. */
  async list(path: string): Promise<ReadonlyArray<unknown>> {
    const found: Array<unknown> = []
    let cursor: string | null = null
    do {
      const join: string = path.includes("?") ? "&" : "?"
      const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page: typeof Page.Type = Schema.decodeUnknownSync(Page)(
        await this.ok("GET", `${path}${join}limit=500${next}`)
      )
      found.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    return found
  }

  /** Sessions that began at or after `from` (ms epoch). */
  async sessions(from?: number): Promise<ReadonlyArray<RestSession>> {
    const filter = from === undefined ? "" : `?from=${encodeURIComponent(new Date(from).toISOString())}`
    return (await this.list(`sessions${filter}`)).map((item) => Schema.decodeUnknownSync(RestSession)(item))
  }

  /** The meter readings of a session, in order of the charger's time (ms epoch). */
  async readings(
    sessionId: string
  ): Promise<ReadonlyArray<{ readonly at: number; readonly energyWh: number | undefined }>> {
    return (await this.list(`sessions/${sessionId}/meter-values`)).map((item) => {
      const { at, energyWh } = Schema.decodeUnknownSync(Reading)(item)
      return { at: Date.parse(at), energyWh: energyWh ?? undefined }
    })
  }

  async chargers(): Promise<ReadonlyArray<RestCharger>> {
    return (await this.list("chargers")).map((item) => Schema.decodeUnknownSync(Charger)(item))
  }

  /** How many chargers the database reports as connected; a charger's own `activeConnection` is from the memory of the process. */
  async connected(): Promise<number> {
    return Schema.decodeUnknownSync(Statistics)(await this.ok("GET", "statistics")).connected
  }

  async charger(chargerId: string): Promise<RestCharger> {
    return Schema.decodeUnknownSync(Charger)(await this.ok("GET", `chargers/${encodeURIComponent(chargerId)}`))
  }

  /** Registers a site, chargers and cards. A charger without a password is on security profile 0. */
  async register(
    chargers: ReadonlyArray<{ readonly id: string; readonly password?: string | undefined }>,
    idTags: ReadonlyArray<string>
  ): Promise<void> {
    await this.ok("POST", "sites", { name: "Fault tests" })
    await inParallel(chargers, registrationsAtATime, ({ id, password }) =>
      this.ok("POST", "chargers", { name: id, chargerId: id, ...(password === undefined ? {} : { password }) })
    )
    await inParallel(idTags, registrationsAtATime, (uid) => this.ok("POST", "tokens", { uid }))
  }
}
