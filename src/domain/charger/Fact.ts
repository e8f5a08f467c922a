/**
 * Facts: the things that happened, in the domain's words. The journal holds them append-only and every other table is a projection of
 * them. A fact's `key` is its business key: a retry of the same thing has the same key whatever its message id, and the journal's unique
 * constraint on it is what makes a retry change nothing.
 */
import type { MeteredReading, Reading } from "./MeterValue.ts"
import type { Authorization } from "../token/Authorization.ts"
import type { ChargerCommand, ConfigurationKey } from "../command/ChargerCommand.ts"
import type { ConnectorStatus, Place } from "../site/Connector.ts"
import type { ReportedStop } from "./ChargerState.ts"
import type { ClockDoubt } from "./ClockDoubt.ts"
import type { SetProfile } from "../command/ChargingProfile.ts"
import type { CommandStatus } from "../command/Command.ts"
import type { Registration } from "../values/Registration.ts"
import type { FileKind } from "../file/StoredFile.ts"
import type { ReportedIdentity, TransactionAction } from "./ChargerEvent.ts"

interface FactBase {
  /** Business key, unique over the service; hashed before it is stored. */
  readonly key: string
  readonly organisationId: string
  /** The charger that the fact is about; `null` for facts of the organisation's own records. */
  readonly chargerId: string
  /** When it happened by the charger's clock where that can be believed, else when it was heard; ms epoch. */
  readonly at: number
  /** When the service heard of it; ms epoch. */
  readonly heardAt: number
}

/**
 * Facts about a charger's present state carry the epoch of the connection that reported them: one of an older connection is dropped by the
 * journal's fence. Facts about transactions carry none and are stored from any authenticated connection.
 */
interface StateFactBase extends FactBase {
  readonly epoch: number
}

export interface ChargerBooted extends StateFactBase {
  readonly type: "ChargerBooted"
  readonly body: ReportedIdentity & { readonly registration: Registration }
}

export interface ConnectorStatusChanged extends StateFactBase {
  readonly type: "ConnectorStatusChanged"
  readonly body: Place & {
    readonly status: ConnectorStatus
    readonly rawStatus: string
    readonly errorCode: string | undefined
    readonly info: string | undefined
    readonly vendorId: string | undefined
    readonly vendorErrorCode: string | undefined
  }
}

/**
 * A status that a newer one had overtaken when we heard of it, as when a charger empties its queue after an offline time: it belongs to
 * the connector's history and changes nothing of the present state.
 */
export interface PastStatusReported extends StateFactBase {
  readonly type: "PastStatusReported"
  readonly body: ConnectorStatusChanged["body"]
}

export interface ConfigurationReported extends StateFactBase {
  readonly type: "ConfigurationReported"
  readonly body: { readonly keys: ReadonlyArray<ConfigurationKey>; readonly unknown: ReadonlyArray<string> }
}

/** Some keys that the charger reported, or took as they were changed; the rest stays as it was reported. */
export interface ConfigurationKeysLearned extends StateFactBase {
  readonly type: "ConfigurationKeysLearned"
  readonly body: {
    /** `readonly` is missing where only the value is known. */
    readonly keys: ReadonlyArray<{
      readonly key: string
      readonly value: string | undefined
      readonly readonly?: boolean
    }>
    /** Keys that the charger says it does not have. */
    readonly gone: ReadonlyArray<string>
  }
}

/** Firmware, diagnostics, log upload: progress that later issues tie to the command that asked for it. */
export interface ProgressReported extends StateFactBase {
  readonly type: "ProgressReported"
  readonly body: {
    readonly kind: FileKind
    readonly status: string
    readonly requestId: number | undefined
  }
}

export interface SecurityEventRecorded extends FactBase {
  readonly type: "SecurityEventRecorded"
  /** `source` distinguishes what the charger reported from what the service itself noticed (a foreign transaction id, T06). */
  readonly body: { readonly source: "charger" | "service"; readonly event: string; readonly detail: string | undefined }
}

export interface CertificateSigningRequested extends FactBase {
  readonly type: "CertificateSigningRequested"
  readonly body: { readonly csr: string }
}

export interface DataTransferred extends FactBase {
  readonly type: "DataTransferred"
  readonly body: {
    readonly vendorId: string
    readonly messageId: string | undefined
    /** Of a long one the beginning: the message log has the message. */
    readonly data: string | undefined
    /** Bytes of the data, where not all of it is here. */
    readonly size?: number
  }
}

export interface TokenAuthorized extends FactBase {
  readonly type: "TokenAuthorized"
  readonly body: { readonly tokenUid: string; readonly authorization: Authorization }
}

/** What a session is priced by. A tariff or a site that is changed later does not change its price. */
export interface SessionTariff {
  readonly tariffId: string
  readonly version: number
  /** IANA, of the site. */
  readonly timeZone: string | undefined
}

/** What a session is stored as once it is over. */
export interface Outcome {
  /** `INVALID`: its card was refused and no energy flowed. */
  readonly status: "COMPLETED" | "INVALID"
  /** Why the session is held back from billing, if it is; see `session/Plausibility`. */
  readonly heldReason: string | undefined
}

/** The end of a session that another start showed to be over (`session/Superseded`). */
export interface SupersededEnd extends Outcome {
  readonly sessionId: string
  /** ms epoch. */
  readonly at: number
  readonly reason: string
}

export interface SessionStarted extends FactBase {
  readonly type: "SessionStarted"
  readonly body: Place & {
    readonly sessionId: string
    readonly transactionId: number
    readonly tokenUid: string
    readonly meterStartWh: number
    readonly reservationId: number | undefined
    /** True where it goes on under the id of the session that stood for its reservation, and takes its place. */
    readonly reserved?: true | undefined
    /** True where that session's tariff stays the session's, since it goes on at the connector that was reserved. */
    readonly keepsTariff?: true | undefined
    /** The ReserveNow command whose reservation it consumes. */
    readonly consumes?: string | undefined
    readonly authorization: Authorization
    /** The RemoteStart command that it follows. */
    readonly follows?: string | undefined
    /** The tariff version that it is priced by; missing where none is assigned. */
    readonly tariff?: SessionTariff | undefined
    /** The charger's timestamp as it was sent. */
    readonly rawAt: string | undefined
    /** Sessions on the same connector that this start shows to have ended unheard (OCPP: earlier stop lost or still queued). */
    readonly supersedes: ReadonlyArray<string>
    /** Set for an older start that arrives after a newer one of its connector: it is superseded from the beginning, by that session. */
    readonly supersededBy?: string | undefined
    /** The ends of those, and its own where it is superseded; missing where there are none. */
    readonly ends?: ReadonlyArray<SupersededEnd> | undefined
    /** What the start said, where `meterStartWh` is something else. */
    readonly rawMeterStartWh?: number | undefined
    /** True when the charger sent no usable register and `meterStartWh` is 0 for want of it. */
    readonly meterStartMissing?: boolean | undefined
  }
}

export interface MeterRead extends FactBase {
  readonly type: "MeterRead"
  /** Those of a stop that names no transaction fall with it, as its `SessionEnded` does: a repeat may be matched to another session. */
  readonly requires?: string | undefined
  readonly body: Place & {
    /** Undefined for readings outside any transaction of this charger. */
    readonly sessionId: string | undefined
    readonly readings: ReadonlyArray<MeteredReading>
    /** The newest energy register among the readings, and its time (ms epoch). */
    readonly registerWh: number | undefined
    readonly registerAt: number | undefined
    /** Wh that the session has by that register; undefined for one that its own stop has ended. */
    readonly energyWh?: number | undefined
    /**
     * Of a session whose card was refused: what it is by that register where it is over without a stop of its own. The reading may come
     * after that, on another connection than what showed it to be over.
     */
    readonly refused?: Outcome | undefined
    /** True for those that came inside a StopTransaction. */
    readonly fromStop: boolean
  }
}

export interface SessionEnded extends FactBase {
  readonly type: "SessionEnded"
  /**
   * Business key of another fact of the same commit (a `SessionStarted` or an `OrphanRecorded`) that this one follows from. Where that key
   * stood already, this fact is dropped too and comes back as not recorded: a repeat must not end a session that it did not end before.
   */
  readonly requires?: string | undefined
  readonly body: Outcome & {
    readonly sessionId: string
    readonly tokenUid: string | undefined
    /** The start's register, where the readings of the stop have one that the start did not. */
    readonly meterStartWh?: number | undefined
    readonly meterStopWh: number | undefined
    /** What the stop said, where `meterStopWh` is something else. */
    readonly rawMeterStopWh?: number | undefined
    /** `meterStopWh - meterStartWh`, never negative; undefined when it cannot be known. */
    readonly energyWh: number | undefined
    readonly reason: string
    readonly rawAt: string | undefined
    /** True when the stop reported no time that can be true, so that it ended when that was heard. */
    readonly untimed?: true | undefined
    /** Missing where the charger's clock leaves no doubt. */
    readonly clock?: ClockDoubt | undefined
    /** The orphan that turned out to be this session's stop. */
    readonly orphanId?: string | undefined
    /** True of an end that no stop reported (`session/Refused`): the session's own may still come, and takes its place. */
    readonly unheard?: true | undefined
    /** What the stop said, for another one to be compared with. */
    readonly reported?: ReportedStop | undefined
  }
}

/** A stop (or an unreadable transaction message) for which no session is known: kept until its start turns up. */
export interface OrphanRecorded extends FactBase {
  readonly type: "OrphanRecorded"
  readonly body: {
    readonly orphanId: string
    readonly action: TransactionAction
    /** As the charger sent it; for an unreadable start, the transaction id that it was answered with. */
    readonly rawTransactionId: string | undefined
    readonly tokenUid: string | undefined
    readonly meterStopWh: number | undefined
    readonly reason: string | undefined
    readonly rawAt: string | undefined
    readonly problem: string
    /** The session that it says something else of than the stored stop, which an operator must look at. */
    readonly contradicts?: string | undefined
    /** What came with a stop that waits for its start; kept with it until then, and not in the journal. */
    readonly readings?: ReadonlyArray<Reading> | undefined
    /** The frame's text, for people who look into it; a long one is cut. */
    readonly raw: string
  }
}

/** A command was stored, to be sent when the charger's line is free. `by` is `Principal.actor`, or `platform`. */
export interface CommandIssued extends FactBase {
  readonly type: "CommandIssued"
  readonly body: {
    readonly by: string
    readonly commandId: string
    readonly type: ChargerCommand["_tag"]
    /** As REST would have been given them; secrets masked. */
    readonly parameters: Readonly<Record<string, unknown>>
    /** Without its secret. */
    readonly command: ChargerCommand
    /** ms epoch; null where it may not wait for a connection. */
    readonly expiresAt: number | null
  }
}

/** A command has ended. The first end counts. */
export interface CommandAnswered extends FactBase {
  readonly type: "CommandAnswered"
  readonly body: {
    readonly commandId: string
    readonly type: ChargerCommand["_tag"]
    readonly status: CommandStatus
    readonly result: Readonly<Record<string, unknown>>
  }
}

/** What is known of a charger beyond its row, whole: the last one of each kind counts. */
export interface ChargerDocumentChanged extends FactBase {
  readonly type: "ChargerDocumentChanged"
  /** As in `SessionEnded`: what a start changes falls with it where it was a repeat. */
  readonly requires?: string | undefined
  readonly body:
    | { readonly kind: "chargingProfiles"; readonly document: ReadonlyArray<SetProfile> }
    /** The charger was asked to have a certificate of its own signed, at `at` (ms epoch), and said that it will. */
    | { readonly kind: "certificateAsked"; readonly document: { readonly at: number } }
}

/** Everything that a charger's actor commits. */
export type ChargerFact =
  | ChargerBooted
  | ConnectorStatusChanged
  | PastStatusReported
  | ConfigurationReported
  | ConfigurationKeysLearned
  | ProgressReported
  | SecurityEventRecorded
  | CertificateSigningRequested
  | DataTransferred
  | TokenAuthorized
  | SessionStarted
  | MeterRead
  | SessionEnded
  | OrphanRecorded
  | CommandIssued
  | CommandAnswered
  | ChargerDocumentChanged
