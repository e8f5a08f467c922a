/**
 * The traffic at the connectors of a simulated charger: cars come, charge and leave, at random and whether or not there
 * is a connection. Each event is a transaction message in the charger's queue and a line in the history.
 */
import { between, pick, type Random } from "./Choice.ts"
import type { Reading, Stop, Attempts, Transaction } from "./History.ts"
import { heartbeat, SimulatedCharger, status, type ChargerSettings } from "./SimulatedCharger.ts"

export interface ChargingSettings extends ChargerSettings {
  /** One card for each connector, so that no two transactions ever share one at the same time. */
  readonly idTags: ReadonlyArray<string>
  /** Mean pause between two events at the charger, in ms. */
  readonly slowestMillis: number
  /** The share of acknowledged starts and stops that the charger repeats, as if it had received no answer (0 … 1). */
  readonly repeats: number
}

/** A charger that is offline queues messages; a test of minutes needs no more than this. */
const maxBacklog = 40

const reasons = ["Local", "EVDisconnected", "Remote", "PowerLoss"] as const

interface Connector {
  readonly id: number
  readonly idTag: string
  registerWh: number
  transaction: Transaction | undefined
}

const noAttempts = (): Attempts => ({ sent: 0, acknowledged: 0 })
const iso = (at: number): string => new Date(at).toISOString()

export class ChargingCharger extends SimulatedCharger {
  readonly transactions: Array<Transaction> = []
  readonly charging: ChargingSettings
  private readonly connectors: ReadonlyArray<Connector>
  private readonly random: Random
  private timer: NodeJS.Timeout | undefined
  private clock = 0

  constructor(settings: ChargingSettings) {
    super(settings)
    this.charging = settings
    this.random = settings.random
    this.connectors = settings.idTags.map((idTag, index) => ({
      id: index + 1,
      idTag,
      registerWh: between(settings.random, 0, 5_000_000),
      transaction: undefined
    }))
  }

  /** Lets cars come and go until `endTraffic`. */
  beginTraffic(): void {
    clearTimeout(this.timer)
    this.scheduleNext()
  }

  /** Ends the traffic. With `finish`, charging cars leave first, so that every session ends. */
  endTraffic(finish: boolean): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (finish) for (const connector of this.connectors) if (connector.transaction !== undefined) this.stopAt(connector)
  }

  /** One random event, now; traffic consists of these. */
  happen(): void {
    const connector = pick(this.random, this.connectors)
    const { transaction } = connector
    if (transaction === undefined) this.startAt(connector)
    else if (transaction.readings.length >= 1 && this.random() < 0.35) this.stopAt(connector)
    else this.readAt(connector)
    if (this.random() < 0.1) this.mention(this.random() < 0.5 ? heartbeat : status(connector.id, "Preparing"))
  }

  private scheduleNext(): void {
    // Exponential pauses: chargers are independent of one another.
    const wait = Math.min(10, -Math.log(1 - this.random())) * this.charging.slowestMillis
    this.timer = setTimeout(() => {
      if (this.backlog < maxBacklog) this.happen()
      this.scheduleNext()
    }, wait)
  }

  /** The charger's clock in ms; never returns the same time twice. */
  private tick(): number {
    this.clock = Math.max(this.clock + 1, Date.now())
    return this.clock
  }

  private startAt(connector: Connector): void {
    const transaction: Transaction = {
      chargerId: this.id,
      connectorId: connector.id,
      idTag: connector.idTag,
      startedAt: this.tick(),
      meterStartWh: connector.registerWh,
      start: noAttempts(),
      transactionIds: new Set(),
      readings: [],
      stop: undefined
    }
    connector.transaction = transaction
    this.transactions.push(transaction)
    this.mention(status(connector.id, "Preparing"))
    const message = {
      action: "StartTransaction",
      payload: () => ({
        connectorId: connector.id,
        idTag: transaction.idTag,
        meterStart: transaction.meterStartWh,
        timestamp: iso(transaction.startedAt)
      }),
      onSent: () => void transaction.start.sent++,
      onResult: (answer: Readonly<Record<string, unknown>>) => {
        transaction.start.acknowledged++
        this.noteStart(transaction, answer)
        if (transaction.start.acknowledged === 1) this.maybeRepeat(message)
      }
    }
    this.enqueue(message)
  }

  private noteStart(transaction: Transaction, answer: Readonly<Record<string, unknown>>): void {
    const id = answer["transactionId"]
    if (typeof id !== "number" || !Number.isInteger(id) || id <= 0 || id > 0x7fff_ffff) {
      this.problems.push(`StartTransaction was answered ${JSON.stringify(answer)}`)
      return
    }
    transaction.transactionIds.add(id)
    if (transaction.transactionIds.size > 1) {
      this.problems.push(`one StartTransaction was given the ids ${[...transaction.transactionIds].join(" and ")}`)
    }
    const info = JSON.stringify(answer["idTagInfo"] ?? null)
    if (!info.includes(`"Accepted"`)) this.problems.push(`${transaction.idTag} was answered ${info}`)
  }

  private readAt(connector: Connector): void {
    const { transaction } = connector
    if (transaction === undefined) return
    connector.registerWh += between(this.random, 0, 400)
    const reading: Reading = { at: this.tick(), wh: connector.registerWh, attempts: noAttempts() }
    transaction.readings.push(reading)
    this.enqueue({
      action: "MeterValues",
      payload: () => ({
        connectorId: connector.id,
        transactionId: idOf(transaction),
        meterValue: [
          {
            timestamp: iso(reading.at),
            sampledValue: [
              { value: String(reading.wh), measurand: "Energy.Active.Import.Register", unit: "Wh" },
              { value: "7400", measurand: "Power.Active.Import", unit: "W" }
            ]
          }
        ]
      }),
      onSent: () => void reading.attempts.sent++,
      onResult: () => void reading.attempts.acknowledged++
    })
  }

  private stopAt(connector: Connector): void {
    const { transaction } = connector
    if (transaction === undefined) return
    connector.transaction = undefined
    connector.registerWh += between(this.random, 0, 400)
    const stop: Stop = {
      at: this.tick(),
      meterStopWh: connector.registerWh,
      reason: pick(this.random, reasons),
      attempts: noAttempts()
    }
    transaction.stop = stop
    const message = {
      action: "StopTransaction",
      payload: () => ({
        transactionId: idOf(transaction),
        idTag: transaction.idTag,
        meterStop: stop.meterStopWh,
        timestamp: iso(stop.at),
        reason: stop.reason
      }),
      onSent: () => void stop.attempts.sent++,
      onResult: () => {
        stop.attempts.acknowledged++
        if (stop.attempts.acknowledged === 1) this.maybeRepeat(message)
      }
    }
    this.enqueue(message)
    this.mention(status(connector.id, "Available"))
  }

  /** Repeats an acknowledged message, later than the messages after it; often after the whole session. */
  private maybeRepeat(message: Parameters<SimulatedCharger["mention"]>[0]): void {
    if (this.random() >= this.charging.repeats) return
    setTimeout(
      () => {
        if (this.online) this.charging.tally.add("repeats")
        this.mention(message)
      },
      between(this.random, 0, 10_000)
    )
  }
}

/** The transaction id from the answer to the start. Nothing else of the transaction may be sent before that answer. */
const idOf = (transaction: Transaction): number => {
  const [id] = transaction.transactionIds
  if (id === undefined) throw new Error("a message of a transaction was sent before its start was answered")
  return id
}
