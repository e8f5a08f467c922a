/**
 * Facts: what happened at chargers. They are appended to the journal, and tables are projections of them. A fact's `key` is its business key. A
 * repeated message has the same key even if its message id differs, and the journal's unique constraint ensures that it changes nothing.
 */
import type { MeteredReading, Reading } from "./MeterValue.ts"
import type { Authorization } from "../token/Authorization.ts"
import type { ChargerCommand, ConfigurationKey } from "../command/ChargerCommand.ts"
import type { ConnectorStatus, Place } from "../site/Connector.ts"
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
  /** The charger that the fact is about. */
  readonly chargerId: string
  /** When it happened: by the charger's clock if that is believable, otherwise when it was received; ms epoch. */
  readonly at: number
  /** When the service received it; ms epoch. */
  readonly heardAt: number
}

/**
 * Facts about a charger's present state contain the epoch of the connection that reported them. The journal drops those of an older connection.
 * Facts about transactions have no epoch and are stored from any authenticated connection.
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
 * A status that was older than the current one when it arrived, for example because a charger sends its queue after it was offline. It is stored in
 * the connector's history and does not change the present state.
 */
export interface PastStatusReported extends StateFactBase {
  readonly type: "PastStatusReported"
  readonly body: ConnectorStatusChanged["body"]
}

export interface ConfigurationReported extends StateFactBase {
  readonly type: "ConfigurationReported"
  readonly body: { readonly keys: ReadonlyArray<ConfigurationKey>; readonly unknown: ReadonlyArray<string> }
}

/** Some configuration keys: reported by name, or changed by an accepted command. The other keys stay as they were reported. */
export interface ConfigurationKeysLearned extends StateFactBase {
  readonly type: "ConfigurationKeysLearned"
  readonly body: {
    /** `readonly` is missing if only the value is known. */
    readonly keys: ReadonlyArray<{
      readonly key: string
      readonly value: string | undefined
      readonly readonly?: boolean
    }>
    /** Keys that the charger says it does not have. */
    readonly gone: ReadonlyArray<string>
  }
}

/** Progress of a firmware update, diagnostics upload or log upload. `command/TransferProgress` finds the command that requested it. */
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
    /** A long text is cut: the message log has all of it. */
    readonly data: string | undefined
    /** The size of the data in bytes, if it was cut. */
    readonly size?: number
  }
}

export interface TokenAuthorized extends FactBase {
  readonly type: "TokenAuthorized"
  readonly body: { readonly tokenUid: string; readonly authorization: Authorization }
}

/** The part of a stop that its session's price depends on. */
export interface ReportedStop {
  readonly meterStopWh: number | undefined
  /** The charger's time, ms epoch, whether or not it is believed. */
  readonly at: number | undefined
  /** When it was received, ms epoch, if it named the transaction: the charger had the answer to the start by then. */
  readonly namedAt?: number | undefined
}

/** The tariff version and time zone that price a session. Later changes of the tariff or site do not change its price. */
export interface SessionTariff {
  readonly tariffId: string
  readonly version: number
  /** The IANA time zone of the site. */
  readonly timeZone: string | undefined
}

/** The stored outcome of a session that is over. */
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
    /** True if it has the id of its reservation's session and replaces that session. */
    readonly reserved?: true | undefined
    /** True if it keeps that session's tariff, because it starts at the reserved connector. */
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
    /** True if that timestamp contradicts the order of the connector's sessions, so that the session has the times of receipt. */
    readonly clockIgnored?: true | undefined
    /** Sessions on the same connector that must have ended before this start; their stops are lost or still queued in the charger. */
    readonly supersedes: ReadonlyArray<string>
    /** Set for an older start that arrives after a newer one on its connector: that newer session supersedes it from the beginning. */
    readonly supersededBy?: string | undefined
    /** The ends of the superseded sessions, and its own if it is superseded; missing if there are none. */
    readonly ends?: ReadonlyArray<SupersededEnd> | undefined
    /** The register that the start reported, if `meterStartWh` differs. */
    readonly rawMeterStartWh?: number | undefined
    /** True if the charger sent no usable register, so that `meterStartWh` is 0. */
    readonly meterStartMissing?: boolean | undefined
  }
}

export interface MeterRead extends FactBase {
  readonly type: "MeterRead"
  /**
   * Set for readings of a stop that names no transaction. As for its `SessionEnded`, a repeat of that stop drops them, since it could match another
   * session.
   */
  readonly requires?: string | undefined
  readonly body: Place & {
    /** Undefined for readings outside any transaction of this charger. */
    readonly sessionId: string | undefined
    readonly readings: ReadonlyArray<MeteredReading>
    /** The newest energy register among the readings, and its time (ms epoch). */
    readonly registerWh: number | undefined
    readonly registerAt: number | undefined
    /** The session's energy by that register, in Wh; undefined if a stop has already ended the session. */
    readonly energyWh?: number | undefined
    /** The power that an open session draws, in W, and the time of its reading (ms epoch); missing if no reading shows it. */
    readonly powerW?: number | undefined
    readonly powerAt?: number | undefined
    /**
     * For a session whose card was refused: its outcome by that register, if it is over without a stop. The reading may arrive after the message
     * that showed the session to be over, and on another connection.
     */
    readonly refused?: Outcome | undefined
    /** True for readings that were part of a StopTransaction. */
    readonly fromStop: boolean
  }
}

/** What is known at the end of a session in which the charger's actor saw nothing unusual (`session/Course`). */
export interface PlainEnd {
  /** The minimum power in W that its connector must have for its energy to be plausible. */
  readonly powerW: number
  /** What its readings show about the meter; missing if nothing is certain. */
  readonly meter?: { readonly stepWh: number; readonly reportsPower: boolean } | undefined
}

export interface SessionEnded extends FactBase {
  readonly type: "SessionEnded"
  /**
   * Business key of another fact of the same commit (a `SessionStarted` or an `OrphanRecorded`) that this one follows from. If that key is stored
   * already, this fact is dropped too and reported as not recorded: a repeat must not end a session that it did not end before.
   */
  readonly requires?: string | undefined
  readonly body: Outcome & {
    readonly sessionId: string
    readonly tokenUid: string | undefined
    /** The register at the start, if the start had none but the readings of the stop do. */
    readonly meterStartWh?: number | undefined
    readonly meterStopWh: number | undefined
    /** The register that the stop reported, if `meterStopWh` differs. */
    readonly rawMeterStopWh?: number | undefined
    /** `meterStopWh - meterStartWh`, never negative; undefined if it cannot be known. */
    readonly energyWh: number | undefined
    readonly reason: string
    readonly rawAt: string | undefined
    /** True if the stop had no believable time. The session then ended when the stop was received. */
    readonly untimed?: true | undefined
    /** Missing if the charger's clock can be believed. */
    readonly clock?: ClockDoubt | undefined
    /** The orphan that turned out to be this session's stop. */
    readonly orphanId?: string | undefined
    /** True for an end that no stop reported (`session/Refused`). The session's own stop may still arrive, and replaces this end. */
    readonly unheard?: true | undefined
    /** What the stop reported, for comparison with further stops of the session. */
    readonly reported?: ReportedStop | undefined
    /** Missing if the session's ledger must be checked. */
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
    /** The session whose stored stop this one contradicts; an operator must review it. */
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
    /** The command without its secret. */
    readonly command: ChargerCommand
    /** Until when it may wait for a connection, ms epoch; null if it may not wait. */
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

/** A document about a charger that is stored outside its row. Each replaces the previous one of its kind. */
export interface ChargerDocumentChanged extends FactBase {
  readonly type: "ChargerDocumentChanged"
  /** As in `SessionEnded`: if the start is a repeat, the change that follows from it is dropped too. */
  readonly requires?: string | undefined
  readonly body:
    | { readonly kind: "chargingProfiles"; readonly document: ReadonlyArray<SetProfile> }
    /** At `at` (ms epoch) the charger agreed to request a certificate. */
    | { readonly kind: "certificateAsked"; readonly document: { readonly at: number } }
    /** The public key of the meter of an EVSE (0: of those without a key of their own), which the charger sent by DataTransfer. */
    | { readonly kind: `meterKey:${number}`; readonly document: { readonly publicKey: string } }
}

/** A transaction that a charger began beyond its daily number, until it is known to be plausible (`session/Provisional`). */
export interface ProvisionalTransaction {
  /** The start, as it is recorded if the transaction becomes a session. */
  readonly start: SessionStarted
  /** Its readings, up to a limit. */
  readonly readings: ReadonlyArray<MeterRead>
  /** Set once it was counted as negligible: what its stop reported; nothing if it had to give way to others. */
  readonly stop?: ReportedStop | undefined
}

/** The transactions of a charger on one day (UTC) that were counted and not kept. */
export interface NegligibleTransactions {
  /** The beginning of the day, ms epoch. */
  readonly day: number
  readonly transactions: number
  readonly energyWh: number
  /** When the first and the last of them were counted, ms epoch. */
  readonly firstAt: number
  readonly lastAt: number
}

/** A change of a charger's provisional transactions. It is stored with the other facts of its commit, but is not part of the journal. */
export interface ProvisionalChanged extends FactBase {
  readonly type: "ProvisionalChanged"
  readonly body: {
    /** New and changed ones. */
    readonly kept: ReadonlyArray<ProvisionalTransaction>
    /** True if one of them is new, with the fresh transaction id of its decision. */
    readonly begins?: true | undefined
    /** The transaction ids of those that are no longer needed. */
    readonly gone: ReadonlyArray<number>
    /** The day's new totals, if a transaction was counted. */
    readonly counted?: NegligibleTransactions | undefined
  }
}

/** The totals of a day so far: published when the number reaches 1, 10, 100 and so on. */
export interface NegligibleTransactionsCounted extends FactBase {
  readonly type: "NegligibleTransactionsCounted"
  readonly body: NegligibleTransactions
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
  | ProvisionalChanged
  | NegligibleTransactionsCounted
