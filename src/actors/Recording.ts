/**
 * Limits how many facts are recorded of one charger. Little is ever deleted from the journal, so a charger that reports
 * something new in every frame would fill any disk. A charger over its budget gets the same answers, but nothing is
 * stored. Of transactions and their readings, what matters is stored even then: `domain/session/Provisional` and
 * `domain/session/Thinning` say what that is. Facts about what operators requested have no limit.
 */
import type { Decision, TransactionRoom } from "../domain/charger/Decision.ts"
import type { ChargerFact, MeterRead, OrphanRecorded } from "../domain/charger/Fact.ts"
import { storedBytes, thinned } from "../domain/session/Thinning.ts"
import { Buckets } from "../domain/values/Buckets.ts"
import { dayMillis } from "../domain/values/Day.ts"
import { Budget, type BudgetSize } from "./Budget.ts"

type Act = Extract<Decision, { readonly _tag: "Act" }>

/**
 * Facts that may be recorded at once, and then per day. Twenty connectors that change their status every two minutes
 * use two thirds of `state`. A configuration is requested after each boot, and may be long. `readings` are those
 * outside a transaction: two connectors may each report one every nine seconds. `unmatched` are transaction messages
 * that fit no transaction: those of a charger that came with a full queue from another system.
 */
export const recordedPerDay = { state: 20_000, configuration: 500, readings: 20_000, talk: 10_000, unmatched: 1_000 }

/** The budgets of transactions (their number) and of readings (their bytes in the database) in a day. */
export interface RecordingLimits {
  readonly transactions: BudgetSize
  readonly readingBytes: BudgetSize
}

/** A message with readings also has a row in the journal. */
const messageBytes = 800

/** Thinned, the readings of ten connectors that are read every ten seconds all day take a seventh. */
const thinnedPart = 0.25

/** For how many sessions it is remembered when a reading was last kept. Of one that is forgotten, the next one is kept. */
const thinnedSessions = 20_000

type Kind = keyof typeof recordedPerDay

/** Each kind has its own budget, so that a flood of `talk` does not prevent a connector's status from being recorded. */
const kinds: { readonly [Type in ChargerFact["type"]]?: Kind } = {
  ChargerBooted: "state",
  ConnectorStatusChanged: "state",
  ConfigurationReported: "configuration",
  PastStatusReported: "talk",
  ProgressReported: "talk",
  SecurityEventRecorded: "talk",
  CertificateSigningRequested: "talk",
  DataTransferred: "talk",
  TokenAuthorized: "talk",
  OrphanRecorded: "unmatched"
}

const kindOf = (fact: ChargerFact): Kind | undefined =>
  fact.type === "ChargerDocumentChanged" && fact.body.kind.startsWith("meterKey:")
    ? "talk"
    : fact.type === "MeterRead" && fact.body.sessionId === undefined && !fact.body.fromStop
      ? "readings"
      : kinds[fact.type]

/** The number of budgets at which full ones are searched for and removed. */
const sweepAt = 20_000

export class Recording {
  private readonly budgets: Readonly<Record<Kind, Buckets>>
  private readonly transactions: Budget
  private readonly readingBytes: Budget
  private readonly thinnedAt = new Map<string, number>()
  private readonly unrecorded: (facts: number) => void
  private nextSweep = sweepAt

  constructor(unrecorded: (facts: number) => void, limits: RecordingLimits, perDay = recordedPerDay) {
    this.unrecorded = unrecorded
    const { readingBytes, transactions } = limits
    this.transactions = new Budget(transactions, transactions)
    this.readingBytes = new Budget(readingBytes, {
      charger: readingBytes.charger * thinnedPart,
      organisation: readingBytes.organisation * thinnedPart
    })
    // The number of budgets is unlimited: there are only as many chargers as operators have registered, and a used
    // budget must not be lost.
    const budget = (kind: Kind) => new Buckets(perDay[kind], dayMillis, Number.POSITIVE_INFINITY)
    this.budgets = {
      state: budget("state"),
      configuration: budget("configuration"),
      readings: budget("readings"),
      talk: budget("talk"),
      unmatched: budget("unmatched")
    }
  }

  /** Which new transactions the charger may begin. */
  transactionRoom(
    charger: { readonly chargerId: string; readonly organisationId: string },
    now: number
  ): TransactionRoom {
    const level = this.transactions.level(charger, now)
    return level === "Some" ? "Plausible" : level
  }

  /** The decision without the facts that are over the charger's budget. The charger's answer does not depend on them. */
  within(chargerId: string, decision: Act, now: number): Act {
    // What an operator requested is always recorded.
    if (decision.facts.some(({ type }) => type === "CommandAnswered")) return decision
    let lost = 0
    const facts = decision.facts.flatMap((fact) => {
      const kept = this.kept(chargerId, fact, decision, now)
      if (kept !== fact) lost++
      return kept === undefined ? [] : [kept]
    })
    if (lost === 0) return decision
    this.unrecorded(lost)
    return { ...decision, facts }
  }

  /** The fact, if need be with fewer readings; undefined if it is over a budget. */
  private kept(chargerId: string, fact: ChargerFact, { facts }: Act, now: number): ChargerFact | undefined {
    if (fact.type === "SessionStarted") this.transactions.take(fact, now)
    // Others depend on it: the end of the session that it turned out to belong to.
    const isGround = facts.some((other) => "requires" in other && other.requires === fact.key)
    const kind = isGround ? undefined : kindOf(fact)
    if (kind !== undefined && !this.spend(kind, chargerId, now)) return undefined
    if (fact.type === "MeterRead") return this.readingsWithin(fact, now)
    return fact.type === "OrphanRecorded" && fact.body.readings !== undefined ? this.waitingWithin(fact, now) : fact
  }

  private readingsWithin(fact: MeterRead, now: number): MeterRead | undefined {
    const level = this.readingBytes.level(fact, now)
    if (level === "None") return undefined
    const kept = level === "All" ? fact : this.thinned(fact)
    if (kept !== undefined) {
      const bytes = kept.body.readings.reduce((sum, reading) => sum + storedBytes(reading), messageBytes)
      this.readingBytes.take(fact, now, bytes)
    }
    return kept
  }

  private thinned(fact: MeterRead): MeterRead | undefined {
    const { fromStop, readings: all, sessionId } = fact.body
    if (sessionId === undefined) return undefined
    const { keptAt, readings } = thinned(all, this.thinnedAt.get(sessionId), fromStop)
    if (keptAt !== undefined) {
      if (this.thinnedAt.size >= thinnedSessions) this.thinnedAt.clear()
      this.thinnedAt.set(sessionId, keptAt)
    }
    if (readings.length === 0) return undefined
    return readings.length === all.length ? fact : { ...fact, body: { ...fact.body, readings } }
  }

  /** A stop that waits for its start, with the readings that it may keep. */
  private waitingWithin(fact: OrphanRecorded, now: number): OrphanRecorded {
    const { readings: all = [] } = fact.body
    const level = this.readingBytes.level(fact, now)
    const readings = level === "All" ? all : level === "Some" ? thinned(all, undefined, true).readings : []
    this.readingBytes.take(
      fact,
      now,
      readings.reduce((sum, reading) => sum + storedBytes(reading), 0)
    )
    return readings.length === all.length ? fact : { ...fact, body: { ...fact.body, readings } }
  }

  private spend(kind: Kind, chargerId: string, now: number): boolean {
    if (this.size >= this.nextSweep) this.sweep(now)
    return this.budgets[kind].take(chargerId, now)
  }

  private get size(): number {
    const others = this.transactions.size + this.readingBytes.size
    return Object.values(this.budgets).reduce((sum, { size }) => sum + size, others)
  }

  /** Removes budgets that are full again: they hold no information. */
  private sweep(now: number): void {
    for (const budget of [...Object.values(this.budgets), this.transactions, this.readingBytes]) budget.sweep(now)
    this.nextSweep = Math.max(sweepAt, this.size * 2)
  }
}
