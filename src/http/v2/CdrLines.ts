/**
 * Charge detail records as lines: CSV (RFC 4180) for people with spreadsheets, JSON lines for programs. A spreadsheet must take no text for a
 * formula, whatever a card or charger is called.
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

/** What spreadsheets begin a formula with. */
const formula = /^[=+\-@\t\r]/

/** A cell: text that looks like a formula gets an apostrophe, numbers stay numbers. */
const cell = (value: string | number | boolean): string => {
  if (typeof value !== "string") return String(value)
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvHead = `${columns.map(([name]) => name).join(",")}\r\n`

export const csvLine = (cdr: Row): string => `${columns.map(([, of]) => cell(of(cdr))).join(",")}\r\n`

const encode = Schema.encodeSync(Cdr)

export const jsonLine = (cdr: Row): string => `${JSON.stringify(encode(cdr))}\n`
