/**
 * Money during calculations: exact, as whole numbers over one denominator, and rounded once at the end. Prices and percentages have at most four
 * decimals; volumes are Wh or ms with at most three. So no sum depends on the order of its parts, and rounding errors do not add up.
 */

/** Decimals of prices, percentages and rounded amounts (OCPI 2.2.1 §16.5 `number`). */
export const decimals = 4
const scale = 10_000n

/** Thousandths of a ms in an hour. A price per kWh, for thousandths of a Wh, is brought to the same denominator. */
const hour = 3_600_000_000n
const whAsHours = hour / 1_000_000n
const thousandths = 1000

/**
 * An amount before rounding. One unit of currency is `one`: 10⁴ (decimals of a price) × 3.6 · 10⁹ (thousandths of a ms in an hour) × 10⁶
 * (ten-thousandths of a percent in 100 %).
 */
export interface Amount {
  readonly exclVat: bigint
  readonly inclVat: bigint
}

const percent = 100n * scale

/** One unit of currency as an `Amount`. */
const one = scale * hour * percent

export const nothing: Amount = { exclVat: 0n, inclVat: 0n }

/** True for a number with at most four decimals, as far as a double can represent them. */
export const hasFewDecimals = (n: number): boolean =>
  Number.isFinite(n) && Math.abs(n) <= 1e9 && Math.abs(n * 1e4 - Math.round(n * 1e4)) < 1e-4

/** A number with at most four decimals as whole ten-thousandths. */
const tenThousandths = (n: number): bigint => BigInt(Math.round(n * 1e4))

/** The unit of a price: per kWh, per hour, or once. */
export const pers = ["kWh", "hour", "once"] as const
export type Per = (typeof pers)[number]

/** `price` × `volume` (Wh, ms, or a count), with `vat` percent added. Without `vat` no VAT applies and both figures are the same. */
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

/** A price as it is shown: each figure rounded separately, half away from zero, to four decimals. */
export interface Price {
  readonly exclVat: number
  readonly inclVat: number
}

export const toPrice = ({ exclVat, inclVat }: Amount): Price => ({
  exclVat: rounded(exclVat),
  inclVat: rounded(inclVat)
})

/** `exclVat` with the share of VAT of an amount that is not zero, rounded half up to four decimals. */
export const withVatOf = (exclVat: number, amount: Amount): number => {
  const by = 2n * amount.exclVat
  return Number((2n * tenThousandths(exclVat) * amount.inclVat + amount.exclVat) / by) / 1e4
}

/** The VAT in a price, exact. */
export const vatOf = ({ exclVat, inclVat }: Price): number =>
  Number(tenThousandths(inclVat) - tenThousandths(exclVat)) / 1e4

/** The price with the opposite sign. Zero has no sign. */
export const negativeOf = ({ exclVat, inclVat }: Price): Price => ({ exclVat: 0 - exclVat, inclVat: 0 - inclVat })

/** The sum of rounded prices: the same total that a reader gets by adding them up. */
export const sumOf = (prices: ReadonlyArray<Price>): Price => {
  const sum = (pick: (price: Price) => number) =>
    Number(prices.reduce((all, price) => all + tenThousandths(pick(price)), 0n)) / 1e4
  return { exclVat: sum((price) => price.exclVat), inclVat: sum((price) => price.inclVat) }
}
