/** Many simulated chargers as one: registered through REST, switched on and off together, and checked together. */
import { brokenPromises, figures, type Stored } from "./Checker.ts"
import { ChargingCharger } from "./Charging.ts"
import { randomOf } from "./Choice.ts"
import { snapshot, Tally, type Transaction } from "./History.ts"
import type { Service } from "./Process.ts"
import type { Rest, RestSession } from "./Rest.ts"
import { until } from "./Wait.ts"

export interface FleetSettings {
  readonly chargers: number
  /** Security profile 1 with a password each, or profile 0. */
  readonly passwords: boolean
  readonly connectors: number
  /** The address that the chargers dial: the service, or a proxy before it. */
  readonly url?: string
  /** Mean pause between two events at one charger, in ms. */
  readonly slowestMillis: number
  readonly repeats: number
  readonly answerLimitMillis: number
}

const defaults: FleetSettings = {
  chargers: 200,
  passwords: true,
  connectors: 2,
  slowestMillis: 500,
  repeats: 0.02,
  answerLimitMillis: 20_000
}

/** A bound on liveness: normally all chargers are back long before. */
const onlineLimitMillis = 90_000

/** Readings are requested per session: over REST a few sessions must be enough; the final check reads all of them by SQL. */
const sessionsLookedInto = 20

const fromRest = (session: RestSession) => ({
  ...session,
  transactionId: Number(session.transactionId),
  startedAt: Date.parse(session.startedAt),
  endedAt: session.endedAt === null ? undefined : Date.parse(session.endedAt),
  meterStopWh: session.meterStopWh ?? undefined,
  energyWh: session.energyWh ?? 0,
  stopReason: session.stopReason ?? undefined
})

export class Fleet {
  readonly chargers: ReadonlyArray<ChargingCharger>
  readonly tally = new Tally()
  private readonly rest: Rest

  private constructor(rest: Rest, make: (tally: Tally) => ReadonlyArray<ChargingCharger>) {
    this.rest = rest
    this.chargers = make(this.tally)
  }

  /** Registers a fleet with the service; nothing is switched on yet. `name` is the prefix of its ids and its random sequences. */
  static async register(service: Service, name: string, wanted: Partial<FleetSettings> = {}): Promise<Fleet> {
    const settings = { ...defaults, ...wanted }
    const url = settings.url ?? service.ocppUrl
    const fleet = new Fleet(service.rest, (tally) =>
      Array.from({ length: settings.chargers }, (_, index) => {
        const id = `${name}-${String(index).padStart(4, "0")}`
        const random = randomOf(id)
        return new ChargingCharger({
          id,
          url,
          random,
          tally,
          password: settings.passwords ? `Simulated-${id}` : undefined,
          boots: random() < 0.5 ? "always" : "once",
          answerLimitMillis: settings.answerLimitMillis,
          idTags: Array.from({ length: settings.connectors }, (_, connector) => `${id}.${connector + 1}`),
          slowestMillis: settings.slowestMillis,
          repeats: settings.repeats
        })
      })
    )
    await service.rest.register(
      fleet.chargers.map((charger) => ({ id: charger.id, password: charger.settings.password })),
      fleet.chargers.flatMap((charger) => charger.charging.idTags)
    )
    return fleet
  }

  get transactions(): ReadonlyArray<Transaction> {
    return this.chargers.flatMap((charger) => charger.transactions)
  }

  get problems(): ReadonlyArray<string> {
    return this.chargers.flatMap((charger) => charger.problems.map((problem) => `${charger.id}: ${problem}`))
  }

  start(): void {
    for (const charger of this.chargers) charger.start()
  }

  beginTraffic(): void {
    for (const charger of this.chargers) charger.beginTraffic()
  }

  async stop(): Promise<void> {
    await Promise.all(this.chargers.map((charger) => charger.stop()))
  }

  get online(): number {
    return this.chargers.filter((charger) => charger.online).length
  }

  /** Waits until every charger is connected and the service reports it so; returns how long the chargers took, in ms. */
  async allOnline(): Promise<number> {
    const since = performance.now()
    await until(
      () => `all online: ${this.online} of ${this.chargers.length}; ${this.tally.toString()}`,
      onlineLimitMillis,
      () => this.online === this.chargers.length
    )
    const took = performance.now() - since
    await until(
      () => "REST says activeConnection of every charger, and so does the database",
      onlineLimitMillis,
      async () =>
        (await this.rest.chargers()).filter((charger) => charger.activeConnection).length === this.chargers.length &&
        (await this.rest.connected()) === this.chargers.length
    )
    return took
  }

  /** Ends the traffic, lets every car leave, and waits until each charger has sent everything. */
  async settle(): Promise<void> {
    for (const charger of this.chargers) charger.endTraffic(true)
    await until(
      () =>
        `every queue empty: ${this.chargers.reduce((sum, charger) => sum + charger.backlog, 0)} messages left; ` +
        this.tally.toString(),
      onlineLimitMillis,
      () => this.chargers.every((charger) => charger.idle)
    )
  }

  /** Broken promises among sessions that began at or after `since`, read over REST while the chargers go on. */
  async brokenOverRest(since = 0): Promise<ReadonlyArray<string>> {
    const before = snapshot(this.transactions.filter((transaction) => transaction.startedAt >= since))
    const sessions = (await this.rest.sessions(since === 0 ? undefined : since)).map(fromRest)
    const readings = new Map<string, ReadonlyArray<{ readonly at: number; readonly energyWh: number | undefined }>>()
    for (const { id } of sessions.slice(0, sessionsLookedInto)) readings.set(id, await this.rest.readings(id))
    return [...this.problems, ...brokenPromises(before, { sessions, readings }, this.transactions, since)]
  }

  /** Broken promises among all stored data, which `read` returns. */
  async broken(read: () => Promise<Stored>): Promise<ReadonlyArray<string>> {
    const before = snapshot(this.transactions)
    const stored = await read()
    return [...this.problems, ...brokenPromises(before, stored, this.transactions)]
  }

  get figures(): ReturnType<typeof figures> {
    return figures(this.transactions)
  }
}
