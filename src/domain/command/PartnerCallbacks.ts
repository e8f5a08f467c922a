/**
 * Storage of partners' callbacks. `Commands.issue` stores a callback. Here are the results that are due, for the loop that sends them, and what later
 * commands must know of earlier ones.
 */
import { Context, type Effect, type Stream } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { PartnerCallbackEnd } from "./Outcome.ts"
import type { PartyId } from "../values/PartyId.ts"

/** What a callback is about. */
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
  /** Undefined if it was sealed with another key. */
  readonly responseUrl: string | undefined
  readonly correlationId: string
  readonly from: PartyId | undefined
  readonly to: PartyId | undefined
  /** Including this one. */
  readonly tries: number
}

/** Which try is settled: a result that became due again since then stays due. */
export type CallbackKey = Pick<DueCallback, "commandId" | "about" | "tries">

/** A partner's reservation that a charger has or may have. */
export interface PartnerReservation {
  readonly commandId: string
  readonly chargerId: string
  /** The id that the charger knows. */
  readonly siteId: string
  readonly evseId: number
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
  /** Its authorization_reference. */
  readonly reference: string
  readonly locationId: string
  readonly idTag: string
  readonly evseId: number
  readonly chargerId: string
  readonly responseUrl: string
  readonly correlationId: string
}

export interface PartnerProfiles {
  /** The charger's number of the partner's profile of a session that it set last and may have. */
  readonly profileId: number | undefined
  /** Of its requests about profiles of that session. */
  readonly lastMinute: number
}

export class PartnerCallbacks extends Context.Service<
  PartnerCallbacks,
  {
    /**
     * What is due by now, oldest first; no other process gets it for `leaseMillis`. The partners in `except` are left out. Across all
     * organisations, for the service itself.
     */
    readonly take: (wanted: {
      readonly now: number
      readonly leaseMillis: number
      readonly limit: number
      readonly limitPerPartner: number
      readonly except: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<DueCallback>, StorageUnavailable>
    /** When the first of those that are open may be due (ms epoch), past where a command has not ended; undefined where none is open. */
    readonly nextDue: Effect.Effect<number | undefined, StorageUnavailable>
    readonly reported: (key: CallbackKey, now: number) => Effect.Effect<void, StorageUnavailable>
    readonly retry: (key: CallbackKey, problem: string, dueAt: number) => Effect.Effect<void, StorageUnavailable>
    readonly giveUp: (key: CallbackKey, problem: string, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Signals that commands have ended; some may be missed. */
    readonly ended: Stream.Stream<void>
    /**
     * True where the very start was asked for less than a minute ago and may still begin: nothing more is sent to the charger, and its result goes
     * to the address of the repeat.
     */
    readonly repeated: (
      organisationId: string,
      start: RepeatedStart,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** The number by which chargers know a partner's reservation: `fresh`, unless it has one. */
    readonly reservationNumber: (
      organisationId: string,
      wanted: Required<ReservationWanted>,
      fresh: number,
      now: number
    ) => Effect.Effect<number, StorageUnavailable>
    /** The newest of the partner's reservations by this name that a charger has or may have. */
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
