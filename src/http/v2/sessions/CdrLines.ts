/**
 * Charge detail records as lines: CSV (RFC 4180) for spreadsheets, JSON lines for programs. A spreadsheet must not interpret any text as a
 * formula, whatever the name of a card or charger is.
 */
import { DateTime, Schema } from "effect"
import { negativeOf, vatOf } from "../../../domain/values/Amount.ts"
import { zoneOf } from "../../../domain/values/Month.ts"
import { Cdr } from "./CdrsApi.ts"

type Row = typeof Cdr.Type

type Column = readonly [string, (cdr: Row) => string | number | boolean]

type Money = Row["totalCost"]

/** A part of the price. In a credit record it is negated, so that a column adds up. */
const part = (name: string, of: (cdr: Row) => Money): ReadonlyArray<Column> => {
  const signed = (cdr: Row) => (cdr.credit ? negativeOf(of(cdr)) : of(cdr))
  return amounts(name, signed)
}

const amounts = (name: string, of: (cdr: Row) => Money): ReadonlyArray<Column> => [
  [`${name}ExclVat`, (cdr) => of(cdr).exclVat],
  [`${name}Vat`, (cdr) => vatOf(of(cdr))],
  [`${name}InclVat`, (cdr) => of(cdr).inclVat]
]

/** `rate:exclVat:vat` for each rate; without VAT the rate is `none`. */
const byRate = ({ vatShares }: Row): string =>
  vatShares
    .map(({ exclVat, isMixed, rate, vat }) => [isMixed ? "mixed" : (rate ?? "none"), exclVat, vat].join(":"))
    .join(" ")

/** Times are in this zone, with their offset from UTC. */
const columnsIn = (timeZone: string): ReadonlyArray<Column> => {
  const zone = zoneOf(timeZone)
  const iso = (at: number): string => DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))
  return [
    ["number", (cdr) => cdr.number],
    ["id", (cdr) => cdr.id],
    ["sessionId", (cdr) => cdr.sessionId],
    ["chargerId", (cdr) => cdr.chargerId],
    ["siteId", (cdr) => cdr.siteId],
    ["siteName", (cdr) => cdr.location?.siteName ?? ""],
    ["chargerName", (cdr) => cdr.location?.chargerName ?? ""],
    ["evseId", (cdr) => cdr.evseId],
    ["connectorId", (cdr) => cdr.connectorId],
    ["tokenUid", (cdr) => cdr.tokenUid],
    ["startedAt", (cdr) => iso(cdr.startedAt)],
    ["endedAt", (cdr) => iso(cdr.endedAt)],
    ["timeZone", () => timeZone],
    ["currency", (cdr) => cdr.currency],
    ...amounts("total", (cdr) => cdr.totalCost),
    ["vatByRate", byRate],
    ...part("fixed", (cdr) => cdr.totalFixedCost),
    ...part("energy", (cdr) => cdr.totalEnergyCost),
    ...part("time", (cdr) => cdr.totalTimeCost),
    ...part("parking", (cdr) => cdr.totalParkingCost),
    ...part("reservation", (cdr) => cdr.totalReservationCost),
    ["energyKwh", (cdr) => cdr.totalEnergyKwh],
    ["timeHours", (cdr) => cdr.totalTimeHours],
    ["parkingTimeHours", (cdr) => cdr.totalParkingTimeHours],
    ["tariffId", (cdr) => cdr.tariff.id],
    ["tariffVersion", (cdr) => cdr.tariff.version],
    ["credit", (cdr) => cdr.credit],
    ["creditReferenceId", (cdr) => cdr.creditReferenceId ?? ""],
    ["issuedAt", (cdr) => iso(cdr.issuedAt)],
    ["partnerId", (cdr) => cdr.roaming?.partnerId ?? ""],
    ["contractId", (cdr) => cdr.roaming?.contractId ?? ""]
  ]
}

/**
 * The places in a text where a spreadsheet could find a formula. Blanks and quotes before it are skipped, and full-width signs count like
 * the normal ones. They are the beginning of the text, and every character that some spreadsheet treats as the end of a cell even inside
 * quotes.
 */
const formulas = /^(?=[\t\r\n])|(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g

/** Decimal places: more than money, energy and time need, and fewer than binary fractions represent exactly. */
const places = 10

/** Significant digits that every 64-bit number represents exactly. */
const digits = 15

/** A number as a decimal, without an exponent and without the errors of adding binary fractions: 0.3 for 0.1 + 0.2. */
const decimal = (value: number): string => {
  const rounded = Number(Number(value.toPrecision(digits)).toFixed(places))
  if (Math.abs(rounded) >= 1e21) return BigInt(rounded).toString()
  const text = String(rounded)
  return text.includes("e") ? rounded.toFixed(places).replace(/0+$/, "") : text
}

/** A cell. Text that looks like a formula gets an apostrophe; numbers stay numbers. */
const cell = (value: string | number | boolean): string => {
  if (typeof value === "number") return decimal(value)
  if (typeof value === "boolean") return String(value)
  const safe = value.replace(formulas, "$1'")
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvHead = `${columnsIn("UTC")
  .map(([name]) => name)
  .join(",")}\r\n`

/** A line with its times in an IANA zone, which is a column of its own. */
export const csvLine = (timeZone: string): ((cdr: Row) => string) => {
  const columns = columnsIn(timeZone)
  return (cdr) => `${columns.map(([, of]) => cell(of(cdr))).join(",")}\r\n`
}

const encode = Schema.encodeSync(Cdr)

export const jsonLine = (cdr: Row): string => `${JSON.stringify(encode(cdr))}\n`
