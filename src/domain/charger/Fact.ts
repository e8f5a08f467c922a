/**
 * Facts: what happened at chargers. They are appended to the journal, and tables are projections of them. A fact's `key` is its business key. A repeat
 * has the same key even if its message id differs, so that the journal's unique constraint makes it change nothing.
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
  /** The charger that the fact is about; `null` for facts about the organisation's own records. */
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
    /** Of a long text only the beginning: the message log has all of it. */
    readonly data: string | undefined
    /** The size of the data in bytes, if it was cut. */
    readonly size?: number
  }
}

export interface TokenAuthorized extends FactBase {
  readonly type: "TokenAuthorized"
  readonly body: { readonly tokenUid: string; readonly authorization: Authorization }
}

/** The tariff version and time zone that price a session. Later changes of the tariff or site do not change its price. */
export interface SessionTariff {
  readonly tariffId: string
  readonly version: number
  /** IANA, of the site. */
  readonly timeZone: string | undefined
}

/** The outcome that is stored for a session that is over. */
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
    /** True if it has the id of its reservation's session and replaces it. */
    readonly reserved?: true | undefined
    /** True if it keeps that session's tariff because it is at the reserved connector. */
    readonly keepsTariff?: true | undefined
    /** The ReserveNow command of the reservation that it uses. */
    readonly consumes?: string | undefined
    readonly authorization: Authorization
    /** The RemoteStart command that it follows. */
    readonly follows?: string | undefined
    /** The tariff version that prices it; missing if none is assigned. */
    readonly tariff?: SessionTariff | undefined
    /** The charger's timestamp as it was sent. */
    readonly rawAt: string | undefined
    /** Sessions on the same connector that this start shows to have ended unheard (OCPP: earlier stop lost or still queued). */
    readonly supersedes: ReadonlyArray<string>
    /** Set for an older start that arrives after a newer one of its connector: it is superseded from the beginning, by that session. */
    readonly supersededBy?: string | undefined
    /** The ends of those, and its own if it is superseded; missing if there are none. */
    readonly ends?: ReadonlyArray<SupersededEnd> | undefined
    /** The register that the start reported, if `meterStartWh` differs. */
    readonly rawMeterStartWh?: number | undefined
    /** True if the charger sent no usable register, so that `meterStartWh` is 0. */
    readonly meterStartMissing?: boolean | undefined
  }
}

export interface MeterRead extends FactBase {
  readonly type: "MeterRead"
  /** Set for readings of a stop that names no transaction: like its `SessionEnded` they are dropped with it, since a repeat could match another session. */
  readonly requires?: string | undefined
  readonly body: Place & {
    /** Undefined for readings outside any transaction of this charger. */
    readonly sessionId: string | undefined
    readonly readings: ReadonlyArray<MeteredReading>
    /** The newest energy register among the readings, and its time (ms epoch). */
    readonly registerWh: number | undefined
    readonly registerAt: number | undefined
    /** The session's energy by that register, Wh; undefined if its own stop has ended it. */
    readonly energyWh?: number | undefined
    /** The power that an open session draws, in W, and the time of the reading that shows it (ms epoch); missing where none does. */
    readonly powerW?: number | undefined
    readonly powerAt?: number | undefined
    /**
     * Of a session whose card was refused: what it is by that register where it is over without a stop of its own. The reading may come
     * after that, on another connection than what showed it to be over.
     */
    readonly refused?: Outcome | undefined
    /** True for those that came inside a StopTransaction. */
    readonly fromStop: boolean
  }
}

/** What is known at the end of a session at which nothing was unusual, as far as its charger's actor can know (`session/Course`). */
export interface PlainEnd {
  /** The least power of its connector, W, with which its energy is believed. */
  readonly powerW: number
  /** What its readings show of the meter; missing if nothing for certain. */
  readonly meter?: { readonly stepWh: number; readonly reportsPower: boolean } | undefined
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
    /** The register that the stop reported, if `meterStopWh` differs. */
    readonly rawMeterStopWh?: number | undefined
    /** `meterStopWh - meterStartWh`, never negative; undefined when it cannot be known. */
    readonly energyWh: number | undefined
    readonly reason: string
    readonly rawAt: string | undefined
    /** True if the stop had no believable time, so that the session ended when the stop was heard. */
    readonly untimed?: true | undefined
    /** Missing if the charger's clock can be believed. */
    readonly clock?: ClockDoubt | undefined
    /** The orphan that turned out to be this session's stop. */
    readonly orphanId?: string | undefined
    /** True of an end that no stop reported (`session/Refused`): the session's own may still come, and takes its place. */
    readonly unheard?: true | undefined
    /** What the stop reported, to be compared with further ones. */
    readonly reported?: ReportedStop | undefined
    /** Missing where its ledger has to be looked at. */
    readonly plain?: PlainEnd | undefined
  }
}

/** A stop (or an unreadable transaction message) without a known session, stored until its start arrives. */
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
    /** The session with a stored stop that this one contradicts; an operator must review it. */
    readonly contradicts?: string | undefined
    /** The readings of a stop that waits for its start. They are stored with the orphan until then, not in the journal. */
    readonly readings?: ReadonlyArray<Reading> | undefined
    /** The frame's text, for operators; a long one is cut. */
    readonly raw: string
  }
}

/** A command was stored, to be sent when no other CALL is open. `by` is `Principal.actor`, or `platform`. */
export interface CommandIssued extends FactBase {
  readonly type: "CommandIssued"
  readonly body: {
    readonly by: string
    readonly commandId: string
    readonly type: ChargerCommand["_tag"]
    /** As in REST, with secrets masked. */
    readonly parameters: Readonly<Record<string, unknown>>
    /** Without its secret. */
    readonly command: ChargerCommand
    /** ms epoch; null if it may not wait for a connection. */
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

/** A complete document about a charger that is not in its row; the last one of each kind counts. */
export interface ChargerDocumentChanged extends FactBase {
  readonly type: "ChargerDocumentChanged"
  /** As in `SessionEnded`: what a start changes is dropped with it if the start is a repeat. */
  readonly requires?: string | undefined
  readonly body:
    | { readonly kind: "chargingProfiles"; readonly document: ReadonlyArray<SetProfile> }
    /** At `at` (ms epoch) the charger agreed to request a certificate. */
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
