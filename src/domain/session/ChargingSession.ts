/** A charging session as everybody but the charger's actor sees it: the projection of its facts. */
import { Schema } from "effect"
import type { Authorization } from "../token/Authorization.ts"
import type { Price } from "../values/Amount.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import type { ChargingPreferences } from "./ChargingPreferences.ts"
import type { Sample } from "../charger/MeterValue.ts"
import type { SessionPrice } from "./SessionPrice.ts"

/** The reservation that a session used, or is. */
export interface SessionReservation {
  readonly reservationId: number
  /** When the charger said yes, ms epoch; undefined where it never did, or its answer was lost: that is not paid for. */
  readonly acceptedAt: number | undefined
  /** ms epoch. */
  readonly expiresAt: number
  /** A start has consumed it. */
  readonly used: boolean
}

/** OCPI's SessionStatus. */
export const sessionStatuses = ["PENDING", "ACTIVE", "COMPLETED", "INVALID", "RESERVATION"] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** Which session, and where: the same in its row and in REST. What else they have in common differs in how times and missing values are written. */
export const sessionPlace = {
  id: Schema.String,
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int
}

export interface ChargingSession extends Schema.Struct.Type<typeof sessionPlace> {
  readonly organisationId: string
  /** An integer in OCPP 1.6 (ours), a string in 2.x (the charger's); kept as text. */
  readonly transactionId: string
  readonly ocppVersion: string
  readonly tokenUid: string
  readonly status: SessionStatus
  readonly authorization: Authorization
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly meterStartWh: number
  readonly meterStopWh: number | undefined
  /** Energy so far, or in all once ended; never negative. */
  readonly energyWh: number
  readonly stopReason: string | undefined
  readonly heldReason: string | undefined
  readonly reservation?: SessionReservation
  /** Whose driver it is, where a roaming partner's. */
  readonly roaming?: SessionRoaming | undefined
  /** What that partner's driver wishes of it, as far as we have accepted it. */
  readonly preferences?: ChargingPreferences | undefined
  /** How often an operator has corrected it. */
  readonly revision?: number
  /** An operator has looked at it and lets it be billed. */
  readonly reviewed?: boolean
  /** A further stop of it said something else than the one that ended it, and no operator has corrected it since. */
  readonly contradicted?: boolean
  /** The total of its record in force; undefined while it has none. */
  readonly billed?: Price | undefined
  /** What that record says it costs, with its periods; only where a session is read to be shown. */
  readonly record?: SessionPrice | undefined
  /** What it costs so far, or in all; undefined without a tariff, and for a moment after something was stored of it. */
  readonly price?: SessionPrice | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** A stored meter reading of a session. */
export interface SessionReading {
  readonly at: number
  readonly heardAt: number
  /** What the charger sent in place of a time; undefined where `at` is its own. */
  readonly rawAt?: string | undefined
  /** What was made of it. */
  readonly energyWh: number | undefined
  readonly samples: ReadonlyArray<Sample>
}

/** What it costs: as it was billed once that is so, whatever has come since (`needsCorrection`); till then as it is known. */
export const costOf = ({ price, record }: Pick<ChargingSession, "record" | "price">): SessionPrice | undefined =>
  record ?? price

/** True where a session now comes to another total than its record. Stored with the price, so that lists find those few by an index. */
export const differsFrom = (billed: Price, price: Price): boolean =>
  billed.exclVat !== price.exclVat || billed.inclVat !== price.inclVat

/** What came after its record was issued would change the record's total, or a further stop says something else than the one that ended it. */
export const needsCorrection = ({
  billed,
  contradicted,
  price
}: Pick<ChargingSession, "billed" | "contradicted" | "price">): boolean =>
  contradicted === true || (billed !== undefined && price !== undefined && differsFrom(billed, price))

/** True of a session that is a reservation that was not used, now or for good. */
export const isOnlyReserved = ({ reservation }: Pick<ChargingSession, "reservation">): boolean =>
  reservation !== undefined && !reservation.used
