/**
 * An organisation in the running service, an operator's key to it, and stations that connect to it: what every certification case needs. The
 * service is that of the test worker, or one of the file's own where the file has settings of its own. Each case has a charger and cards of
 * its own.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { Service } from "../simulation/Process.ts"
import { Rest } from "../simulation/Rest.ts"
import { sharedService, testSettings } from "../simulation/SharedService.ts"
import { until } from "../simulation/Wait.ts"
import { Station } from "./Station.ts"

type Json = Readonly<Record<string, unknown>>

export interface CommandShown extends Json {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly result: Json | null
  readonly sentAt: string | null
  readonly completedAt: string | null
  readonly sessionId: string | null
}

/** Two letters or digits behind one letter, other ones each time; Symbol.for since modules may be loaded anew for each file of a worker. */
const counter = Symbol.for("voltlane.tests.parties")
const nextPartyId = (): string => {
  const made = globalThis as { [counter]?: number }
  made[counter] = (made[counter] ?? 0) + 1
  return `C${made[counter].toString(36).toUpperCase().padStart(2, "0")}`
}

export interface Organisation {
  readonly countryCode: string
  readonly partyId: string
  readonly apiKey: string
  /** REST v2 with its first key, which may do everything. */
  readonly rest: Rest
}

export class World {
  private running: Service | undefined
  private own: Organisation | undefined

  /** With `env` the file has a service of its own, with these settings beside those of tests. */
  constructor(env?: Readonly<Record<string, string>>) {
    beforeAll(async () => {
      this.running = env === undefined ? await sharedService() : await Service.start(testSettings(env))
      this.own = await this.organise("Cases")
      await this.post("sites", { name: "Cases" })
    })
    afterAll(async () => {
      if (env !== undefined) await this.running?.[Symbol.asyncDispose]()
    })
  }

  /** Another organisation in the same service. */
  async organise(name: string): Promise<Organisation> {
    const party = { countryCode: "NL", partyId: nextPartyId() }
    const { status, text } = await this.service.rest.request("POST", "organisations", { name, ...party })
    if (status !== 201) throw new Error(`an organisation could not be made: ${status} ${text}`)
    const apiKey = String((JSON.parse(text) as Json)["apiKey"])
    return { ...party, apiKey, rest: new Rest(this.service.url, apiKey) }
  }

  get service(): Service {
    if (this.running === undefined) throw new Error("the service has not started")
    return this.running
  }

  get organisation(): Organisation {
    if (this.own === undefined) throw new Error("the organisation has not been made")
    return this.own
  }

  get rest(): Rest {
    return this.organisation.rest
  }

  /** Sends a request to REST v2 and returns the answer; a refusal is an error unless its status is the expected one. */
  async ask(method: string, path: string, body?: unknown, expected?: number): Promise<Json> {
    const { status, text } = await this.rest.request(method, path, body)
    const fits = expected === undefined ? status >= 200 && status < 300 : status === expected
    if (!fits) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 600)}`)
    return text === "" ? {} : (JSON.parse(text) as Json)
  }

  get(path: string): Promise<Json> {
    return this.ask("GET", path)
  }

  post(path: string, body: unknown, expected?: number): Promise<Json> {
    return this.ask("POST", path, body, expected)
  }

  async items(path: string): Promise<ReadonlyArray<Json>> {
    return (await this.get(path))["items"] as ReadonlyArray<Json>
  }

  /** A new card. */
  async card(more: Json = {}): Promise<string> {
    const uid = `C${randomUUID().replaceAll("-", "").slice(0, 15).toUpperCase()}`
    await this.post("tokens", { uid, ...more })
    return uid
  }

  async charger(more: Json = {}): Promise<string> {
    const chargerId = `CASE-${randomUUID().slice(0, 8)}`
    await this.post("chargers", { name: chargerId, chargerId, ...more })
    return chargerId
  }

  /** A station that has connected, booted and reported its connectors. */
  async station(
    chargerId?: string,
    options: object = {},
    prepare: (station: Station) => void = () => {}
  ): Promise<{ readonly id: string; readonly station: Station }> {
    const id = chargerId ?? (await this.charger())
    const station = new Station(this.service.ocppUrl, id, options)
    // Commands that wait for it are sent as soon as it has booted.
    prepare(station)
    onTestFinished(() => station.close())
    await station.connect()
    await station.boot()
    await station.status(0, "Available")
    await station.status(1, "Available")
    await station.status(2, "Available")
    return { id, station }
  }

  /** Sends a command and waits for its result. */
  async command(chargerId: string, type: string, parameters: Json = {}): Promise<CommandShown> {
    return (await this.post(`chargers/${chargerId}/commands?wait=30`, { type, ...parameters })) as CommandShown
  }

  /** Waits until a REST request is answered as expected. */
  async eventually(what: string, path: string, holds: (answer: Json) => boolean): Promise<Json> {
    let last: Json = {}
    await until(
      () => `${what}: ${JSON.stringify(last).slice(0, 600)}`,
      30_000,
      async () => {
        last = await this.get(path)
        return holds(last)
      }
    )
    return last
  }

  async sessionOf(chargerId: string): Promise<Json> {
    const [session] = await this.items(`sessions?chargerId=${chargerId}`)
    if (session === undefined) throw new Error("there is no session")
    return session
  }

  /** The status of a connector, as in REST. */
  async connectorStatus(chargerId: string, connectorId: number): Promise<unknown> {
    const sockets = (await this.get(`chargers/${chargerId}`))["sockets"] as ReadonlyArray<Json>
    return sockets.find(({ id }) => id === connectorId)?.["status"]
  }

  /** The messages of an action between the charger and us. */
  async messages(chargerId: string, action: string): Promise<ReadonlyArray<Json>> {
    return this.items(`chargers/${chargerId}/messages?action=${action}&limit=100`)
  }
}
