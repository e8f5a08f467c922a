/** What truly happened at a charger, generated from a seed, and the orders in which a charger may send it. */
import type { ChargerEvent, ChargerTime } from "../../src/domain/charger/ChargerEvent.ts"
import { tokenKey } from "../../src/domain/token/Token.ts"
import { at, boot, ended, energy, evse, in1970, metered, minute, reading, started, status } from "./events.ts"
import type { ModelCharger } from "./modelCharger.ts"
import type { Random } from "./random.ts"

/** One transaction as it truly happened. */
export interface Transaction {
  readonly index: number
  readonly evseId: number
  readonly tokenUid: string
  readonly startedAt: number
  readonly endedAt: number
  readonly meterStartWh: number
  readonly meterStopWh: number
  /** False for a transaction that began offline and whose stop has no transaction id. */
  readonly named: boolean
  readonly startLost: boolean
  readonly stopLost: boolean
  /** The stop has no register. */
  readonly stopBlind: boolean
  /** The charger's clock was never set. */
  readonly clock1970: boolean
}

/** One message of a history. Its content may depend on the id in the answer to its start. */
export interface Message {
  readonly transaction: Transaction
  readonly kind: "start" | "meter" | "stop"
  readonly time: number
  readonly event: (transactionId: number | undefined) => ChargerEvent
}

export interface HistoryOptions {
  readonly connectors: number
  readonly transactions: number
  /** Tokens that transactions share; with `ownTokens`, transactions without an id have tokens of their own. */
  readonly tokens: ReadonlyArray<string>
  readonly ownTokens: boolean
  readonly blind: boolean
  readonly clocks1970: boolean
}

/** Successive transactions on each connector, whose register only grows. */
export const transactions = (random: Random, options: HistoryOptions): ReadonlyArray<Transaction> => {
  const free = Array.from({ length: options.connectors }, () => ({ time: 0, register: random.between(0, 50_000) }))
  return Array.from({ length: options.transactions }, (_, index) => {
    const evseId = random.between(1, options.connectors)
    const connector = free[evseId - 1]!
    const from = connector.time + random.between(0, 20)
    const to = from + random.between(1, 60)
    const named = random.chance(0.6)
    const startLost = !named && random.chance(0.2)
    const transaction: Transaction = {
      index,
      evseId,
      tokenUid: !named && options.ownTokens ? `OWN-${index}` : random.pick(options.tokens),
      startedAt: minute(from),
      endedAt: minute(to),
      meterStartWh: connector.register,
      meterStopWh: connector.register + random.between(0, 30_000),
      named,
      startLost,
      stopLost: !startLost && random.chance(0.15),
      stopBlind: options.blind && random.chance(0.1),
      clock1970: options.clocks1970 && named && random.chance(0.2)
    }
    connector.time = to + random.between(1, 5)
    connector.register = transaction.meterStopWh
    return transaction
  })
}

/** All messages of the charger about them, in the order in which they happened. */
export const messagesOf = (all: ReadonlyArray<Transaction>, random: Random): ReadonlyArray<Message> =>
  all
    .flatMap((transaction): ReadonlyArray<Message> => {
      const { endedAt, evseId, index, meterStartWh, meterStopWh, named, startedAt, tokenUid } = transaction
      const clock = (time: number): ChargerTime =>
        transaction.clock1970 ? in1970(1 + index * 100_000 + (time - minute(0)) / 1000) : at(time)
      const place = evse(evseId)
      const nameOf = (id: number | undefined): number | undefined => (named ? id : undefined)
      const start: Message = {
        transaction,
        kind: "start",
        time: startedAt,
        event: () => started({ place, tokenUid, time: clock(startedAt), meterStartWh })
      }
      const meters = Array.from({ length: random.between(0, 3) }, (_, n): Message => {
        const time = startedAt + Math.floor(((endedAt - startedAt) * (n + 1)) / 4)
        const wh = meterStartWh + Math.floor(((meterStopWh - meterStartWh) * (n + 1)) / 4)
        const readings = [reading(clock(time), energy(wh))]
        return { transaction, kind: "meter", time, event: (id) => metered(nameOf(id), readings, { place }) }
      })
      const stop: Message = {
        transaction,
        kind: "stop",
        time: endedAt,
        event: (id) =>
          ended(nameOf(id), {
            rawTransactionId: named ? String(id) : "-1",
            tokenUid,
            time: clock(endedAt),
            meterStopWh: transaction.stopBlind ? undefined : meterStopWh
          })
      }
      return [...(transaction.startLost ? [] : [start]), ...meters, ...(transaction.stopLost ? [] : [stop])]
    })
    .toSorted((a, b) => a.time - b.time)

/** Each message once or several times; repeats may be anywhere after the first. */
export const doubled = (order: ReadonlyArray<Message>, random: Random): ReadonlyArray<Message> => {
  const result = [...order]
  for (const message of order) {
    for (let n = random.between(0, 2); n > 0; n--) {
      result.splice(random.between(result.indexOf(message) + 1, result.length), 0, message)
    }
  }
  return result
}

/** Any order in which no message has a transaction id before its start was answered once. */
export const shuffled = (order: ReadonlyArray<Message>, random: Random): ReadonlyArray<Message> => {
  const sentStarts = new Set<Transaction>()
  const waiting: Array<Message> = []
  const result: Array<Message> = []
  for (const message of random.shuffled(order)) {
    const { kind, transaction } = message
    if (kind !== "start" && transaction.named && !sentStarts.has(transaction)) {
      waiting.push(message)
      continue
    }
    result.push(message)
    if (kind !== "start" || sentStarts.has(transaction)) continue
    sentStarts.add(transaction)
    const released = random.shuffled(waiting.filter((other) => other.transaction === transaction))
    for (const other of released) {
      waiting.splice(waiting.indexOf(other), 1)
      result.push(other)
    }
  }
  return result
}

/** No connector is reported as Available: if a refused transaction is still running there, that would be false, and the service would believe it. */
const noise: ReadonlyArray<(random: Random) => ChargerEvent> = [
  () => ({ _tag: "HeartbeatReceived" }),
  () => boot(),
  (random) =>
    status({
      place: evse(random.between(0, 3)),
      status: random.pick(["Preparing", "Charging", "Finishing"]),
      time: at(minute(random.between(0, 300)))
    }),
  () => ({ _tag: "AuthorizationAsked", tokenUid: "ANNA" })
]

export interface SendOptions {
  /** The probability, before each message, that another message comes, that the state is dropped, and that a commit's outcome is lost. */
  readonly trouble: number
}

/** Sends the messages; returns the transaction ids in the answers to each start, in order. */
export const sendAll = (
  charger: ModelCharger,
  order: ReadonlyArray<Message>,
  random: Random,
  { trouble }: SendOptions
): ReadonlyMap<Transaction, ReadonlyArray<number>> => {
  const answers = new Map<Transaction, Array<number>>()
  for (const { event, transaction } of order) {
    if (random.chance(trouble)) charger.say(random.pick(noise)(random))
    if (random.chance(trouble)) charger.forget()
    if (random.chance(trouble)) charger.reconnect()
    charger.loseNextOutcome = random.chance(trouble)
    charger.now += random.between(0, 600_000)
    const ids = answers.get(transaction) ?? []
    const { reply } = charger.say(event(ids[0]))
    if (reply._tag === "Refused") throw new Error(`a transaction message was refused: ${reply.description}`)
    if (reply._tag === "StartAnswered") answers.set(transaction, [...ids, reply.transactionId])
  }
  charger.loseNextOutcome = false
  return answers
}

/** Identifies a session by the content of its start, as the journal stores it. */
export const identity = (
  parts: { readonly evseId: number; readonly tokenUid: string; readonly meterStartWh: number },
  rawAt: string | undefined
): string => `${parts.evseId} ${tokenKey(parts.tokenUid)} ${parts.meterStartWh} ${rawAt ?? "-"}`

/**
 * The reason for a hold because of its figures. Whether the card was accepted depends on what else was running at that time, so that reason is left
 * out.
 */
const doubtOf = (heldReason: string | undefined) => (heldReason === "NotAuthorized" ? undefined : heldReason)

/** The sessions of a charger in the journal: start, end, energy, and the reason for a hold. */
export const ledger = (charger: ModelCharger): ReadonlyMap<string, object> =>
  new Map(
    charger.sessions
      .map(({ end, start }): [string, object] => [
        identity(start.body, start.body.rawAt),
        {
          startedAt: start.at,
          endedAt: end?.at,
          energyWh: end?.body.energyWh,
          heldReason: doubtOf(end?.body.heldReason)
        }
      ])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
