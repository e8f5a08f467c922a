/**
 * What the OCPP server must know of a charger before and when it connects: its credentials, its current connection, and the state that its
 * actor starts from. All reads are batched, since the chargers of a whole city may reconnect at once.
 */
import { Context, type Effect } from "effect"
import type { ChargerState, KnownSession } from "./ChargerState.ts"
import type { FoundToken, OrphanReadings, StartWanted } from "./Decision.ts"
import type { StorageUnavailable } from "../Errors.ts"

export interface ChargerCredentials {
  readonly chargerId: string
  readonly organisationId: string
  readonly securityProfile: 0 | 1 | 2 | 3
  /** Keyed hash of the password; undefined if the profile needs none. */
  readonly passwordVerifier: Uint8Array | undefined
  /** Credentials that it was sent and may use by now: a new password's verifier, or a higher profile. They are accepted besides the current ones. */
  readonly pending: ReadonlyArray<{
    readonly passwordVerifier: Uint8Array | undefined
    readonly securityProfile: 1 | 2 | 3 | undefined
  }>
  /** Serial number that the operator registered, if any; a client certificate may carry it as CN. Never the one that the charger reports. */
  readonly registeredSerialNumber: string | undefined
}

export interface ConnectionOpening {
  readonly chargerId: string
  readonly organisationId: string
  readonly ocppVersion: string
  /** The profile that this connection used. */
  readonly securityProfile: 0 | 1 | 2 | 3
  readonly remoteAddress: string
  /** ms epoch. */
  readonly at: number
  /** The credentials that this connection used, if several were possible: from now on only these are accepted. */
  readonly settles?:
    | { readonly passwordVerifier: Uint8Array | undefined; readonly securityProfile: 1 | 2 | 3 | undefined }
    | undefined
}

export interface ConnectionClosing {
  readonly chargerId: string
  readonly organisationId: string
  readonly epoch: number
  /** ms epoch. */
  readonly at: number
  readonly reason: string
}

export class ChargerDirectory extends Context.Service<
  ChargerDirectory,
  {
    /** Undefined for an unregistered id. Batched. */
    readonly credentials: (chargerId: string) => Effect.Effect<ChargerCredentials | undefined, StorageUnavailable>
    /**
     * Assigns the charger's next epoch and returns the state that its actor starts from, read after the assignment. Undefined if the charger
     * was removed meanwhile. Batched; records `ChargerConnected` in the journal.
     */
    readonly open: (opening: ConnectionOpening) => Effect.Effect<ChargerState | undefined, StorageUnavailable>
    /** The state that is stored now, for an actor that does not know whether its last commit succeeded. */
    readonly reload: (chargerId: string, epoch: number) => Effect.Effect<ChargerState | undefined, StorageUnavailable>
    /** Ends a connection; changes nothing when a newer epoch exists. Records `ChargerDisconnected`. Batched. */
    readonly close: (closing: ConnectionClosing) => Effect.Effect<void, StorageUnavailable>
    /** All that the decision on a token needs. `at` (ms epoch) is when charging starts. Batched; scoped by organisation. */
    readonly findToken: (wanted: {
      readonly organisationId: string
      readonly tokenUid: string
      readonly chargerId: string
      readonly at: number
      readonly start?: StartWanted | undefined
    }) => Effect.Effect<FoundToken, StorageUnavailable>
    /** A session of this charger by its transaction id, or undefined. Batched. */
    readonly findSession: (
      chargerId: string,
      transactionId: number
    ) => Effect.Effect<KnownSession | undefined, StorageUnavailable>
    /** The readings of a stop of this charger that waits for its start; empty if the stop is not known. */
    readonly findOrphan: (chargerId: string, orphanId: string) => Effect.Effect<OrphanReadings, StorageUnavailable>
    /** Reserves the numbers `[from, from + size)` for transaction ids and returns `from`. No number is reserved twice. */
    readonly takeTransactionNumbers: (size: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("voltlane/ChargerDirectory") {}
