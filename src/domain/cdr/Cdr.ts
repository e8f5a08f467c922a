/**
 * The charge detail record (CDR): what is billed. It is made once, from a session that has ended and is not held. It contains everything that
 * explains it and never changes. A credit record reverses a wrong one (OCPI 2.2.1 `mod_cdrs`).
 */
import { Conflict } from "../Errors.ts"
import { type SignedData, signedDataOf } from "../session/SignedData.ts"
import type { ChargingSession } from "../session/ChargingSession.ts"
import type { Authorization } from "../token/Authorization.ts"
import type { TokenType } from "../token/Token.ts"
import type { Place } from "../site/CdrLocation.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import type { Ledger } from "../session/Ledger.ts"
import { negativeOf, type Price } from "../values/Amount.ts"
import type { Costs } from "../tariff/Line.ts"
import type { Period } from "../tariff/Period.ts"
import type { PricedResult } from "../tariff/Price.ts"
import type { TariffBody } from "../tariff/Tariff.ts"

export interface CdrBody {
  readonly currency: string
  readonly total: Price
  readonly costs: Costs
  readonly energyWh: number
  readonly durationMillis: number
  readonly parkingMillis: number
  readonly periods: ReadonlyArray<Period>
  readonly tariff: TariffBody & {
    readonly id: string
    readonly version: number
    /** ms epoch: the tariff's last change, as partners received it. Missing in the first records. */
    readonly updatedAt?: number
  }
  /** The site's time zone (IANA). */
  readonly timeZone: string
  /** Missing in records of the first versions. */
  readonly place?: Place
  readonly evseId: number
  readonly connectorId: number
  readonly transactionId: string
  readonly ocppVersion: string
  readonly tokenUid: string
  readonly tokenType?: TokenType
  readonly authorizationSource: string
  /** Missing in records of the first versions. */
  readonly authorization?: Pick<Authorization, "status" | "source" | "decidedAt">
  /** The reservation that is billed in this record. */
  readonly reservationId?: number
  readonly meterStartWh: number
  /** Missing if the charger reported none. */
  readonly meterStopWh?: number
  /** Missing if the meter does not sign. */
  readonly signedData?: SignedData
  /** The roaming partner whose driver is billed, if any; it gets the CDR. */
  readonly roaming?: SessionRoaming
}

/** The fields by which records are found. */
interface About {
  readonly organisationId: string
  readonly sessionId: string
  readonly chargerId: string
  readonly siteId: string
  readonly startedAt: number
  readonly endedAt: number
  /** The session's revision: how often it was corrected. */
  readonly revision: number
}

export interface NewCdr extends About {
  readonly body: CdrBody
}

export interface Cdr extends About {
  readonly id: string
  /** Numbers an organisation's CDRs from 1 without a gap. */
  readonly number: number
  /** The id of the CDR that this credit record reverses; undefined if this one bills. */
  readonly creditReferenceId: string | undefined
  /** In a credit record only `total` is negated (OCPI 2.2.1 §10.3.1). */
  readonly body: CdrBody
  readonly issuedAt: number
}

/** True once a session can be billed: it has ended and is not held. */
export const isBillable = ({ endedAt, heldReason, status }: ChargingSession): boolean =>
  status === "COMPLETED" && endedAt !== undefined && heldReason === undefined

const decisionOf = ({ decidedAt, source, status }: Authorization) => ({ status, source, decidedAt })

/** The record of a billable session. */
export const cdrOf = (
  { meterPublicKey, place, session, signed = [], tariff, timeZone, tokenType }: Ledger,
  priced: PricedResult
): NewCdr => {
  const { costs, durationMillis, energyWh, parkingMillis, periods, total } = priced
  const signedData = signedDataOf(signed, meterPublicKey)
  return {
    organisationId: session.organisationId,
    sessionId: session.id,
    chargerId: session.chargerId,
    siteId: session.siteId,
    startedAt: session.startedAt,
    endedAt: session.endedAt ?? session.startedAt,
    revision: session.revision ?? 0,
    body: {
      currency: tariff.body.currency,
      total,
      costs,
      energyWh,
      durationMillis,
      parkingMillis,
      periods,
      tariff: { id: tariff.id, version: tariff.version, updatedAt: tariff.updatedAt, ...tariff.body },
      timeZone,
      ...(place === undefined ? {} : { place }),
      evseId: session.evseId,
      connectorId: session.connectorId,
      transactionId: session.transactionId,
      ocppVersion: session.ocppVersion,
      tokenUid: session.tokenUid,
      ...(tokenType === undefined ? {} : { tokenType }),
      authorizationSource: session.authorization.source,
      authorization: decisionOf(session.authorization),
      ...(session.reservation === undefined ? {} : { reservationId: session.reservation.reservationId }),
      meterStartWh: session.meterStartWh,
      ...(session.meterStopWh === undefined ? {} : { meterStopWh: session.meterStopWh }),
      ...(signedData === undefined ? {} : { signedData }),
      ...(session.roaming === undefined ? {} : { roaming: session.roaming })
    }
  }
}

/** Why a record cannot be credited: it is a credit record, or it has been credited already. */
export const creditRefusal = ({ creditReferenceId }: Pick<Cdr, "creditReferenceId">): Conflict =>
  creditReferenceId === undefined
    ? new Conflict({ code: "already_credited", message: "This record has already been cancelled by a credit record." })
    : new Conflict({
        code: "is_credit",
        message: "This is a credit record, which cannot be cancelled itself."
      })

/** The credit record of a CDR: the same content with a negated total. */
export const creditOf = ({ body }: Cdr): CdrBody => ({
  ...body,
  total: negativeOf(body.total)
})
