import { describe, expect, it } from "vitest"
import type { ChargerEvent, ChargerTime } from "../../../src/domain/charger/ChargerEvent.ts"
import type { ChargerState } from "../../../src/domain/charger/ChargerState.ts"
import { evolve } from "../../../src/domain/decide/Evolve.ts"
import {
  at,
  ended,
  energy,
  evse,
  in1970,
  metered,
  minute,
  noTime,
  reading,
  started,
  state,
  token
} from "../../support/events.ts"
import {
  doubled,
  type HistoryOptions,
  identity,
  ledger,
  messagesOf,
  sendAll,
  shuffled,
  type Transaction,
  transactions
} from "../../support/history.ts"
import { type ModelCharger, ModelService } from "../../support/modelCharger.ts"
import { forSeeds, type Random } from "../../support/random.ts"

const tokens = ["ANNA", "BERT", "CARLA"]

/** A charger with the clock past everything that happened, so that it reports all of it late. */
const charger = (): ModelCharger => {
  const service = new ModelService()
  for (const uid of tokens.slice(0, 2)) service.journal.tokens.set(uid.toLowerCase(), token(uid))
  const made = service.charger({ connectors: [] })
  made.now = minute(3000)
  return made
}

const options = (random: Random): HistoryOptions => ({
  connectors: random.between(1, 3),
  transactions: random.between(1, 10),
  tokens,
  ownTokens: false,
  blind: false,
  clocks1970: false
})

const startIdentity = (transaction: Transaction): string =>
  identity(transaction, new Date(transaction.startedAt).toISOString())

/** What must be stored in the end, calculated from what happened. */
const truth = (all: ReadonlyArray<Transaction>): ReadonlyMap<string, object> =>
  new Map(
    all
      .filter(({ startLost }) => !startLost)
      .map((transaction): [string, object] => {
        const { endedAt, meterStartWh, meterStopWh, startedAt, stopLost } = transaction
        return [
          startIdentity(transaction),
          {
            startedAt,
            endedAt: stopLost ? undefined : endedAt,
            energyWh: stopLost ? undefined : meterStopWh - meterStartWh,
            heldReason: undefined
          }
        ]
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

/** Every start has one transaction id, however often it was sent, and no other start has the same. */
const expectOneIdEach = (answers: ReadonlyMap<Transaction, ReadonlyArray<number>>): void => {
  const ids = [...answers.values()].map((given) => {
    expect(new Set(given).size).toBe(1)
    expect(given[0]).toBeGreaterThan(0)
    expect(given[0]).toBeLessThanOrEqual(0x7fffffff)
    return given[0]
  })
  expect(new Set(ids).size).toBe(ids.length)
}

describe("messages that a charger sends in order", () => {
  it("lead to the same sessions when some are repeated, state is dropped or commit outcomes are lost", () => {
    forSeeds(100, (random) => {
      const order = messagesOf(transactions(random, { ...options(random), blind: true }), random)
      const plain = charger()
      sendAll(plain, order, random, { trouble: 0 })
      const troubled = charger()
      const answers = sendAll(troubled, doubled(order, random), random, { trouble: 0.2 })
      expect(ledger(troubled)).toEqual(ledger(plain))
      expectOneIdEach(answers)
    })
  })

  it("lead to what really happened when no two sessions without a transaction id share a token", () => {
    forSeeds(80, (random) => {
      const all = transactions(random, { ...options(random), ownTokens: true })
      const one = charger()
      sendAll(one, messagesOf(all, random), random, { trouble: 0.1 })
      expect(ledger(one)).toEqual(truth(all))
    })
  })
})

describe("messages that a charger sends in any order", () => {
  it("lead to what really happened, even repeated, shuffled and with its state dropped", () => {
    forSeeds(150, (random) => {
      const all = transactions(random, { ...options(random), ownTokens: true })
      const one = charger()
      const order = shuffled(doubled(messagesOf(all, random), random), random)
      const answers = sendAll(one, order, random, { trouble: 0.2 })
      expect(ledger(one)).toEqual(truth(all))
      expectOneIdEach(answers)
    })
  })

  it("lead to the same energies even when its clock was in 1970 at times", () => {
    forSeeds(80, (random) => {
      const all = transactions(random, { ...options(random), ownTokens: true, clocks1970: true })
      const one = charger()
      const answers = sendAll(one, shuffled(doubled(messagesOf(all, random), random), random), random, {
        trouble: 0.2
      })
      expectOneIdEach(answers)
      const energies = one.sessions.map(({ end, start }) => `${start.body.meterStartWh} ${end?.body.energyWh}`)
      const expected = all
        .filter(({ startLost }) => !startLost)
        .map(
          ({ meterStartWh, meterStopWh, stopLost }) =>
            `${meterStartWh} ${stopLost ? undefined : meterStopWh - meterStartWh}`
        )
      expect(energies.toSorted()).toEqual(expected.toSorted())
    })
  })
})

/** Any message a charger may send, sensible or not, from few values so that they collide. */
const anything = (random: Random, known: ReadonlyArray<number>): ChargerEvent => {
  const time: ChargerTime = random.pick([
    at(minute(random.between(-10, 20))),
    at(minute(random.between(-10, 20))),
    in1970(random.between(0, 3)),
    at(minute(100_000)),
    { at: undefined, raw: "yesterday" },
    noTime
  ])
  const place = evse(random.between(0, 2))
  const tokenUid = random.pick(tokens)
  const wh = random.pick([undefined, 0, 1000, 2000, 3000])
  const transactionId = random.pick([undefined, undefined, 1, 2_000_000_000, ...known])
  const readings = Array.from({ length: random.between(0, 2) }, () => reading(time, energy(wh ?? "")))
  switch (random.between(0, 5)) {
    case 0:
    case 1:
      return started({ place, tokenUid, time, meterStartWh: wh })
    case 2:
    case 3:
      return ended(transactionId, { tokenUid: random.pick([tokenUid, undefined]), time, meterStopWh: wh, readings })
    case 4:
      return metered(transactionId, readings, { place })
    default:
      return {
        _tag: "UnreadableTransactionMessage",
        action: random.pick(["StartTransaction", "StopTransaction", "MeterValues"]),
        problem: "unreadable"
      }
  }
}

/** A charger's sessions as one line of text. */
const rowsOf = (one: ModelCharger): string =>
  one.sessions
    .map(({ end, registerWh, start, status }) => `${start.body.sessionId} ${status} ${end?.key} ${registerWh}`)
    .join()

/** The parts of a state that the tables must agree with. */
const open = (of: ChargerState) => ({
  sessions: of.sessions
    .filter(({ status }) => status !== "Ended")
    .map(({ registerAt, registerWh, sessionId, startedAt, status, supersededAt }) => ({
      sessionId,
      status,
      startedAt,
      registerWh,
      registerAt,
      supersededAt
    }))
    .toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)),
  orphans: of.orphans.map(({ orphanId }) => orphanId).toSorted()
})

describe("random messages of chargers", () => {
  it("are never refused, end no session twice, and leave other chargers' rows alone", () => {
    forSeeds(100, (random) => {
      const service = new ModelService()
      const chargers = ["CP-1", "CP-2"].map((chargerId) => service.charger({ chargerId, connectors: [] }))
      for (const one of chargers) one.now = minute(60)
      for (let n = 0; n < 40; n++) {
        const one = random.pick(chargers)
        const other = one === chargers[0] ? chargers[1]! : chargers[0]!
        const before = rowsOf(other)
        if (random.chance(0.1)) one.forget()
        one.loseNextOutcome = random.chance(0.1)
        const event = anything(
          random,
          service.journal.sessions.map(({ start }) => start.body.transactionId)
        )
        const { reply } = one.say(event)
        expect(reply._tag).not.toBe("Refused")
        expect(rowsOf(other)).toBe(before)
      }
      const ids = service.journal.sessions.map(({ start }) => start.body.transactionId)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.every((id) => id > 0 && id < 2 ** 31)).toBe(true)
      for (const { end, start } of service.journal.sessions) {
        if (end === undefined) continue
        expect(end.at).toBeGreaterThanOrEqual(start.at)
        expect(end.body.energyWh ?? 0).toBeGreaterThanOrEqual(0)
      }
    })
  })

  it("lead to the same state in memory, in the tables and as a fold of the facts", () => {
    forSeeds(80, (random) => {
      const service = new ModelService()
      const one = service.charger({ connectors: [] })
      one.now = minute(60)
      for (let n = 0; n < 12; n++) {
        one.say(
          anything(
            random,
            one.sessions.map(({ start }) => start.body.transactionId)
          )
        )
      }
      expect(open(one.state)).toEqual(open(service.journal.load(one.chargerId)))
      const { facts } = service.journal
      const folded = evolve(state({ connectors: [] }), facts, { recorded: facts.map(() => true), existing: undefined })
      expect(open(folded)).toEqual(open(one.state))
    })
  })
})
