/**
 * A price calculated independently of the engine: second by second, with fractions instead of stretches and cuts.
 * Its sessions use whole seconds, whole Wh a second and thresholds on whole seconds, so that no interpolation is needed.
 */

export interface SlowComponent {
  readonly type: "ENERGY" | "FLAT" | "PARKING_TIME" | "TIME"
  readonly price: number
  readonly stepSize: number
}

type Day = "MONDAY" | "TUESDAY" | "WEDNESDAY" | "THURSDAY" | "FRIDAY" | "SATURDAY" | "SUNDAY"

export interface SlowElement {
  readonly priceComponents: ReadonlyArray<SlowComponent>
  readonly restrictions?: {
    readonly startTime?: string
    readonly endTime?: string
    readonly minKwh?: number
    readonly maxKwh?: number
    readonly minDuration?: number
    readonly maxDuration?: number
    readonly minPower?: number
    readonly maxPower?: number
    readonly dayOfWeek?: ReadonlyArray<Day>
    readonly startDate?: string
    readonly endDate?: string
  }
}

export interface SlowSession {
  readonly startedAt: number
  /** Wh that flow in each second. */
  readonly flow: ReadonlyArray<number>
  /** Whether the vehicle is parked in each second. */
  readonly parked: ReadonlyArray<boolean>
  readonly timeZone: string
}

interface Local {
  readonly time: string
  readonly date: string
  readonly day: string
}

const formats = new Map<string, Intl.DateTimeFormat>()
const minutes = new Map<string, Local>()

const localAt = (at: number, timeZone: string): Local => {
  const key = `${timeZone} ${Math.floor(at / 60_000)}`
  const local = minutes.get(key) ?? wallClock(at, timeZone)
  minutes.set(key, local)
  return local
}

/** The wall clock, as formatted by the runtime. */
const wallClock = (at: number, timeZone: string): Local => {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      weekday: "long",
      hourCycle: "h23"
    })
  formats.set(timeZone, format)
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return {
    time: `${parts["hour"]}:${parts["minute"]}`,
    date: `${parts["year"]}-${parts["month"]}-${parts["day"]}`,
    day: (parts["weekday"] ?? "").toUpperCase()
  }
}

const inTime = ({ time }: Local, start = "00:00", end = "00:00"): boolean => {
  if (end === "00:00") return time >= start
  return start < end ? time >= start && time < end : time >= start || time < end
}

const holds = (
  { restrictions: r = {} }: SlowElement,
  now: { readonly local: Local; readonly second: number; readonly wh: number; readonly watts: number }
): boolean =>
  inTime(now.local, r.startTime, r.endTime) &&
  (r.startDate === undefined || now.local.date >= r.startDate) &&
  (r.endDate === undefined || now.local.date < r.endDate) &&
  (r.dayOfWeek === undefined || r.dayOfWeek.some((day) => day === now.local.day)) &&
  (r.minKwh === undefined || now.wh >= r.minKwh * 1000) &&
  (r.maxKwh === undefined || now.wh < r.maxKwh * 1000) &&
  (r.minDuration === undefined || now.second >= r.minDuration) &&
  (r.maxDuration === undefined || now.second < r.maxDuration) &&
  (r.minPower === undefined || now.watts >= r.minPower * 1000) &&
  (r.maxPower === undefined || now.watts < r.maxPower * 1000)

/** The total without VAT, in millionths, not rounded. */
export const slowPrice = (
  elements: ReadonlyArray<SlowElement>,
  { flow, parked, startedAt, timeZone }: SlowSession
): number => {
  const used: Array<{ component: SlowComponent; amount: number }> = []
  const take = (component: SlowComponent | undefined, amount: number): void => {
    if (component === undefined) return
    const at = used.findIndex((one) => one.component === component)
    const before = at < 0 ? 0 : used.splice(at, 1)[0]!.amount
    used.push({ component, amount: before + amount })
  }
  let wh = 0
  let flatTaken = false
  flow.forEach((now, second) => {
    const moment = { local: localAt(startedAt + second * 1000, timeZone), second, wh, watts: now * 3600 }
    const find = (type: SlowComponent["type"]) =>
      elements
        .filter((element) => holds(element, moment))
        .flatMap(({ priceComponents }) => priceComponents)
        .find((component) => component.type === type)
    const flat = flatTaken ? undefined : find("FLAT")
    if (flat !== undefined) flatTaken = true
    take(flat, 1)
    if (now > 0) take(find("ENERGY"), now)
    take(find(parked[second] === true ? "PARKING_TIME" : "TIME"), 1)
    wh += now
  })
  const stepped = (type: SlowComponent["type"]) => {
    const of = used.filter(({ component }) => component.type === type)
    const last = of.at(-1)
    if (last === undefined || last.component.stepSize === 0) return
    const total = of.reduce((sum, { amount }) => sum + amount, 0)
    const over = total % last.component.stepSize
    if (over > 0) last.amount += last.component.stepSize - over
  }
  stepped("ENERGY")
  // Of the two kinds of time, the one charged last is rounded up.
  const ofTime = used.filter(({ component }) => component.type === "PARKING_TIME" || component.type === "TIME")
  stepped(ofTime.at(-1)?.component.type ?? "TIME")
  const unit = { ENERGY: 1000, FLAT: 1, PARKING_TIME: 3600, TIME: 3600 }
  return used.reduce((sum, { amount, component }) => sum + (component.price * amount * 1e6) / unit[component.type], 0)
}
