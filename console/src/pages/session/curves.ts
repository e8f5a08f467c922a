/** What a session's chart shows, out of its readings, its price and the charging profiles: power, energy, limits and the periods of the tariff. */

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

/** Average kW between registers: what the energy says, whatever the charger reports as power. */
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

/** What an EVSE is fed with, for limits in amperes. */
export interface Supply {
  readonly voltage: number
  readonly phases: number
}

/** Only where it changes: a step line needs no more. */
const steps = (points: ReadonlyArray<Point>): ReadonlyArray<Point> =>
  points.filter(({ value }, index) => value !== points[index - 1]?.value)

/** Power of several phases is their sum, current is that of the phase which is allowed most; a value of no phase is of all. */
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

/** What the charger offered to the vehicle in kW, as it sampled it; `of` is the measurand. */
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

/** The limits in kW that the profiles in force come to, between two times. The schedule is in watts. */
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
  /** The element that prices most of it: that of the energy, else that of the time. */
  readonly element: number
  readonly price: number | null
  readonly unit: string | null
}

/** The periods of a tariff that a session went through, by its price. Neighbours of one element and price are one. */
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
