import { describe, expect, it } from "vitest"
import { dayOf } from "../../src/domain/values/Day.ts"
import { LogBudget } from "../../src/storage/charging/LogBudget.ts"
import { noon } from "../support/journalFacts.ts"

const dayMillis = 86_400_000
const limits = { chargerBytesPerDay: 100, organisationBytesPerDay: 250 }
const frame = (chargerId: string, bytes = 60, organisationId = "O") => ({ organisationId, chargerId, bytes })

describe("the budget of the message log", () => {
  it("refuses frames of a charger that has used up its daily budget, until the next day", () => {
    const budget = new LogBudget(limits)
    const day = [noon, noon, noon, noon + 1, dayOf(noon) + dayMillis - 1]
    expect(day.map((at) => budget.take(frame("A"), at))).toEqual([
      undefined,
      undefined,
      "charger-budget",
      "charger-budget",
      "charger-budget"
    ])
    expect(budget.take(frame("B"), noon)).toBeUndefined()
    expect(budget.take(frame("A"), dayOf(noon) + dayMillis)).toBeUndefined()
  })

  it("refuses frames of all chargers of an organisation that has used up its budget, and of no others", () => {
    const budget = new LogBudget(limits)
    for (const charger of ["A", "B", "C"]) expect(budget.take(frame(charger, 90), noon)).toBeUndefined()
    expect(budget.take(frame("D", 1), noon)).toBe("organisation-budget")
    expect(budget.take(frame("X", 90, "other"), noon)).toBeUndefined()
  })

  it("gives no second budget to a late frame from before midnight", () => {
    const budget = new LogBudget(limits)
    const midnight = dayOf(noon) + dayMillis
    budget.take(frame("A", 100), midnight)
    expect(budget.take(frame("A"), midnight - 1)).toBe("charger-budget")
    expect(budget.take(frame("A"), midnight)).toBe("charger-budget")
  })

  it("begins a new day where a clock that ran ahead is set back", () => {
    const budget = new LogBudget(limits)
    budget.take(frame("A", 100), noon + 365 * dayMillis)
    expect(budget.take(frame("A", 100), noon)).toBeUndefined()
    expect(budget.take(frame("A"), noon + 1)).toBe("charger-budget")
  })

  it("continues after a restart with the bytes logged before, unless the day is over", () => {
    const budget = new LogBudget(limits)
    budget.take(frame("A", 50), noon)
    budget.restore(dayOf(noon), [frame("A", 50), frame("B", 99)])
    expect(budget.take(frame("A", 1), noon)).toBe("charger-budget")
    expect(budget.take(frame("B", 1), noon)).toBeUndefined()
    const late = new LogBudget(limits)
    late.take(frame("A", 50), noon + dayMillis)
    late.restore(dayOf(noon), [frame("A", 50)])
    expect(late.take(frame("A", 1), noon + dayMillis)).toBeUndefined()
  })

  it("returns unstored use once, and again when storing failed, while the day lasts", () => {
    const budget = new LogBudget(limits)
    expect(budget.unstoredCount).toBe(0)
    budget.take(frame("A", 50), noon)
    budget.take(frame("B", 20), noon)
    budget.take(frame("A", 50), noon)
    // Over the budget: it is not in the log, and so not counted.
    budget.take(frame("A", 50), noon)
    // What is stored already is not to be stored again.
    budget.restore(dayOf(noon), [frame("C", 99)])
    expect(budget.unstoredCount).toBe(2)
    const { day, used } = budget.takeUnstored(10)
    expect([day, used]).toEqual([dayOf(noon), [frame("A", 100), frame("B", 20)]])
    expect(budget.unstoredCount).toBe(0)
    budget.take(frame("B", 1), noon)
    budget.again(day, used)
    expect(budget.takeUnstored(10).used).toEqual([frame("B", 21), frame("A", 100)])
    budget.take(frame("A", 1), noon + dayMillis)
    budget.again(day, used)
    expect(budget.takeUnstored(10)).toEqual({ day: dayOf(noon) + dayMillis, used: [frame("A", 1)] })
  })

  it("returns at most the requested number of entries, one for each organisation of a moved charger", () => {
    const budget = new LogBudget(limits)
    const all = [frame("A", 20), frame("B", 30), frame("A", 5, "other"), frame("B", 7)]
    for (const one of all) budget.take(one, noon)
    expect(budget.unstoredCount).toBe(3)
    expect(budget.takeUnstored(1).used).toEqual([frame("A", 20)])
    expect(budget.takeUnstored(1).used).toEqual([frame("A", 5, "other")])
    expect(budget.takeUnstored(2).used).toEqual([frame("B", 37)])
    expect(budget.unstoredCount).toBe(0)
  })

  it("notes each exhausted budget once a day, and a hundred at most", () => {
    const budget = new LogBudget({ ...limits, organisationBytesPerDay: 1e9 })
    const chargers = Array.from({ length: 150 }, (_, n) => `C-${n}`)
    const fill = (at: number) => {
      for (let n = 0; n < 4; n++) for (const charger of chargers) budget.take(frame(charger), at)
    }
    fill(noon)
    expect(budget.hasNotes).toBe(true)
    const notes = budget.takeNotes()
    expect(notes[0]).toEqual({ reason: "charger-budget", organisationId: "O", chargerId: "C-0" })
    expect(notes).toHaveLength(100)
    fill(noon + 1)
    expect(budget.hasNotes).toBe(false)
    fill(noon + dayMillis)
    expect(budget.takeNotes()).toHaveLength(100)
  })
})
