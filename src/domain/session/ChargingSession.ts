/** A charging session as everything except the charger's actor sees it: the projection of its facts. */
import { Schema } from "effect"
import type { Authorization } from "../token/Authorization.ts"
import type { Price } from "../values/Amount.ts"
import type { SessionRoaming } from "../roaming/Roaming.ts"
import type { ChargingPreferences } from "./ChargingPreferences.ts"
import type { Sample } from "../charger/MeterValue.ts"
import type { SessionPrice } from "./SessionPrice.ts"

/** The reservation that a session used, or that the session represents. */
export interface SessionReservation {
  readonly reservationId: number
  /** When the charger accepted it, ms epoch; undefined if it did not, or if its answer was lost. Then the reservation costs nothing. */
  readonly acceptedAt: number | undefined
  /** ms epoch. */
  readonly expiresAt: number
  /** True if a start has used it. */
  readonly used: boolean
}

/** OCPI's SessionStatus. */
export const sessionStatuses = ["PENDING", "ACTIVE", "COMPLETED", "INVALID", "RESERVATION"] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** The fields that are the same in the session's row and in REST. The others differ in how times and missing values are written. */
export const sessionPlace = {
  id: Schema.String,
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int
}

export interface ChargingSession extends Schema.Struct.Type<typeof sessionPlace> {
  readonly organisationId: string
  /** In OCPP 1.6 an integer that we assign, in 2.x a string that the charger chooses; stored as text. */
  readonly transactionId: string
  readonly ocppVersion: string
  readonly tokenUid: string
  readonly status: SessionStatus
  readonly authorization: Authorization
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly meterStartWh: number
  readonly meterStopWh: number | undefined
  /** The energy so far, or the total once it has ended; never negative. */
  readonly energyWh: number
  readonly stopReason: string | undefined
  readonly heldReason: string | undefined
  readonly reservation?: SessionReservation
  /** The roaming partner whose driver it is, if any. */
  readonly roaming?: SessionRoaming | undefined
  /** The charging preferences of that partner's driver, if we accepted them. */
  readonly preferences?: ChargingPreferences | undefined
  /** How often an operator has corrected it. */
  readonly revision?: number
  /** True if an operator has released it for billing. */
  readonly reviewed?: boolean
  /** True if a further stop differs from the one that ended it, and no operator has corrected it since. */
  readonly contradicted?: boolean
  /** The total of its current CDR; undefined while it has none. */
  readonly billed?: Price | undefined
  /** The price in that CDR, with its periods; only read if the session is to be shown. */
  readonly record?: SessionPrice | undefined
  /** The price so far, or the final one; undefined without a tariff, and for a moment after the session's data has changed. */
  readonly price?: SessionPrice | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** A stored meter reading of a session. */
export interface SessionReading {
  readonly at: number
  readonly heardAt: number
  /** The text that the charger sent as the time; undefined if `at` is that time. */
  readonly rawAt?: string | undefined
  /** The register value in the reading, Wh. */
  readonly energyWh: number | undefined
  readonly samples: ReadonlyArray<Sample>
}

/** The price to show: as billed, even if the data has changed since (`needsCorrection`), or the present price if there is no CDR. */
export const costOf = ({ price, record }: Pick<ChargingSession, "record" | "price">): SessionPrice | undefined =>
  record ?? price

/** True if a session's total now differs from that of its CDR. Stored with the price, so that lists find these few sessions by an index. */
export const differsFrom = (billed: Price, price: Price): boolean =>
  billed.exclVat !== price.exclVat || billed.inclVat !== price.inclVat

/** True if data that arrived after the CDR was issued would change the total, or if a further stop differs from the one that ended the session. */
export const needsCorrection = ({
  billed,
  contradicted,
  price
}: Pick<ChargingSession, "billed" | "contradicted" | "price">): boolean =>
  contradicted === true || (billed !== undefined && price !== undefined && differsFrom(billed, price))

/** True if the session is a reservation that was not used, so far or at all. */
export const isOnlyReserved = ({ reservation }: Pick<ChargingSession, "reservation">): boolean =>
  reservation !== undefined && !reservation.used
