/**
 * Changes of chargers' provisional transactions on their way into the database. They are committed with the facts of the journal, but are none of
 * them: each replaces what was stored.
 */
import { Schema } from "effect"
import type {
  ChargerFact,
  NegligibleTransactions,
  ProvisionalChanged,
  ProvisionalTransaction
} from "../../domain/charger/Fact.ts"

const isProvisional = (fact: ChargerFact): fact is ProvisionalChanged => fact.type === "ProvisionalChanged"

/** The facts of the journal among those of a commit, and the others; undefined if there are no others. */
export const apart = (facts: ReadonlyArray<ChargerFact>) =>
  facts.some(isProvisional)
    ? { journaled: facts.filter((fact) => !isProvisional(fact)), provisional: facts.filter(isProvisional) }
    : undefined

/** What was recorded of all the facts of a commit, if this was recorded of those of the journal. */
export const recordedOf = (
  facts: ReadonlyArray<ChargerFact>,
  journaled: ReadonlyArray<boolean>
): ReadonlyArray<boolean> => {
  let next = 0
  return facts.map((fact) => isProvisional(fact) || journaled[next++] === true)
}

/** The parameter of `journal_commit`; null if nothing changes. The last change of a transaction counts. */
export const provisionalDocument = (changes: ReadonlyArray<ProvisionalChanged>): string | null => {
  if (changes.length === 0) return null
  const transactions = new Map<string, unknown>()
  const days = new Map<string, unknown>()
  for (const { body, chargerId: charger, organisationId: organisation } of changes) {
    for (const id of body.gone) transactions.set(`${charger} ${id}`, { charger, tx: String(id) })
    for (const one of body.kept) {
      const { start } = one
      const tx = String(start.body.transactionId)
      const row = { charger, tx, organisation, begun: start.heardAt, body: JSON.stringify(one) }
      transactions.set(`${charger} ${tx}`, row)
    }
    const { counted } = body
    if (counted === undefined) continue
    const day = new Date(counted.day).toISOString().slice(0, 10)
    const { energyWh: energy, firstAt: first, lastAt: last, transactions: number } = counted
    days.set(`${charger} ${day}`, { charger, day, organisation, transactions: number, energy, first, last })
  }
  return JSON.stringify({ transactions: [...transactions.values()], days: [...days.values()] })
}

/** A stored one. It was stored by this service, and a missing property is one that was undefined. */
const Stored = Schema.declare(
  (given): given is ProvisionalTransaction => typeof given === "object" && given !== null && "start" in given
)

export const StoredProvisional = Schema.Array(Stored)

export const StoredNegligible = Schema.Struct({
  day: Schema.Finite,
  transactions: Schema.Finite,
  energyWh: Schema.Finite,
  firstAt: Schema.Finite,
  lastAt: Schema.Finite
}) satisfies Schema.Codec<NegligibleTransactions>
