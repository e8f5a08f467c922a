/** One false figure in a true history: a register or a time that the charger got wrong, in a start, a reading or a stop. */
import type { Random } from "../support/random.ts"
import { isMessage, iso, type Message, type Story } from "./Story.ts"

const hour = 3_600_000

type Fields = Readonly<Record<string, unknown>>

/** What may replace a register: nothing, no number, another unit, another meter, or a register that fell. */
const falseRegister = (random: Random, wh: number): unknown =>
  random.pick([0, -1, null, "", "NaN", wh * 1000, Math.round(wh / 1000), wh + 1_000_000_000, 9_007_199_254_740_991])

/** What may replace a time. */
const falseTime = (random: Random, at: number): string =>
  random.pick([
    iso(at - 24 * hour),
    iso(at - hour / 2),
    iso(at + hour),
    iso(at + 20 * hour),
    iso(at + 1000 * hour),
    "1970-01-01T00:00:00Z",
    iso(1000 * 60 + (at % (24 * hour))),
    "2038-01-19T03:14:08Z",
    "today"
  ])

const changed = (random: Random, { action, payload, time }: Message): Fields => {
  if (random.chance(0.3) && action !== "MeterValues") return { ...payload, timestamp: falseTime(random, time) }
  if (action === "StartTransaction")
    return { ...payload, meterStart: falseRegister(random, Number(payload["meterStart"])) }
  if (action === "StopTransaction")
    return { ...payload, meterStop: falseRegister(random, Number(payload["meterStop"])) }
  const isTime = random.chance(0.3)
  const list = (payload["meterValue"] as ReadonlyArray<Fields>).map((one) => {
    if (isTime) return { ...one, timestamp: falseTime(random, time) }
    const samples = one["sampledValue"] as ReadonlyArray<Fields>
    const false_ = random.between(0, samples.length - 1)
    return {
      ...one,
      sampledValue: samples.map((sample, n) =>
        n === false_ ? { ...sample, value: String(falseRegister(random, Number(sample["value"])) ?? "") } : sample
      )
    }
  })
  return { ...payload, meterValue: list }
}

/** The history with one false message; everything else is unchanged. */
export const poisonedBy = (random: Random, story: Story): Story => {
  const victim = random.pick(story.steps.filter(isMessage))
  const payload = changed(random, victim)
  return { ...story, steps: story.steps.map((step) => (step === victim ? { ...victim, payload } : step)) }
}
