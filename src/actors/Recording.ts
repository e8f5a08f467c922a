/**
 * How much of what one charger reports is recorded: nothing ever deletes the journal, and a charger that reports something new in every frame would fill
 * any disk. Over its budget it is answered as before and nothing is stored. Facts about transactions, and about what operators asked, have none.
 */
import type { Decision } from "../domain/charger/Decision.ts"
import type { ChargerFact } from "../domain/charger/Fact.ts"
import { Buckets } from "../domain/values/Buckets.ts"

type Act = Extract<Decision, { readonly _tag: "Act" }>

/**
 * At once, and in a day after that: twenty connectors that change their status every two minutes have two thirds of it. A configuration is asked for
 * after each boot, and may be long. Readings are those of no transaction: two connectors may tell them every nine seconds.
 */
export const recordedPerDay = { state: 20_000, configuration: 500, readings: 20_000, talk: 10_000 }

type Kind = keyof typeof recordedPerDay

/** Each kind has a budget of its own: a flood of talk costs no connector its status. */
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

/** Budgets that there may be before they are looked through; full ones are forgotten. */
const sweepAt = 20_000

export class Recording {
  private readonly budgets: Readonly<Record<Kind, Buckets>>
  private readonly unrecorded: (facts: number) => void
  private nextSweep = sweepAt

  constructor(unrecorded: (facts: number) => void, perDay = recordedPerDay) {
    this.unrecorded = unrecorded
    // Chargers are as many as operators have registered, and none that has used its budget up is forgotten.
    const budget = (kind: Kind) => new Buckets(perDay[kind], dayMillis, Number.POSITIVE_INFINITY)
    this.budgets = {
      state: budget("state"),
      configuration: budget("configuration"),
      readings: budget("readings"),
      talk: budget("talk")
    }
  }

  /** The decision as it is to be carried out: without the facts of which the charger has reported too many today. Its answer depends on none of them. */
  within(chargerId: string, decision: Act, now: number): Act {
    // What an operator asked for is his.
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

  /** A budget that is full again says nothing. */
  private sweep(now: number): void {
    for (const budget of Object.values(this.budgets)) budget.sweep(now)
    this.nextSweep = Math.max(sweepAt, this.size * 2)
  }
}
