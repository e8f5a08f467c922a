/** What truly happened at a charger, made up from a seed, and the ways in which a charger may come to tell it. */
import type { ChargerEvent, ChargerTime } from "../../src/domain/charger/ChargerEvent.ts"
import { tokenKey } from "../../src/domain/token/Token.ts"
import { at, boot, ended, energy, evse, in1970, metered, minute, reading, started, status } from "./events.ts"
import type { ModelCharger } from "./modelCharger.ts"
import type { Random } from "./random.ts"

/** One transaction as it truly was. */
export interface Transaction {
  readonly index: number
  readonly evseId: number
  readonly tokenUid: string
  readonly startedAt: number
  readonly endedAt: number
  readonly meterStartWh: number
  readonly meterStopWh: number
  /** False for one that was begun offline and whose stop names none. */
  readonly named: boolean
  readonly startLost: boolean
  readonly stopLost: boolean
  /** The stop's register is missing. */
  readonly stopBlind: boolean
  /** The charger's clock was never set. */
  readonly clock1970: boolean
}

/** One message of a history; what it says may depend on the id that its start was answered with. */
export interface Telling {
  readonly transaction: Transaction
  readonly kind: "start" | "meter" | "stop"
  readonly time: number
  readonly event: (transactionId: number | undefined) => ChargerEvent
}

export interface HistoryOptions {
  readonly connectors: number
  readonly transactions: number
  /** Tokens that transactions share; those of unnamed ones are their own when `ownTokens` is set. */
  readonly tokens: ReadonlyArray<string>
  readonly ownTokens: boolean
  readonly blind: boolean
  readonly clocks1970: boolean
}

/** Transactions follow one another on each connector, whose register only grows. */
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

/** All that the charger tells of them, in the order in which it happened. */
export const tellings = (all: ReadonlyArray<Transaction>, random: Random): ReadonlyArray<Telling> =>
  all
    .flatMap((transaction): ReadonlyArray<Telling> => {
      const { endedAt, evseId, index, meterStartWh, meterStopWh, named, startedAt, tokenUid } = transaction
      const clock = (time: number): ChargerTime =>
        transaction.clock1970 ? in1970(1 + index * 100_000 + (time - minute(0)) / 1000) : at(time)
      const place = evse(evseId)
      const nameOf = (id: number | undefined): number | undefined => (named ? id : undefined)
      const start: Telling = {
        transaction,
        kind: "start",
        time: startedAt,
        event: () => started({ place, tokenUid, time: clock(startedAt), meterStartWh })
      }
      const meters = Array.from({ length: random.between(0, 3) }, (_, n): Telling => {
        const time = startedAt + Math.floor(((endedAt - startedAt) * (n + 1)) / 4)
        const wh = meterStartWh + Math.floor(((meterStopWh - meterStartWh) * (n + 1)) / 4)
        const readings = [reading(clock(time), energy(wh))]
        return { transaction, kind: "meter", time, event: (id) => metered(nameOf(id), readings, { place }) }
      })
      const stop: Telling = {
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

/** Each message once or several times, the repeats anywhere after the first. */
export const doubled = (order: ReadonlyArray<Telling>, random: Random): ReadonlyArray<Telling> => {
  const result = [...order]
  for (const telling of order) {
    for (let n = random.between(0, 2); n > 0; n--) {
      result.splice(random.between(result.indexOf(telling) + 1, result.length), 0, telling)
    }
  }
  return result
}

/** Any order at all, but that nothing can name a transaction before its start was answered once. */
export const shuffled = (order: ReadonlyArray<Telling>, random: Random): ReadonlyArray<Telling> => {
  const told = new Set<Transaction>()
  const waiting: Array<Telling> = []
  const result: Array<Telling> = []
  for (const telling of random.shuffled(order)) {
    const { kind, transaction } = telling
    if (kind !== "start" && transaction.named && !told.has(transaction)) {
      waiting.push(telling)
      continue
    }
    result.push(telling)
    if (kind !== "start" || told.has(transaction)) continue
    told.add(transaction)
    const released = random.shuffled(waiting.filter((other) => other.transaction === transaction))
    for (const other of released) {
      waiting.splice(waiting.indexOf(other), 1)
      result.push(other)
    }
  }
  return result
}

/** No connector is said to be free: of one where a refused transaction truly goes on that would be a lie, and is believed. */
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

export interface TellingOptions {
  /** How likely, before each message, other messages come, the state is dropped, or a commit's outcome is lost. */
  readonly trouble: number
}

/** The charger tells; gives the transaction ids that each start was answered with, in order. */
export const tell = (
  charger: ModelCharger,
  order: ReadonlyArray<Telling>,
  random: Random,
  { trouble }: TellingOptions
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

/** A session by what its start said, as the journal has it. */
export const identity = (
  parts: { readonly evseId: number; readonly tokenUid: string; readonly meterStartWh: number },
  rawAt: string | undefined
): string => `${parts.evseId} ${tokenKey(parts.tokenUid)} ${parts.meterStartWh} ${rawAt ?? "-"}`

/** What is doubted of its figures. Whether the card was let in depends on what else ran when that was asked, and is no part of it. */
const doubtOf = (heldReason: string | undefined) => (heldReason === "NotAuthorized" ? undefined : heldReason)

/** The sessions of a charger in the journal: start, end, energy, and what is wrong with them. */
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
