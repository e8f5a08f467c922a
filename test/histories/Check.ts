/** Checks whether a history had the expected outcome, and the invariants of every session and record. */
import { assert } from "@effect/vitest"
import type { Cdr } from "../../src/domain/cdr/Cdr.ts"
import { explained } from "../../src/domain/tariff/Explanation.ts"
import { type Price, sumOf } from "../../src/domain/values/Amount.ts"
import type { PricedResult } from "../../src/domain/tariff/Price.ts"
import { type Billed, iso, type Money, type Outcome } from "./Story.ts"
import { recordInForce, type Result } from "./World.ts"

const nothing: Money = [0, 0]
const money = ({ exclVat, inclVat }: Price): Money => [exclVat, inclVat]
/** In ten-thousandths, rounded, since sums of doubles are not exact. */
const small = (n: number): number => Math.round(n * 1e4)

export const isCredit = ({ creditReferenceId }: Cdr): boolean => creditReferenceId !== undefined

/** Like `needsCorrection` of REST: the present price differs from that of its record. */
export const needsCorrection = ({ priced, session: { billed } }: Result): boolean =>
  billed !== undefined &&
  priced !== undefined &&
  (billed.exclVat !== priced.total.exclVat || billed.inclVat !== priced.total.inclVat)

/** The contents of a record in the form of `Billed`. */
const billedOf = ({ body, endedAt, startedAt }: Cdr) => {
  const { costs, durationMillis, energyWh, parkingMillis, total } = body
  assert.strictEqual(endedAt - startedAt, durationMillis, "the times of the record are its duration")
  return {
    energyWh,
    minutes: durationMillis / 60_000,
    parkingMinutes: parkingMillis / 60_000,
    total: money(total),
    fixed: money(costs.fixed),
    energy: money(costs.energy),
    time: money(costs.time),
    parking: money(costs.parking)
  }
}

const periodsOf = ({ body }: Cdr) =>
  body.periods.map(({ charging, endedAt, energyWh, startedAt }) => [
    iso(startedAt),
    iso(endedAt),
    energyWh,
    charging ? "charging" : "parking"
  ])

/** The invariants of every price: periods follow one another without gaps, and add up to the whole. */
export const expectSound = ({ costs, durationMillis, energyWh, lines, parkingMillis, periods }: PricedResult): void => {
  const sum = (of: (one: PricedResult["periods"][number]) => number) => periods.reduce((all, one) => all + of(one), 0)
  assert.strictEqual(
    sum((one) => one.energyWh),
    energyWh,
    "periods have the energy of the whole"
  )
  assert.strictEqual(
    sum((one) => one.endedAt - one.startedAt),
    durationMillis,
    "periods last as long as the whole"
  )
  assert.strictEqual(
    sum((one) => (one.charging ? 0 : one.endedAt - one.startedAt)),
    parkingMillis,
    "periods of parking are the parking of the whole"
  )
  for (const [n, { startedAt }] of periods.entries()) {
    if (n > 0) assert.strictEqual(startedAt, periods[n - 1]?.endedAt, "periods follow one another")
  }
  // Each line has the volume that its periods used.
  for (const { component, element, reserved, volume } of lines) {
    if (reserved) continue
    const parts = periods.filter(({ elements }) => elements[component.type] === element)
    const used = parts.map((one) => {
      if (component.type === "FLAT") return 1
      return component.type === "ENERGY" ? one.energyWh : one.endedAt - one.startedAt
    })
    assert.strictEqual(
      used.reduce((all, one) => all + one, 0),
      volume,
      `a line of ${component.type} is what its periods used`
    )
  }
  assert.isTrue(Object.values(costs).every(({ exclVat, inclVat }) => exclVat >= 0 && inclVat >= exclVat))
}

/** A record explains its price to the last digit. */
const expectExplained = ({ body: { periods, tariff, total }, creditReferenceId }: Cdr): void => {
  const sign = creditReferenceId === undefined ? 1 : -1
  // Gives 0 and not -0 for a credit of nothing.
  const billed = { exclVat: sign * total.exclVat || 0, inclVat: sign * total.inclVat || 0 }
  const lines = explained(tariff, { periods, total: billed, ended: true })
  assert.deepStrictEqual(money(sumOf(lines)), money(billed), "the lines of a record are its total")
  assert.isTrue(lines.filter(({ kind }) => kind === "rounding").every(({ inclVat }) => Math.abs(inclVat) < 0.001))
}

/** A total is the sum of its costs, unless a minimum or maximum price of the tariff applies. */
const expectSum = (cdr: Cdr): void => {
  const { costs, tariff, total } = cdr.body
  if (tariff.minPrice !== undefined || tariff.maxPrice !== undefined || isCredit(cdr)) return
  const sum = (pick: (price: Price) => number) => Object.values(costs).reduce((all, one) => all + small(pick(one)), 0)
  assert.deepStrictEqual(
    [small(total.exclVat), small(total.inclVat)],
    [sum((one) => one.exclVat), sum((one) => one.inclVat)]
  )
}

/** The invariants of every session: at most one record per revision, at most one that is in force, and none while it is held or runs. */
export const expectWhole = (result: Result): void => {
  const { records, session } = result
  const bills = records.filter((one) => !isCredit(one))
  assert.strictEqual(new Set(bills.map(({ revision }) => revision)).size, bills.length, "one record for a revision")
  assert.isAtMost(bills.length - records.filter(isCredit).length, 1, "at most one record is in force")
  if (session.heldReason !== undefined || session.endedAt === undefined)
    assert.lengthOf(records, 0, "nothing is billed yet")
  if (result.priced !== undefined) expectSound(result.priced)
  // Lists show the same price as a request for the single session.
  const kept = session.price
  assert.deepStrictEqual(kept && [kept.exclVat, kept.inclVat], result.priced && [...money(result.priced.total)])
  for (const cdr of records) {
    expectSum(cdr)
    expectExplained(cdr)
  }
}

const expectBilled = (result: Result, { needsCorrection: needs, periods, records, ...wanted }: Billed): void => {
  const { session } = result
  assert.strictEqual(session.heldReason, undefined)
  const inForce = recordInForce(result.records)
  assert.isDefined(inForce, "it has a record")
  if (inForce === undefined) return
  const none = { parkingMinutes: 0, fixed: nothing, energy: nothing, time: nothing, parking: nothing }
  assert.deepStrictEqual(billedOf(inForce), { ...none, ...wanted })
  assert.deepStrictEqual(
    result.records.map(({ body }) => money(body.total)),
    records ?? [wanted.total]
  )
  assert.strictEqual(needsCorrection(result), needs ?? false, "it needs a correction")
  if (periods === undefined) return
  assert.deepStrictEqual(
    periodsOf(inForce),
    periods.map(([from, to, ...rest]) => [iso(from), iso(to), ...rest])
  )
}

/** Checks that a session has the expected outcome; `result` is undefined if there is no session. */
export const expectOutcome = (result: Result | undefined, outcome: Outcome): void => {
  if (outcome === "none" || result === undefined) {
    assert.strictEqual(result === undefined ? "none" : "a session", outcome === "none" ? "none" : "a session")
    return
  }
  expectWhole(result)
  const { priced, records, session } = result
  if ("runs" in outcome) {
    assert.deepStrictEqual(
      [session.status, session.energyWh, priced && money(priced.total)],
      ["ACTIVE", outcome.energyWh, outcome.runs]
    )
  } else if ("held" in outcome) {
    assert.strictEqual(session.heldReason, outcome.held)
    assert.lengthOf(records, 0)
    if (outcome.energyWh !== undefined) assert.strictEqual(session.energyWh, outcome.energyWh)
  } else if ("credited" in outcome) {
    assert.deepStrictEqual(
      records.map(({ body }) => money(body.total)),
      [...outcome.credited]
    )
    assert.isUndefined(recordInForce(records))
  } else if ("unbilled" in outcome) {
    assert.isDefined(session.endedAt)
    assert.lengthOf(records, 0)
  } else expectBilled(result, outcome)
}
