/**
 * Written histories: what a charger sent, message by message as OCPP 1.6 payloads, the tariff, and the expected outcome. Every expected figure was
 * calculated by hand; its arithmetic is beside it.
 */
import type { PriceComponent, Pricing, Restrictions } from "../../src/domain/tariff/Tariff.ts"

/** One message. Unless the payload has a transaction id, it is that of the session `of`, as its start was answered. */
export interface Message {
  readonly action: "StartTransaction" | "MeterValues" | "StopTransaction"
  /** The session that it belongs to: the driver's card, in most histories. */
  readonly of: string
  readonly payload: Readonly<Record<string, unknown>>
  /** When it happened, ms epoch; messages are in this order. */
  readonly time: number
  /** When the service received it, ms epoch; undefined means a second after it happened, or after the message before. */
  readonly heard: number | undefined
}

/** Something that happens between messages. */
export type Happening =
  /** The billing loop runs: every session that can be billed is. */
  | { readonly happens: "billing" }
  /** The connection is lost, and the charger connects again. */
  | { readonly happens: "reconnect" }
  /** The service restarts: what was in memory is loaded again. */
  | { readonly happens: "restart" }
  | { readonly happens: "release"; readonly of: string }
  /** The record in force is credited, and not replaced. */
  | { readonly happens: "credit"; readonly of: string }
  | { readonly happens: "correct"; readonly of: string; readonly correction: WrittenCorrection }
  | { readonly happens: "tariff"; readonly tariff: Pricing }
  /** The site's time zone is changed. */
  | { readonly happens: "zone"; readonly zone: string }

export interface WrittenCorrection {
  readonly energyWh?: number
  readonly startedAt?: number
  readonly endedAt?: number
}

export type Step = Message | Happening

export const isMessage = (step: Step): step is Message => "action" in step

/** An amount without and with VAT. */
export type Money = readonly [exclVat: number, inclVat: number]

/** The contents of the record in force. Costs that are left out are 0. */
export interface Billed {
  readonly energyWh: number
  readonly minutes: number
  readonly parkingMinutes?: number
  readonly total: Money
  readonly fixed?: Money
  readonly energy?: Money
  readonly time?: Money
  readonly parking?: Money
  /** Totals of all records of the session in order of their numbers, credits negative. If left out, there is one record. */
  readonly records?: ReadonlyArray<Money>
  /** All periods in order: from, to, Wh, and what the vehicle did. */
  readonly periods?: ReadonlyArray<readonly [from: number, to: number, energyWh: number, what: "charging" | "parking"]>
  /** The session says that later readings would change the record. */
  readonly needsCorrection?: boolean
}

/** No record at all. */
export interface Held {
  readonly held: string
  readonly energyWh?: number
}

export type Outcome =
  | Billed
  | Held
  /** Its records, in order of their numbers; none of them is in force. */
  | { readonly credited: ReadonlyArray<Money> }
  /** Ended, with no record. Whether it is held or void is not tested by the history. */
  | { readonly unbilled: string }
  /** It is still running; the price so far. */
  | { readonly runs: Money; readonly energyWh: number }
  /** There is no such session. */
  | "none"

export interface Story {
  readonly name: string
  /** IANA name; UTC if left out. */
  readonly zone?: string
  readonly tariff: Pricing
  readonly steps: ReadonlyArray<Step>
  /** By session. */
  readonly expected: Readonly<Record<string, Outcome>>
  /** The maximum power in W that the operator configured for connector 1. */
  readonly maxPowerW?: number
  /** Cards that are blocked. All others may charge. */
  readonly blocked?: ReadonlyArray<string>
  /** Rules of the organisation's quirk book; the charger's manufacturer is "Voltbau". */
  readonly quirks?: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Why its price may fall while it runs, usually because a register fell. */
  readonly mayFall?: string
  /** Why its readings may not come after the stop: without them the session would be held. */
  readonly needsReadings?: string
  /** Why it is sent in this order only, without delays. */
  readonly needsOrder?: string
}

/** Times of a UTC day: `day("2026-05-20")("10:30")`; "24:30" is half past midnight of the next day, "-0:30" half an hour before the day. */
export const day = (date: string) => {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return (time: string): number => {
    const [hours = 0, minutes = 0, seconds = 0] = time.replace("-", "").split(":").map(Number)
    const after = ((hours * 60 + minutes) * 60 + seconds) * 1000
    return time.startsWith("-") ? midnight - after : midnight + after
  }
}

export const iso = (at: number): string => new Date(at).toISOString()

type Fields = Readonly<Record<string, unknown>>

interface About {
  readonly of?: string
  readonly heard?: number
  /** The time that the charger's clock shows, if it is wrong. */
  readonly clock?: string | null
  /** Fields of the payload; null leaves one out. */
  readonly with?: Fields
}

/** The payload without the fields that a history leaves out. */
export const withoutNulls = (payload: Fields): Fields =>
  Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null))

const driver = "ANNA"

/** OCPP 1.6 §6.45; by the driver ANNA at connector 1 unless overridden. */
export const start = (time: number, meterStart: unknown, about: About = {}): Message => {
  const { clock, heard, of = driver } = about
  const timestamp = clock === undefined ? iso(time) : clock
  const payload = { connectorId: 1, idTag: of, meterStart, timestamp, ...about.with }
  return { action: "StartTransaction", of, payload, time, heard }
}

/** OCPP 1.6 §6.49. */
export const stop = (time: number, meterStop: unknown, about: About = {}): Message => {
  const { clock, heard, of = driver } = about
  const timestamp = clock === undefined ? iso(time) : clock
  const payload = { idTag: of, meterStop, timestamp, ...about.with }
  return { action: "StopTransaction", of, payload, time, heard }
}

/** One sampled value; a register in Wh unless overridden. */
export const value = (of: unknown, more: Fields = {}): Fields => ({ value: String(of), ...more })
export const kWh = (of: unknown, more: Fields = {}): Fields => value(of, { unit: "kWh", ...more })
export const power = (kw: unknown, more: Fields = {}): Fields =>
  value(kw, { measurand: "Power.Active.Import", unit: "kW", ...more })
export const amps = (a: unknown, more: Fields = {}): Fields =>
  value(a, { measurand: "Current.Import", unit: "A", ...more })
export const soc = (percent: unknown): Fields => value(percent, { measurand: "SoC", unit: "Percent" })

/** A `meterValue` with its samples; a bare number or text is a register in Wh. */
export const sampled = (time: number, samples: ReadonlyArray<unknown>, clock?: string | null): Fields =>
  withoutNulls({
    timestamp: clock === undefined ? iso(time) : clock,
    sampledValue: samples.map((one) => (typeof one === "object" ? one : value(one)))
  })

/** OCPP 1.6 §6.31: one reading. */
export const meter = (time: number, samples: unknown, about: About = {}): Message => {
  const { clock, heard, of = driver } = about
  const list = Array.isArray(samples) ? samples : [samples]
  const payload = { connectorId: 1, meterValue: [sampled(time, list, clock)], ...about.with }
  return { action: "MeterValues", of, payload, time, heard }
}

/** A reading without a transaction id, as clock-aligned readings have none. */
export const unnamed = { transactionId: null } as const

/** A stop whose start was never answered. */
export const offline = { transactionId: -1 } as const

export const billing: Happening = { happens: "billing" }
export const reconnect: Happening = { happens: "reconnect" }
export const restart: Happening = { happens: "restart" }
export const release = (of = driver): Happening => ({ happens: "release", of })
export const credit = (of = driver): Happening => ({ happens: "credit", of })
export const correct = (correction: WrittenCorrection = {}, of = driver): Happening => ({
  happens: "correct",
  of,
  correction
})

type Component = readonly [type: PriceComponent["type"], price: number, vat?: number | undefined, stepSize?: number]

/** `element([["ENERGY", 0.3, 21]], { minKwh: 5 })`; the step is 1 if left out. */
export const element = (components: ReadonlyArray<Component>, restrictions?: Restrictions) => ({
  priceComponents: components.map(([type, price, vat, stepSize = 1]) => ({
    type,
    price,
    ...(vat === undefined ? {} : { vat }),
    stepSize
  })),
  ...(restrictions === undefined ? {} : { restrictions })
})

export const tariff = (elements: Pricing["elements"], limits: Omit<Partial<Pricing>, "elements"> = {}): Pricing => ({
  currency: "EUR",
  elements,
  ...limits
})

/** 0.30 a kWh with 21 % VAT, and nothing else: for histories about the meter. */
export const thirtyCents = tariff([element([["ENERGY", 0.3, 21]])])

/** Energy, charging time and parking at distinguishable prices: 0.40 a kWh, 1.20 an hour, 6 an hour, 20 % VAT on all. */
export const allThree = tariff([
  element([
    ["ENERGY", 0.4, 20],
    ["TIME", 1.2, 20],
    ["PARKING_TIME", 6, 20]
  ])
])
