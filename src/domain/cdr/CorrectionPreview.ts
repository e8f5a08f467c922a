/** The records that a correction of a session would issue. They are made with the same functions as real records. */
import type { Conflict, InvalidInput } from "../Errors.ts"
import { correctedFigures, correctedSession, type Figures } from "../session/Correcting.ts"
import type { ChargingSession } from "../session/ChargingSession.ts"
import { type Ledger, priceOf } from "../session/Ledger.ts"
import type { Correction } from "../session/SessionReviews.ts"
import { type Price, sumOf } from "../values/Amount.ts"
import { type Cdr, type CdrBody, cdrOf, creditOf } from "./Cdr.ts"

export interface CorrectionPreview {
  readonly figures: Figures
  /** Each record that would be credited, with the body of its credit record. */
  readonly credits: ReadonlyArray<{ readonly of: Cdr; readonly body: CdrBody }>
  /** The new record; undefined where no tariff applied when the session began. */
  readonly bill: CdrBody | undefined
  /** By how much the billed amount changes: the sum of these records. */
  readonly change: Price
}

interface Known {
  readonly session: ChargingSession
  /** Undefined where no tariff applied when the session began. */
  readonly ledger: Ledger | undefined
  /** All records of the session. */
  readonly records: ReadonlyArray<Cdr>
}

/** The records of a session that bill and have not been credited. */
const inForce = (records: ReadonlyArray<Cdr>): ReadonlyArray<Cdr> => {
  const credited = new Set(records.map(({ creditReferenceId }) => creditReferenceId))
  return records.filter(({ creditReferenceId, id }) => creditReferenceId === undefined && !credited.has(id))
}

/** What a correction would do, or why it would be refused. */
export const correctionPreview = (
  { ledger, records, session }: Known,
  given: Omit<Correction, "reason">
): CorrectionPreview | Conflict | InvalidInput => {
  const corrected = correctedFigures(session, given)
  if ("_tag" in corrected) return corrected
  const figures = corrected.after
  const credits = inForce(records).map((of) => ({ of, body: creditOf(of) }))
  const billed = ledger === undefined ? undefined : { ...ledger, session: correctedSession(ledger.session, figures) }
  const bill = billed === undefined ? undefined : cdrOf(billed, priceOf(billed)).body
  const totals = [...credits.map(({ body }) => body), ...(bill === undefined ? [] : [bill])].map(({ total }) => total)
  return { figures, credits, bill, change: sumOf(totals) }
}
