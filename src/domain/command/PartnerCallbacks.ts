/**
 * Storage of partners' callbacks, which `Commands.issue` creates. It provides the results that are due, for the loop that sends them, and the data
 * about earlier commands that later ones need.
 */
import { Context, type Effect, type Stream } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { PartnerCallbackEnd } from "./Outcome.ts"
import type { PartyId } from "../values/PartyId.ts"

/** What a callback reports. */
export const callbackSubjects = ["Result", "ReservationCancelled", "ProfileChanged"] as const
export type CallbackSubject = (typeof callbackSubjects)[number]

/** A result that is due to a partner, leased by the process that sends it. */
export interface DueCallback extends PartnerCallbackEnd {
  readonly commandId: string
  /** `ProfileChanged` is not a result: another caller has changed the session's charging profile. */
  readonly about: CallbackSubject
  readonly organisationId: string
  readonly partnerId: string
  readonly sessionId: string | undefined
  readonly version: string
  /** Undefined if it cannot be decrypted, because it was sealed with another key. */
  readonly responseUrl: string | undefined
  readonly correlationId: string
  readonly from: PartyId | undefined
  readonly to: PartyId | undefined
  /** The number of tries, including this one. */
  readonly tries: number
}

/** Identifies the try that is being settled. A result that became due again meanwhile stays due. */
export type CallbackKey = Pick<DueCallback, "commandId" | "about" | "tries">

/** A partner's reservation that a charger has or may have. */
export interface PartnerReservation {
  readonly commandId: string
  readonly chargerId: string
  readonly siteId: string
  readonly evseId: number
  /** The id that the charger knows. */
  readonly reservationId: number
}

export interface ReservationWanted {
  readonly partnerId: string
  /** The partner's own id. */
  readonly reference: string
  /** Undefined: at any location. */
  readonly locationId?: string | undefined
}

/** A start that a partner requests a second time because it did not get our first answer. */
export interface RepeatedStart {
  readonly partnerId: string
  /** The partner's authorization_reference. */
  readonly reference: string
  readonly locationId: string
  readonly idTag: string
  /** The EVSE that the request names. Undefined if it leaves the choice to us: then it repeats a start at any EVSE of the location. */
  readonly evse: { readonly chargerId: string; readonly evseId: number } | undefined
  readonly responseUrl: string
  readonly correlationId: string
}

export interface PartnerProfiles {
  /** The profile id of the last profile that the partner set for a session and that the charger may have. */
  readonly profileId: number | undefined
  /** The number of the partner's requests about profiles of that session in the last minute. */
  readonly lastMinute: number
}

export class PartnerCallbacks extends Context.Service<
  PartnerCallbacks,
  {
    /**
     * Takes the callbacks that are due, oldest first, across all organisations. No other process gets them for `leaseMillis`. The partners in
     * `except` are left out.
     */
    readonly take: (wanted: {
      readonly now: number
      readonly leaseMillis: number
      readonly limit: number
      readonly limitPerPartner: number
      readonly except: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<DueCallback>, StorageUnavailable>
    /** The earliest due time of all open callbacks (ms epoch); undefined if none is open. It is in the past if a command has not ended. */
    readonly nextDue: Effect.Effect<number | undefined, StorageUnavailable>
    readonly reported: (key: CallbackKey, now: number) => Effect.Effect<void, StorageUnavailable>
    readonly retry: (key: CallbackKey, problem: string, dueAt: number) => Effect.Effect<void, StorageUnavailable>
    readonly giveUp: (key: CallbackKey, problem: string, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Signals that commands have ended; some may be missed. */
    readonly ended: Stream.Stream<void>
    /**
     * True if the partner requested the same start less than a minute ago and its session has begun or may still begin. Nothing more must then be
     * sent to a charger, and the result goes to the URL of the repeated request.
     */
    readonly repeated: (
      organisationId: string,
      start: RepeatedStart,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** The number by which chargers know a partner's reservation. If the reservation has none yet, it gets `fresh`. */
    readonly reservationNumber: (
      organisationId: string,
      wanted: Required<ReservationWanted>,
      fresh: number,
      now: number
    ) => Effect.Effect<number, StorageUnavailable>
    /** The newest of the partner's reservations with this reference that a charger has or may have. */
    readonly reservation: (
      organisationId: string,
      wanted: ReservationWanted,
      now: number
    ) => Effect.Effect<PartnerReservation | undefined, StorageUnavailable>
    /** A partner's requests for the charging profiles of one session. */
    readonly profiles: (
      organisationId: string,
      of: { readonly partnerId: string; readonly sessionId: string },
      now: number
    ) => Effect.Effect<PartnerProfiles, StorageUnavailable>
  }
>()("voltlane/Callbacks") {}
