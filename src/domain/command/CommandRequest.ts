/** Commands from partners (OCPI 2.2.1 §13), independent of the OCPI version. */

/** The driver's token in a command: the part that is stored with the session and its CDR. */
export interface PresentedToken {
  readonly uid: string
  /** OCPI's TokenType, an open enumeration. */
  readonly type: string
  readonly contractId: string
  /** Missing in OCPI 2.1.1, whose tokens have no party. */
  readonly countryCode?: string | undefined
  readonly partyId?: string | undefined
}

interface Asked {
  /** The partner's URL to which the result is sent. */
  readonly responseUrl: string
}

export type CommandRequest =
  | (Asked & {
      readonly _tag: "StartSession"
      readonly token: PresentedToken
      readonly locationId: string
      readonly evseUid?: string | undefined
      readonly connectorId?: string | undefined
      readonly authorizationReference?: string | undefined
    })
  | (Asked & { readonly _tag: "StopSession"; readonly sessionId: string })
  | (Asked & {
      readonly _tag: "ReserveNow"
      readonly token: PresentedToken
      /** ms epoch. */
      readonly expiresAt: number
      /** The partner's own id; a number in OCPI 2.1.1. */
      readonly reservationId: string
      readonly locationId: string
      readonly evseUid?: string | undefined
      readonly authorizationReference?: string | undefined
    })
  | (Asked & { readonly _tag: "CancelReservation"; readonly reservationId: string })
  | (Asked & {
      readonly _tag: "UnlockConnector"
      readonly locationId: string
      readonly evseUid: string
      readonly connectorId: string
    })

/** The immediate answer: whether the command is passed on to the charger (OCPI 2.2.1 §13.4.2). */
export interface CommandResponse {
  readonly result: "ACCEPTED" | "REJECTED" | "NOT_SUPPORTED" | "UNKNOWN_SESSION"
  /** The number of seconds within which the result is sent. */
  readonly timeoutSeconds: number
  /** Why it is not accepted, as readable text. */
  readonly message?: string | undefined
}
