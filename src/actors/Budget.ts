/**
 * A daily budget of a charger and of its organisation in two parts. All of what a charger reports is kept within the first part. Beyond it, only what
 * matters is kept, within the second. What may be used in a day may also be used at once, since a charger that was offline reports everything at once.
 */
import { Buckets } from "../domain/values/Buckets.ts"
import { dayMillis } from "../domain/values/Day.ts"

export interface BudgetSize {
  readonly charger: number
  readonly organisation: number
}

/** What is kept: everything, only what matters, or nothing. */
export type Level = "All" | "Some" | "None"

/**
 * The part of its own second budget that a charger may use even if its organisation's is used up: otherwise a few hostile chargers could use up that of
 * all others.
 */
const ownPart = 0.1

/** The number of names is unlimited: there are only as many chargers as operators have registered, and a used budget must not be lost. */
const bucketsOf = (size: number): Buckets => new Buckets(size, dayMillis, Number.POSITIVE_INFINITY)

interface Part {
  readonly chargers: Buckets
  readonly organisations: Buckets
}

const partOf = ({ charger, organisation }: BudgetSize): Part => ({
  chargers: bucketsOf(charger),
  organisations: bucketsOf(organisation)
})

/** A charger, as its facts name it. */
interface Of {
  readonly chargerId: string
  readonly organisationId: string
}

export class Budget {
  private readonly all: Part
  private readonly some: Part
  private readonly untouched: number

  constructor(all: BudgetSize, some: BudgetSize) {
    this.all = partOf(all)
    this.some = partOf(some)
    this.untouched = some.charger * (1 - ownPart)
  }

  level({ chargerId, organisationId }: Of, now: number): Level {
    const { chargers, organisations } = this.all
    if (chargers.has(chargerId, now) && organisations.has(organisationId, now)) return "All"
    const left = this.some.chargers.left(chargerId, now)
    const isOwn = left > this.untouched
    return left >= 1 && (isOwn || this.some.organisations.has(organisationId, now)) ? "Some" : "None"
  }

  /** Takes `amount` from the part that still has something. */
  take(of: Of, now: number, amount = 1): void {
    const { chargers, organisations } = this.level(of, now) === "All" ? this.all : this.some
    chargers.take(of.chargerId, now, amount)
    organisations.take(of.organisationId, now, amount)
  }

  get size(): number {
    return this.all.chargers.size + this.some.chargers.size
  }

  sweep(now: number): void {
    for (const { chargers, organisations } of [this.all, this.some]) {
      chargers.sweep(now)
      organisations.sweep(now)
    }
  }
}
