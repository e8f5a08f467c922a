/**
 * How much the message log may still store today (UTC) for each charger and each organisation, counted in memory. The frame that exceeds a
 * budget is the last one logged that day, so the log has no gaps. Each process counts what it logs itself, and stores the count now and
 * then for its successor.
 */
import { Counts } from "../../domain/values/Counts.ts"
import { dayMillis, dayOf } from "../../domain/values/Day.ts"

export interface LogBudgetLimits {
  readonly chargerBytesPerDay: number
  readonly organisationBytesPerDay: number
}

export type Overrun = "charger-budget" | "organisation-budget"

/** The most log lines about exceeded budgets per day; if a whole fleet misbehaves, a hundred are enough. */
const maxNotes = 100

export interface Used {
  readonly organisationId: string
  readonly chargerId: string
  readonly bytes: number
}

interface Unstored extends Used {
  bytes: number
}

/** An exceeded budget to report in the service's log, once a day for each charger and organisation. */
export interface Full {
  readonly reason: Overrun
  readonly organisationId: string
  /** The charger whose frame exceeded its budget or its organisation's. */
  readonly chargerId: string
}

export class LogBudget {
  private readonly limits: LogBudgetLimits
  private day = Number.NEGATIVE_INFINITY
  private readonly chargers = new Counts()
  private readonly organisations = new Counts()
  /** Counts of today that are not stored yet, by charger, and those of chargers that have since moved to another organisation. */
  private readonly unstored = new Map<string, Unstored>()
  private moved: Array<Used> = []
  private readonly isLogged = new Set<string>()
  private notes: Array<Full> = []

  constructor(limits: LogBudgetLimits) {
    this.limits = limits
  }

  /** Counts a frame and returns undefined, or the reason why it must not be logged. */
  take(used: Used, at: number): Overrun | undefined {
    this.turn(dayOf(at))
    const over = this.overrun(used)
    if (over !== undefined) this.note(over, used)
    else {
      this.count(used)
      this.remember(used)
    }
    return over
  }

  /** The number of chargers with counts that are not stored yet. */
  get unstoredCount(): number {
    return this.unstored.size + this.moved.length
  }

  /** Removes and returns counts that are not stored yet, of at most `max` chargers, and their day. */
  takeUnstored(max: number): { readonly day: number; readonly used: ReadonlyArray<Used> } {
    const used: Array<Used> = this.moved.splice(0, max)
    for (const [chargerId, one] of this.unstored) {
      if (used.length >= max) break
      used.push(one)
      this.unstored.delete(chargerId)
    }
    return { day: this.day, used }
  }

  /** Puts back counts that could not be stored, unless their day is over. */
  again(day: number, all: ReadonlyArray<Used>): void {
    if (this.day === day) for (const used of all) this.remember(used)
  }

  /** Adds what was logged on a day before this process started, unless that day is over. */
  restore(day: number, all: ReadonlyArray<Used>): void {
    if (this.day === Number.NEGATIVE_INFINITY) this.day = day
    if (this.day === day) for (const used of all) this.count(used)
  }

  get hasNotes(): boolean {
    return this.notes.length > 0
  }

  /** The budgets that were exceeded since the last call. */
  takeNotes(): ReadonlyArray<Full> {
    const notes = this.notes
    this.notes = []
    return notes
  }

  private overrun({ chargerId, organisationId }: Used): Overrun | undefined {
    if (this.chargers.of(chargerId) >= this.limits.chargerBytesPerDay) return "charger-budget"
    return this.organisations.of(organisationId) >= this.limits.organisationBytesPerDay
      ? "organisation-budget"
      : undefined
  }

  private count({ bytes, chargerId, organisationId }: Used): void {
    this.chargers.add(chargerId, bytes)
    this.organisations.add(organisationId, bytes)
  }

  private remember({ bytes, chargerId, organisationId }: Used): void {
    const known = this.unstored.get(chargerId)
    if (known?.organisationId === organisationId) known.bytes += bytes
    else {
      if (known !== undefined) this.moved.push(known)
      this.unstored.set(chargerId, { organisationId, chargerId, bytes })
    }
  }

  private note(reason: Overrun, { chargerId, organisationId }: Used): void {
    const key = reason === "charger-budget" ? `charger ${chargerId}` : `organisation ${organisationId}`
    if (this.isLogged.size >= maxNotes || this.isLogged.has(key)) return
    this.isLogged.add(key)
    this.notes.push({ reason, organisationId, chargerId })
  }

  /** A frame of yesterday that arrives after midnight does not start a new day; a clock that is set back further does. */
  private turn(day: number): void {
    if (day === this.day || day === this.day - dayMillis) return
    this.day = day
    this.chargers.clear()
    this.organisations.clear()
    this.unstored.clear()
    this.moved = []
    this.isLogged.clear()
  }
}
