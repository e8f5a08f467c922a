/** What a partner asks to be done at a charger (OCPI 2.2.1 §13), in the domain's words; the same whatever its version. */

/** A driver's token as it comes along with a command: what a session and its record keep of it. */
export interface PresentedToken {
  readonly uid: string
  /** OCPI's TokenType, an open word. */
  readonly type: string
  readonly contractId: string
  /** Missing where the version's tokens do not name their party (2.1.1). */
  readonly countryCode?: string | undefined
  readonly partyId?: string | undefined
}

interface Asked {
  /** Where the partner wants to hear what came of it. */
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
      /** The partner's own; a number in 2.1.1. */
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

/** The answer at once: whether it is passed on to the charger (OCPI 2.2.1 §13.4.2). */
export interface CommandResponse {
  readonly result: "ACCEPTED" | "REJECTED" | "NOT_SUPPORTED" | "UNKNOWN_SESSION"
  /** Seconds within which the result is sent. */
  readonly timeoutSeconds: number
  /** Why not, for people. */
  readonly message?: string | undefined
}
