/**
 * The price that a partner computes from a record alone, as JSON, and the site's time zone. It shares no code with the service. Restrictions are tested
 * once for each charging period, at its start (OCPI 2.2.1 `mod_tariffs` §11.4.3): power and current by the MIN_ and MAX_ dimensions, of which a missing
 * one counts as fulfilled. One step applies to energy, and one to the time that was billed last (`mod_cdrs` §10.3.1).
 */

type Numbers = Readonly<Record<string, number | undefined>>

interface Component {
  readonly type: string
  readonly price: number
  readonly vat?: number
  readonly step_size: number
}

interface Element {
  readonly price_components: ReadonlyArray<Component>
  readonly restrictions?: Readonly<Record<string, unknown>>
}

interface Limit {
  readonly excl_vat: number
  readonly incl_vat?: number
}

interface Tariff {
  readonly elements: ReadonlyArray<Element>
  readonly min_price?: Limit
  readonly max_price?: Limit
}

export interface ReadRecord {
  readonly tariffs?: ReadonlyArray<Tariff>
  readonly charging_periods: ReadonlyArray<{
    readonly start_date_time: string
    readonly dimensions: ReadonlyArray<{ readonly type: string; readonly volume: number }>
  }>
}

interface Moment {
  readonly time: string
  readonly date: string
  readonly day: string
  readonly kwh: number
  readonly seconds: number
  readonly dimensions: Numbers
}

const wallClock = (at: number, timeZone: string) => {
  const parts = Object.fromEntries(
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
      .formatToParts(at)
      .map(({ type, value }) => [type, value])
  )
  return {
    time: `${parts["hour"]}:${parts["minute"]}`,
    date: `${parts["year"]}-${parts["month"]}-${parts["day"]}`,
    day: (parts["weekday"] ?? "").toUpperCase()
  }
}

const inTime = (time: string, from = "00:00", to = "00:00"): boolean => {
  if (to === "00:00") return time >= from
  return from < to ? time >= from && time < to : time >= from || time < to
}

const holds = (restrictions: Readonly<Record<string, unknown>>, now: Moment): boolean => {
  const number = (name: string) => restrictions[name] as number | undefined
  const text = (name: string) => restrictions[name] as string | undefined
  const atLeast = (name: string, value: number | undefined) => value === undefined || value >= (number(name) ?? -1)
  const below = (name: string, value: number | undefined) => value === undefined || value < (number(name) ?? Infinity)
  const days = (restrictions["day_of_week"] ?? []) as ReadonlyArray<string>
  return (
    inTime(now.time, text("start_time"), text("end_time")) &&
    now.date >= (text("start_date") ?? "") &&
    now.date < (text("end_date") ?? "9") &&
    (days.length === 0 || days.includes(now.day)) &&
    atLeast("min_kwh", now.kwh) &&
    below("max_kwh", now.kwh) &&
    atLeast("min_duration", now.seconds) &&
    below("max_duration", now.seconds) &&
    atLeast("min_power", now.dimensions["MIN_POWER"]) &&
    below("max_power", now.dimensions["MAX_POWER"]) &&
    atLeast("min_current", now.dimensions["MIN_CURRENT"]) &&
    below("max_current", now.dimensions["MAX_CURRENT"])
  )
}

interface Used {
  readonly kind: string
  readonly component: Component
  volume: number
}

const unitsOf: Numbers = { ENERGY: 1000, TIME: 3600, PARKING_TIME: 3600, RESERVATION_TIME: 3600 }

/** Steps count whole Wh and seconds. */
const inSteps = (used: ReadonlyArray<Used>): void => {
  const last = used.at(-1)
  const unit = unitsOf[last?.kind ?? ""]
  if (last === undefined || unit === undefined || last.component.step_size === 0) return
  const total = used.reduce((sum, { volume }) => sum + volume, 0) * unit
  // Sums of decimals are not exact in binary.
  const whole = Math.round(Math.round(total * 100) / 100)
  last.volume += (Math.ceil(whole / last.component.step_size) * last.component.step_size - total) / unit
}

export interface ReadPrice {
  readonly exclVat: number
  readonly inclVat: number
}

/** Where a limit has no figure with VAT, the price keeps the share of VAT that it had before its limits. */
const limited = (
  price: ReadPrice,
  before: ReadPrice,
  limit: Limit | undefined,
  pick: (a: number, b: number) => number
): ReadPrice => {
  if (limit === undefined) return price
  const exclVat = pick(price.exclVat, limit.excl_vat)
  if (limit.incl_vat !== undefined) return { exclVat, inclVat: pick(price.inclVat, limit.incl_vat) }
  const share = before.exclVat === 0 ? 1 : before.inclVat / before.exclVat
  return { exclVat, inclVat: exclVat === price.exclVat ? price.inclVat : exclVat * share }
}

/** Undefined if the record has no tariff. */
export const readPrice = ({ charging_periods: periods, tariffs = [] }: ReadRecord, timeZone: string) => {
  const [tariff] = tariffs
  if (tariff === undefined) return undefined
  const used: Array<Used> = []
  const dimensionsOf = (period: (typeof periods)[number]): Numbers =>
    Object.fromEntries(period.dimensions.map(({ type, volume }) => [type, volume]))
  const isReserved = (period: (typeof periods)[number]) => dimensionsOf(period)["RESERVATION_TIME"] !== undefined
  const hasSession = periods.some((period) => !isReserved(period))
  const flats = new Set<boolean>()
  let kwh = 0
  for (const period of periods) {
    const reserved = isReserved(period)
    const at = Date.parse(period.start_date_time)
    const first = periods.find((one) => isReserved(one) === reserved) ?? period
    const dimensions = dimensionsOf(period)
    const now = {
      ...wallClock(at, timeZone),
      kwh,
      seconds: (at - Date.parse(first.start_date_time)) / 1000,
      dimensions
    }
    const kinds = reserved ? (hasSession ? ["RESERVATION"] : ["RESERVATION_EXPIRES", "RESERVATION"]) : [undefined]
    const find = (type: string): Component | undefined =>
      kinds
        .flatMap((kind) => tariff.elements.filter(({ restrictions }) => restrictions?.["reservation"] === kind))
        .filter(({ restrictions = {} }) => holds(restrictions, now))
        .flatMap(({ price_components: components }) => components.find((one) => one.type === type) ?? [])[0]
    const take = (kind: string, type: string, volume: number | undefined): void => {
      const component = (volume ?? 0) > 0 ? find(type) : undefined
      if (component !== undefined) used.push({ kind, component, volume: volume ?? 0 })
    }
    const flat = flats.has(reserved) ? undefined : find("FLAT")
    if (flat !== undefined) {
      flats.add(reserved)
      used.push({ kind: "FLAT", component: flat, volume: 1 })
    }
    take("ENERGY", "ENERGY", dimensions["ENERGY"])
    take("TIME", "TIME", dimensions["TIME"])
    take("PARKING_TIME", "PARKING_TIME", dimensions["PARKING_TIME"])
    take("RESERVATION_TIME", "TIME", dimensions["RESERVATION_TIME"])
    kwh = Math.round((kwh + (dimensions["ENERGY"] ?? 0)) * 10_000) / 10_000
  }
  const lastTime = used.findLast(({ kind }) => kind === "TIME" || kind === "PARKING_TIME")?.kind
  for (const kind of ["ENERGY", lastTime, "RESERVATION_TIME"]) inSteps(used.filter((one) => one.kind === kind))
  const exclVat = used.reduce((sum, { component, volume }) => sum + component.price * volume, 0)
  const vat = used.reduce(
    (sum, { component, volume }) => sum + (component.price * volume * (component.vat ?? 0)) / 100,
    0
  )
  const price = { exclVat, inclVat: exclVat + vat }
  const raised = hasSession ? limited(price, price, tariff.min_price, Math.max) : price
  return limited(raised, price, tariff.max_price, Math.min)
}
