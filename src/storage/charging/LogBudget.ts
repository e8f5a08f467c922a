/**
 * What the message log may still take today (UTC) of each charger and each organisation, counted in memory. The frame that uses up a budget is the last one
 * of its day, so that a log has no holes in the middle. Each process counts what it logs itself, and notes it now and then for the one that comes after it.
 */
import { Counts } from "../../domain/values/Counts.ts"

export interface LogBudgetLimits {
  readonly chargerBytesPerDay: number
  readonly organisationBytesPerDay: number
}

export type Overrun = "charger-budget" | "organisation-budget"

const dayMillis = 86_400_000

/** Lines about full logs a day: where a whole fleet goes wild, a hundred of them tell it. */
const maxNotes = 100

/** The beginning of the UTC day of a moment (ms epoch). */
export const dayOf = (at: number): number => at - (((at % dayMillis) + dayMillis) % dayMillis)

export interface Used {
  readonly organisationId: string
  readonly chargerId: string
  readonly bytes: number
}

interface Unstored extends Used {
  bytes: number
}

/** What is worth a line in the log of the service: once a day for each that is full. */
export interface Full {
  readonly reason: Overrun
  readonly organisationId: string
  /** The charger that met the end of its budget or of its organisation's. */
  readonly chargerId: string
}

export class LogBudget {
  private readonly limits: LogBudgetLimits
  private day = Number.NEGATIVE_INFINITY
  private readonly chargers = new Counts()
  private readonly organisations = new Counts()
  /** Of today and not stored yet, by charger; and of those that have moved to another organisation meanwhile. */
  private readonly unstored = new Map<string, Unstored>()
  private moved: Array<Used> = []
  private readonly isLogged = new Set<string>()
  private notes: Array<Full> = []

  constructor(limits: LogBudgetLimits) {
    this.limits = limits
  }

  /** Counts a frame of so many bytes and answers undefined, or why it is not to be logged. */
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

  /** Chargers of which something was counted and is not stored. */
  get unstoredCount(): number {
    return this.unstored.size + this.moved.length
  }

  /** What was counted and not asked for yet, of so many chargers at most, and on which day. */
  takeUnstored(max: number): { readonly day: number; readonly used: ReadonlyArray<Used> } {
    const used: Array<Used> = this.moved.splice(0, max)
    for (const [chargerId, one] of this.unstored) {
      if (used.length >= max) break
      used.push(one)
      this.unstored.delete(chargerId)
    }
    return { day: this.day, used }
  }

  /** What could not be stored; nothing where its day is over. */
  again(day: number, all: ReadonlyArray<Used>): void {
    if (this.day === day) for (const used of all) this.remember(used)
  }

  /** What was logged on a day before this process began; nothing where that day is over. */
  restore(day: number, all: ReadonlyArray<Used>): void {
    if (this.day === Number.NEGATIVE_INFINITY) this.day = day
    if (this.day === day) for (const used of all) this.count(used)
  }

  get hasNotes(): boolean {
    return this.notes.length > 0
  }

  /** Those that have become full since this was asked last. */
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

  /** A frame of yesterday that comes after midnight begins no new day; a clock that was set back by more does. */
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
