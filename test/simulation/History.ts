/**
 * What simulated chargers sent and what was acknowledged to them, recorded outside the service. A message is one entry however often it was sent; it
 * is acknowledged once any of its attempts got a CALLRESULT.
 */

/** How often a message was sent on a socket, and how many CALLRESULTs came back for it. */
export interface Attempts {
  sent: number
  acknowledged: number
}

export interface Reading {
  /** The charger's time, ms epoch; unique on its charger. */
  readonly at: number
  readonly wh: number
  readonly attempts: Attempts
}

export interface Stop {
  readonly at: number
  readonly meterStopWh: number
  readonly reason: string
  readonly attempts: Attempts
}

export interface Transaction {
  readonly chargerId: string
  readonly connectorId: number
  readonly idTag: string
  /** The charger's time, ms epoch; unique on its charger. */
  readonly startedAt: number
  readonly meterStartWh: number
  readonly start: Attempts
  /** All transaction ids in CALLRESULTs to the start; more than one is a broken promise. */
  readonly transactionIds: Set<number>
  readonly readings: Array<Reading>
  stop: Stop | undefined
}

/** A copy that does not change while the chargers go on: what had been sent and acknowledged by now. */
export const snapshot = (transactions: ReadonlyArray<Transaction>): ReadonlyArray<Transaction> =>
  transactions.map((transaction) => ({
    ...transaction,
    start: { ...transaction.start },
    transactionIds: new Set(transaction.transactionIds),
    readings: transaction.readings.map((reading) => ({ ...reading, attempts: { ...reading.attempts } })),
    stop:
      transaction.stop === undefined ? undefined : { ...transaction.stop, attempts: { ...transaction.stop.attempts } }
  }))

/** Counts of what chargers met, by name. */
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
