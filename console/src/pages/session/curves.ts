/**
 * What a session's chart shows, computed from its readings, its price and the charging profiles: power, energy, limits and the periods of the tariff.
 */

export interface Point {
  readonly at: number
  readonly value: number
}

interface Sample {
  readonly measurand: string
  readonly unit: string
  readonly value: string
  readonly phase: string | null
}

export interface Reading {
  readonly at: string
  readonly energyWh: number | null
  readonly samples: ReadonlyArray<Sample>
}

const registers = (readings: ReadonlyArray<Pick<Reading, "at" | "energyWh">>): ReadonlyArray<Point> =>
  readings
    .flatMap(({ at, energyWh }) => (energyWh === null ? [] : [{ at: Date.parse(at), value: energyWh }]))
    .sort((a, b) => a.at - b.at)

/** Average kW between registers: computed from energy, whatever the charger reports as power. */
export const powerOf = (readings: ReadonlyArray<Pick<Reading, "at" | "energyWh">>): ReadonlyArray<Point> => {
  const sorted = registers(readings)
  return sorted.slice(1).flatMap((one, index) => {
    const before = sorted[index]!
    const hours = (one.at - before.at) / 3_600_000
    return hours <= 0 ? [] : [{ at: one.at, value: Math.max(0, (one.value - before.value) / 1000 / hours) }]
  })
}

/** kWh since the start. */
export const energyOf = (
  readings: ReadonlyArray<Pick<Reading, "at" | "energyWh">>,
  meterStartWh: number
): ReadonlyArray<Point> =>
  registers(readings).map(({ at, value }) => ({ at, value: Math.max(0, value - meterStartWh) / 1000 }))

/** The supply of an EVSE, for limits in amperes. */
export interface Supply {
  readonly voltage: number
  readonly phases: number
}

/** Only the points where the value changes: a step line needs no more. */
const steps = (points: ReadonlyArray<Point>): ReadonlyArray<Point> =>
  points.filter(({ value }, index) => value !== points[index - 1]?.value)

/** Combines the phases: power is summed, and for current the highest phase is used. A sample without a phase is for all phases. */
const sampled = (
  { samples }: Reading,
  measurand: string,
  together: (values: ReadonlyArray<number>) => number
): { readonly value: number; readonly unit: string } | undefined => {
  const found = samples.filter((one) => one.measurand === measurand && Number.isFinite(Number(one.value)))
  const whole = found.find(({ phase }) => phase === null)
  const [first] = found
  if (first === undefined) return undefined
  if (whole !== undefined) return { value: Number(whole.value), unit: whole.unit }
  return { value: together(found.map(({ value }) => Number(value))), unit: first.unit }
}

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)
const mostOf = (values: ReadonlyArray<number>): number => Math.max(...values)

/** What the charger offered to the vehicle in kW, from its samples; `of` is the measurand. */
export const offeredOf = (
  readings: ReadonlyArray<Reading>,
  supply: Supply | undefined
): { readonly of: "Power.Offered" | "Current.Offered"; readonly points: ReadonlyArray<Point> } | undefined => {
  const sorted = readings.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const pointsOf = (measurand: string, together: typeof sumOf, kwOf: (value: number, unit: string) => number) =>
    steps(
      sorted.flatMap((reading) => {
        const one = sampled(reading, measurand, together)
        return one === undefined ? [] : [{ at: Date.parse(reading.at), value: kwOf(one.value, one.unit) }]
      })
    )
  const power = pointsOf("Power.Offered", sumOf, (value, unit) => (unit === "kW" ? value : value / 1000))
  if (power.length > 0) return { of: "Power.Offered", points: power }
  if (supply === undefined) return undefined
  const current = pointsOf("Current.Offered", mostOf, (value) => (value * supply.voltage * supply.phases) / 1000)
  return current.length > 0 ? { of: "Current.Offered", points: current } : undefined
}

interface Composite {
  readonly startSchedule?: string | undefined
  readonly chargingSchedulePeriod: ReadonlyArray<{ readonly startPeriod: number; readonly limit: number }>
}

/** The combined limit of the profiles in force between two times, in kW. The schedule is in watts. */
export const plannedOf = (
  { chargingSchedulePeriod, startSchedule }: Composite,
  from: number,
  to: number
): ReadonlyArray<Point> => {
  const start = startSchedule === undefined ? from : Date.parse(startSchedule)
  const points = chargingSchedulePeriod.map(({ limit, startPeriod }) => ({
    at: start + startPeriod * 1000,
    value: limit / 1000
  }))
  const before = points.findLast(({ at }) => at <= from)
  return [
    ...(before === undefined ? [] : [{ ...before, at: from }]),
    ...points.filter(({ at }) => at > from && at < to)
  ]
}

interface Line {
  readonly from: string | null
  readonly to: string | null
  readonly element: number | null
  readonly kind: string
  readonly price: number | null
  readonly unit: string | null
}

export interface TariffBand {
  readonly from: number
  readonly to: number
  /** The element that prices most of the period: the one for energy, otherwise the one for time. */
  readonly element: number
  readonly price: number | null
  readonly unit: string | null
}

/** The tariff periods of a session, taken from its price. Adjacent periods with the same element and price are merged. */
export const bandsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<TariffBand> => {
  const dated = lines.flatMap(({ element, from, to, ...line }) =>
    from === null || to === null || element === null
      ? []
      : [{ ...line, element, from: Date.parse(from), to: Date.parse(to) }]
  )
  const ofEnergy = dated.filter(({ kind }) => kind === "energy")
  const chosen = ofEnergy.length > 0 ? ofEnergy : dated.filter(({ kind }) => kind === "time")
  const bands: Array<TariffBand> = []
  for (const { element, from, price, to, unit } of chosen.toSorted((a, b) => a.from - b.from)) {
    const last = bands.at(-1)
    if (last !== undefined && last.element === element && last.price === price && from <= last.to) {
      bands[bands.length - 1] = { ...last, to: Math.max(last.to, to) }
    } else bands.push({ from, to, element, price, unit })
  }
  return bands
}
