/**
 * Callbacks: commands to chargers that a partner gave, and what it is to hear of each (OCPI 2.2.1 §13.2). A callback is stored with its command, so that
 * a partner that was answered ACCEPTED hears the end of it whatever happens to this process.
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

/** Seconds after which a partner hears that nothing came of its command: a charger has a minute to answer, and others may be before it in line. */
export const answerSeconds = 80

/** Seconds within which a partner hears of its command: `answerSeconds`, and the time that the call itself may take. */
export const timeoutSeconds = 90

/** A callback to be stored with its command. */
export interface NewPartnerCallback {
  readonly partnerId: string
  readonly kind: PartnerCallbackKind
  /** OCPI's number, in whose words the partner hears of it. */
  readonly version: string
  readonly responseUrl: string
  readonly correlationId: string
  /** The party of ours that speaks, and the partner's that is spoken to. */
  readonly from: PartyId | undefined
  readonly to: PartyId | undefined
  readonly locationId?: string | undefined
  /** The partner's own name of what it asked for: its reservation_id, or its authorization_reference. */
  readonly reference?: string | undefined
  readonly sessionId?: string | undefined
  readonly grant?: NewGrant | undefined
}
