/**
 * Callbacks: the results of partners' commands, which the partners must receive (OCPI 2.2.1 §13.2). A callback is stored with its command, so that a
 * partner that was answered ACCEPTED gets the result even if this process dies.
 */
import type { NewGrant } from "../roaming/TokenGrant.ts"
import type { PartyId } from "../values/PartyId.ts"

export const partnerCallbackKinds = [
  "StartSession",
  "StopSession",
  "ReserveNow",
  "CancelReservation",
  "UnlockConnector",
  "SetProfile",
  "ActiveProfile",
  "ClearProfile"
] as const
export type PartnerCallbackKind = (typeof partnerCallbackKinds)[number]

/** Seconds after which a partner gets a timeout as the result. A charger has a minute to answer, and other commands may be sent first. */
export const answerSeconds = 80

/** Seconds within which a partner gets the result: `answerSeconds` plus the time that the call itself may take. */
export const timeoutSeconds = 90

/** A callback to be stored with its command. */
export interface NewPartnerCallback {
  readonly partnerId: string
  readonly kind: PartnerCallbackKind
  /** The OCPI version of the result. */
  readonly version: string
  readonly responseUrl: string
  readonly correlationId: string
  /** Our party that sends the result, and the partner's party that receives it. */
  readonly from: PartyId | undefined
  readonly to: PartyId | undefined
  readonly locationId?: string | undefined
  /** The partner's own id for its request: its reservation_id or its authorization_reference. */
  readonly reference?: string | undefined
  readonly sessionId?: string | undefined
  readonly grant?: NewGrant | undefined
}
