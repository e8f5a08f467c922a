/**
 * What simulated chargers said and what was acknowledged to them: the side of the truth that the service does not hold. A message is
 * one thing however often it was sent; it is acknowledged once any of its attempts had a CALLRESULT.
 */

/** How often a message went onto a socket, and how many CALLRESULTs came back for it. */
export interface Told {
  sent: number
  acknowledged: number
}

export interface Reading {
  /** The charger's time, ms epoch; unique on its charger. */
  readonly at: number
  readonly wh: number
  readonly told: Told
}

export interface Stop {
  readonly at: number
  readonly meterStopWh: number
  readonly reason: string
  readonly told: Told
}

export interface Transaction {
  readonly chargerId: string
  readonly connectorId: number
  readonly idTag: string
  /** The charger's time, ms epoch; unique on its charger. */
  readonly startedAt: number
  readonly meterStartWh: number
  readonly start: Told
  /** Every transaction id that a CALLRESULT to the start named; more than one is a broken promise. */
  readonly transactionIds: Set<number>
  readonly readings: Array<Reading>
  stop: Stop | undefined
}

/** A copy that stays as it is while the chargers go on: what had been sent and acknowledged by now. */
export const snapshot = (transactions: ReadonlyArray<Transaction>): ReadonlyArray<Transaction> =>
  transactions.map((transaction) => ({
    ...transaction,
    start: { ...transaction.start },
    transactionIds: new Set(transaction.transactionIds),
    readings: transaction.readings.map((reading) => ({ ...reading, told: { ...reading.told } })),
    stop: transaction.stop === undefined ? undefined : { ...transaction.stop, told: { ...transaction.stop.told } }
  }))

/** Counts of what chargers met on their way, by name. */
export class Tally {
  readonly counts = new Map<string, number>()

  add(name: string, by = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by)
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0
  }

  /** The sum of all counts whose names begin with `prefix`. */
  sum(prefix: string): number {
    return [...this.counts].reduce((sum, [name, count]) => (name.startsWith(prefix) ? sum + count : sum), 0)
  }

  toString(): string {
    return [...this.counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")
  }
}
