/** The composite schedule against an independent evaluator that looks at every second. */
import { expect, it } from "vitest"
import type { ChargingProfile, SetProfile } from "../../../src/domain/command/ChargingProfile.ts"
import { compositeSchedule, type CompositeTarget } from "../../../src/domain/command/Composite.ts"
import { applied } from "../../../src/domain/command/Stack.ts"
import { forSeeds, type Random } from "../../support/random.ts"

const from = Date.UTC(2026, 4, 18, 10)
const window = 1200
const dayMillis = 86_400_000
const defaults = { voltage: 230, phases: 3, amps: 32 }

/** A time near the window, so that starts and ends fall into it. */
const near = (random: Random): number => from + random.between(-900, 1500) * 1000

const aProfile = (random: Random, profileId: number): ChargingProfile => {
  const purpose = random.pick(["ChargePointMaxProfile", "TxDefaultProfile", "TxProfile"] as const)
  const kind = random.pick(["Absolute", "Recurring", "Relative"] as const)
  const weekly = random.chance(0.3)
  const back = random.between(0, 3) * (weekly ? 7 : 1) * dayMillis
  const starts = new Set([0, ...Array.from({ length: random.between(0, 4) }, () => random.between(1, 1500))])
  return {
    profileId,
    stackLevel: random.between(0, 3),
    purpose,
    kind,
    ...(kind === "Recurring" ? { recurrency: weekly ? ("Weekly" as const) : ("Daily" as const) } : {}),
    ...(purpose === "TxProfile" ? { transactionId: random.between(7, 8) } : {}),
    ...(random.chance(0.3) ? { validFrom: near(random) } : {}),
    ...(random.chance(0.3) ? { validTo: near(random) } : {}),
    schedule: {
      chargingRateUnit: random.chance(0.3) ? "W" : "A",
      ...(random.chance(0.6) ? { duration: random.between(1, 1500) } : {}),
      ...(kind === "Relative" ? {} : { startSchedule: near(random) - back }),
      periods: [...starts]
        .toSorted((a, b) => a - b)
        .map((startPeriod) => ({
          startPeriod,
          limit: random.between(0, 320) / 10,
          ...(random.chance(0.3) ? { numberPhases: random.between(1, 3) } : {})
        }))
    }
  }
}

const aStack = (random: Random): ReadonlyArray<SetProfile> => {
  let set: ReadonlyArray<SetProfile> = []
  for (let n = 0; n < random.between(0, 12); n++) {
    const profile = aProfile(random, n)
    set = applied(
      set,
      profile.purpose === "TxProfile" ? random.between(1, 2) : random.between(0, 2),
      profile,
      near(random)
    )
  }
  return set
}

interface Said {
  readonly limit: number
  readonly unit: "A" | "W"
  readonly phases: number | undefined
}

/** What one profile allows at a second, found by walking through its schedule. */
const says = ({ profile, setAt }: SetProfile, at: number, startedAt: number): Said | undefined => {
  if (profile.validFrom !== undefined && profile.validFrom > at) return undefined
  if (profile.validTo !== undefined && profile.validTo <= at) return undefined
  let start = profile.kind === "Relative" ? startedAt : (profile.schedule.startSchedule ?? setAt)
  if (profile.kind === "Recurring") {
    const step = profile.recurrency === "Weekly" ? 7 * dayMillis : dayMillis
    while (start + step <= at) start += step
  }
  let said: Said | undefined
  for (const period of profile.schedule.periods) {
    if (start + period.startPeriod * 1000 <= at) {
      said = { limit: period.limit, unit: profile.schedule.chargingRateUnit, phases: period.numberPhases }
    }
  }
  const { duration } = profile.schedule
  return duration !== undefined && at >= start + duration * 1000 ? undefined : said
}

const highest = (all: ReadonlyArray<SetProfile>, at: number, startedAt: number): Said | undefined => {
  let found: { level: number; said: Said } | undefined
  for (const one of all) {
    const said = says(one, at, startedAt)
    if (said !== undefined && (found === undefined || one.profile.stackLevel > found.level)) {
      found = { level: one.profile.stackLevel, said }
    }
  }
  return found?.said
}

const naive = (set: ReadonlyArray<SetProfile>, target: CompositeTarget, at: number, unit: "A" | "W") => {
  const startedAt = target.transaction?.startedAt ?? from
  const with_ = (purpose: string, evseId: number) =>
    set.filter((one) => one.profile.purpose === purpose && one.evseId === evseId)
  const cap = highest(with_("ChargePointMaxProfile", 0), at, startedAt)
  const running = with_("TxProfile", target.evseId).filter(
    (one) => one.profile.transactionId === target.transaction?.transactionId
  )
  const inUse =
    target.evseId === 0
      ? undefined
      : (highest(running, at, startedAt) ??
        highest(with_("TxDefaultProfile", target.evseId), at, startedAt) ??
        highest(with_("TxDefaultProfile", 0), at, startedAt))
  const all = [cap, inUse].filter((said) => said !== undefined)
  const phases =
    Math.min(...all.map((said) => said.phases ?? 99)) < 99 ? Math.min(...all.map((said) => said.phases ?? 99)) : 3
  const inUnit = (said: Said) =>
    said.unit === unit ? said.limit : unit === "W" ? said.limit * 230 * phases : said.limit / 230 / phases
  const allowed = all.length === 0 ? inUnit({ limit: 32, unit: "A", phases }) : Math.min(...all.map(inUnit))
  return { allowed, cap: cap === undefined ? Infinity : inUnit(cap) }
}

it("agrees with the evaluator at every second, and never exceeds the charger's limit", () => {
  forSeeds(60, (random) => {
    const set = aStack(random)
    const unit = random.pick(["A", "W"] as const)
    const startedAt = near(random)
    const evseId = random.between(0, 2)
    const target = random.chance(0.3) ? { evseId } : { evseId, transaction: { transactionId: 7, startedAt } }
    const schedule = compositeSchedule(set, target, from, window, unit, defaults)
    expect(schedule.periods[0]?.startPeriod).toBe(0)
    const repeated = schedule.periods.filter((period, i) => {
      const before = schedule.periods[i - 1]
      return before?.limit === period.limit && before.numberPhases === period.numberPhases
    })
    expect(repeated).toEqual([])
    for (let second = 0; second < window; second++) {
      const limit = schedule.periods.findLast((period) => period.startPeriod <= second)?.limit ?? NaN
      const { allowed, cap } = naive(set, target, from + second * 1000, unit)
      // One decimal, never rounded up.
      if (!(limit <= allowed + 1e-6 && limit > allowed - 0.1 - 1e-6 && limit <= cap + 1e-6)) {
        throw new Error(`second ${second}: limit ${limit}, allowed ${allowed}, cap ${cap}: ${JSON.stringify(set)}`)
      }
    }
  })
})
