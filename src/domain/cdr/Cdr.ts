/**
 * The charge detail record: what is billed. Made once of a session that has ended and is not held, sealed with everything that explains it,
 * and never changed; a wrong one is taken back by a credit record (OCPI 2.2.1 `mod_cdrs`).
 */
import { type SignedData, signedDataOf } from "../session/SignedData.ts"
import type { ChargingSession } from "../session/ChargingSession.ts"
import type { Authorization } from "../token/Authorization.ts"
import type { TokenType } from "../token/Token.ts"
import type { Place } from "../site/CdrLocation.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import type { Ledger } from "../session/Ledger.ts"
import type { Price } from "../values/Amount.ts"
import type { Costs, Period, PricedResult } from "../tariff/Price.ts"
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
    /** ms epoch: when it became what it is, as partners got it. The first records do not say so. */
    readonly updatedAt?: number
  }
  /** IANA; of the site. */
  readonly timeZone: string
  /** Records of the first versions have none. */
  readonly place?: Place
  readonly evseId: number
  readonly connectorId: number
  readonly transactionId: string
  readonly ocppVersion: string
  readonly tokenUid: string
  readonly tokenType?: TokenType
  readonly authorizationSource: string
  /** Records of the first versions have none. */
  readonly authorization?: Pick<Authorization, "status" | "source" | "decidedAt">
  /** The reservation that is paid for with it. */
  readonly reservationId?: number
  readonly meterStartWh: number
  /** Missing where the charger reported none. */
  readonly meterStopWh?: number
  /** Missing where the meter signs nothing. */
  readonly signedData?: SignedData
  /** Whose driver is billed by it: it goes to that partner, if there is one. */
  readonly roaming?: SessionRoaming
}

/** What of a record it is found by. */
interface About {
  readonly organisationId: string
  readonly sessionId: string
  readonly chargerId: string
  readonly siteId: string
  readonly startedAt: number
  readonly endedAt: number
  /** Of the session: 0, or how often it was corrected. */
  readonly revision: number
}

export interface NewCdr extends About {
  readonly body: CdrBody
}

export interface Cdr extends About {
  readonly id: string
  /** Counts an organisation's records from 1, without a gap. */
  readonly number: number
  /** It takes back the record of this id; undefined for one that bills. */
  readonly creditReferenceId: string | undefined
  /** Of a credit record only `total` is the other's negated (OCPI 2.2.1 §10.3.1). */
  readonly body: CdrBody
  readonly issuedAt: number
}

/** True once a session can be billed: it has ended, and nothing about it is doubted. */
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

/** Zero has no sign. */
const negated = (n: number): number => (n === 0 ? 0 : -n)

/** What takes a record back: all of it, and the total with its sign turned. */
export const creditOf = ({ body }: Cdr): CdrBody => ({
  ...body,
  total: { exclVat: negated(body.total.exclVat), inclVat: negated(body.total.inclVat) }
})
