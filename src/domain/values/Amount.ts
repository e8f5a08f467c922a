/**
 * Money while it is reckoned: exact, as whole numbers over one denominator, and rounded once, at the end. A price has at most four decimals,
 * as has a percentage; volumes are Wh or ms, with at most three decimals. So no sum depends on the order of its parts, and none drifts.
 */

/** Decimals of prices, percentages and rounded amounts (OCPI 2.2.1 §16.5 `number`). */
export const decimals = 4
const scale = 10_000n

/** Thousandths of a ms in an hour; a kWh price over thousandths of a Wh is brought to the same denominator. */
const hour = 3_600_000_000n
const whAsHours = hour / 1_000_000n
const thousandths = 1000

/** An amount before its rounding: ten-thousandths of a ten-thousandth of a percent, over thousandths of an hour's milliseconds. */
export interface Amount {
  readonly exclVat: bigint
  readonly inclVat: bigint
}

const percent = 100n * scale

/** What one unit of currency is in an `Amount`. */
const one = scale * hour * percent

export const nothing: Amount = { exclVat: 0n, inclVat: 0n }

/** True for a number that has at most four decimals, within what a double can tell. */
export const hasFewDecimals = (n: number): boolean =>
  Number.isFinite(n) && Math.abs(n) <= 1e9 && Math.abs(n * 1e4 - Math.round(n * 1e4)) < 1e-4

/** A number of at most four decimals as whole ten-thousandths. */
const tenThousandths = (n: number): bigint => BigInt(Math.round(n * 1e4))

/** What a price is over, beside once. */
export const pers = ["kWh", "hour", "once"] as const
export type Per = (typeof pers)[number]

/** `price` × `volume` (Wh, ms, or times), with `vat` percent on it; without `vat` no VAT applies and both are the same. */
export const priced = (price: number, per: Per, volume: number, vat: number | undefined): Amount => {
  const factor = per === "kWh" ? whAsHours : per === "hour" ? 1n : hour / BigInt(thousandths)
  const base = tenThousandths(price) * factor * BigInt(Math.round(volume * thousandths))
  return { exclVat: base * percent, inclVat: base * (percent + tenThousandths(vat ?? 0)) }
}

export const plus = (a: Amount, b: Amount): Amount => ({
  exclVat: a.exclVat + b.exclVat,
  inclVat: a.inclVat + b.inclVat
})

const rounded = (exact: bigint): number => {
  const half = one / 2n
  const scaled = exact * scale
  const whole = scaled >= 0n ? (scaled + half) / one : -((-scaled + half) / one)
  return Number(whole) / 1e4
}

/** A price as it is shown: each figure rounded by itself, half away from zero, to four decimals. */
export interface Price {
  readonly exclVat: number
  readonly inclVat: number
}

export const toPrice = ({ exclVat, inclVat }: Amount): Price => ({
  exclVat: rounded(exclVat),
  inclVat: rounded(inclVat)
})

/** The sum of rounded prices, which is their total for everybody who adds them up himself. */
export const sumOf = (prices: ReadonlyArray<Price>): Price => {
  const sum = (pick: (price: Price) => number) =>
    Number(prices.reduce((all, price) => all + tenThousandths(pick(price)), 0n)) / 1e4
  return { exclVat: sum((price) => price.exclVat), inclVat: sum((price) => price.inclVat) }
}
