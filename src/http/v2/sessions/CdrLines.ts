/**
 * Charge detail records as lines: CSV (RFC 4180) for spreadsheets, JSON lines for programs. A spreadsheet must not interpret any text as a
 * formula, whatever the name of a card or charger is.
 */
import { Schema } from "effect"
import { Cdr } from "./CdrsApi.ts"

type Row = typeof Cdr.Type

const iso = (at: number): string => new Date(at).toISOString()

const columns: ReadonlyArray<readonly [string, (cdr: Row) => string | number | boolean]> = [
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
  ["currency", (cdr) => cdr.currency],
  ["totalExclVat", (cdr) => cdr.totalCost.exclVat],
  ["totalInclVat", (cdr) => cdr.totalCost.inclVat],
  ["fixedExclVat", (cdr) => cdr.totalFixedCost.exclVat],
  ["energyExclVat", (cdr) => cdr.totalEnergyCost.exclVat],
  ["timeExclVat", (cdr) => cdr.totalTimeCost.exclVat],
  ["parkingExclVat", (cdr) => cdr.totalParkingCost.exclVat],
  ["reservationExclVat", (cdr) => cdr.totalReservationCost.exclVat],
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

export const csvHead = `${columns.map(([name]) => name).join(",")}\r\n`

export const csvLine = (cdr: Row): string => `${columns.map(([, of]) => cell(of(cdr))).join(",")}\r\n`

const encode = Schema.encodeSync(Cdr)

export const jsonLine = (cdr: Row): string => `${JSON.stringify(encode(cdr))}\n`
