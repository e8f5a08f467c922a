/**
 * Limits how many facts are recorded of one charger. Nothing ever deletes from the journal, so a charger that reports
 * something new in every frame would fill any disk. A charger over its budget gets the same answers, but nothing is
 * stored. Facts about transactions, and about what operators requested, have no limit.
 */
import type { Decision } from "../domain/charger/Decision.ts"
import type { ChargerFact } from "../domain/charger/Fact.ts"
import { Buckets } from "../domain/values/Buckets.ts"

type Act = Extract<Decision, { readonly _tag: "Act" }>

/**
 * Facts that may be recorded at once, and then per day. Twenty connectors that change their status every two minutes
 * use two thirds of `state`. A configuration is requested after each boot, and may be long. `readings` are those
 * outside a transaction: two connectors may each report one every nine seconds.
 */
export const recordedPerDay = { state: 20_000, configuration: 500, readings: 20_000, talk: 10_000 }

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
  TokenAuthorized: "talk"
}

const kindOf = (fact: ChargerFact): Kind | undefined =>
  fact.type === "MeterRead" && fact.body.sessionId === undefined && !fact.body.fromStop ? "readings" : kinds[fact.type]

const dayMillis = 24 * 60 * 60 * 1000

/** The number of budgets at which full ones are searched for and removed. */
const sweepAt = 20_000

export class Recording {
  private readonly budgets: Readonly<Record<Kind, Buckets>>
  private readonly unrecorded: (facts: number) => void
  private nextSweep = sweepAt

  constructor(unrecorded: (facts: number) => void, perDay = recordedPerDay) {
    this.unrecorded = unrecorded
    // The number of budgets is unlimited: there are only as many chargers as operators have registered, and a used
    // budget must not be lost.
    const budget = (kind: Kind) => new Buckets(perDay[kind], dayMillis, Number.POSITIVE_INFINITY)
    this.budgets = {
      state: budget("state"),
      configuration: budget("configuration"),
      readings: budget("readings"),
      talk: budget("talk")
    }
  }

  /** The decision without the facts that are over the charger's budget. The charger's answer does not depend on them. */
  within(chargerId: string, decision: Act, now: number): Act {
    // What an operator requested is always recorded.
    if (decision.facts.some(({ type }) => type === "CommandAnswered")) return decision
    const facts = decision.facts.filter((fact) => {
      const kind = kindOf(fact)
      return kind === undefined || this.spend(kind, chargerId, now)
    })
    const lost = decision.facts.length - facts.length
    if (lost === 0) return decision
    this.unrecorded(lost)
    return { ...decision, facts }
  }

  private spend(kind: Kind, chargerId: string, now: number): boolean {
    if (this.size >= this.nextSweep) this.sweep(now)
    return this.budgets[kind].take(chargerId, now)
  }

  private get size(): number {
    return Object.values(this.budgets).reduce((sum, { size }) => sum + size, 0)
  }

  /** Removes budgets that are full again: they hold no information. */
  private sweep(now: number): void {
    for (const budget of Object.values(this.budgets)) budget.sweep(now)
    this.nextSweep = Math.max(sweepAt, this.size * 2)
  }
}
