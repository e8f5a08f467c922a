/**
 * How much of what one charger tells is recorded: nothing ever deletes the journal, and a charger that says something new in every frame would fill
 * any disk. Over its budget it is answered as before and nothing is stored. Facts about transactions, and about what operators asked, have none.
 */
import type { Decision } from "../domain/charger/Decision.ts"
import type { ChargerFact } from "../domain/Fact.ts"

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

/** Budgets that are looked through before another is begun; full ones are forgotten. */
const sweepAt = 20_000

interface Budget {
  readonly perDay: number
  left: number
  at: number
}

const leftAt = ({ at, left, perDay }: Budget, now: number): number =>
  Math.min(perDay, left + (Math.max(0, now - at) * perDay) / dayMillis)

export class Recording {
  private readonly budgets = new Map<string, Budget>()
  private nextSweep = sweepAt
  private readonly perDay: Readonly<Record<Kind, number>>
  private readonly unrecorded: (facts: number) => void

  constructor(unrecorded: (facts: number) => void, perDay = recordedPerDay) {
    this.unrecorded = unrecorded
    this.perDay = perDay
  }

  /** The decision as it is to be carried out: without the facts of which the charger has told too many today. Its answer depends on none of them. */
  within(chargerId: string, decision: Act, now: number): Act {
    // What an operator asked for is his.
    if (decision.facts.some(({ type }) => type === "CommandAnswered")) return decision
    const facts = decision.facts.filter((fact) => {
      const kind = kindOf(fact)
      return kind === undefined || this.spend(`${kind} ${chargerId}`, this.perDay[kind], now)
    })
    const lost = decision.facts.length - facts.length
    if (lost === 0) return decision
    this.unrecorded(lost)
    return { ...decision, facts }
  }

  private spend(key: string, perDay: number, now: number): boolean {
    let budget = this.budgets.get(key)
    if (budget === undefined) {
      if (this.budgets.size >= this.nextSweep) this.sweep(now)
      this.budgets.set(key, (budget = { perDay, left: perDay, at: now }))
    }
    budget.left = leftAt(budget, now)
    budget.at = now
    if (budget.left < 1) return false
    budget.left -= 1
    return true
  }

  /** A budget that is full again says nothing. */
  private sweep(now: number): void {
    for (const [key, budget] of this.budgets) {
      if (leftAt(budget, now) >= budget.perDay) this.budgets.delete(key)
    }
    this.nextSweep = Math.max(sweepAt, this.budgets.size * 2)
  }
}
