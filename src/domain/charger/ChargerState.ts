/**
 * The state of a charger's actor. It is loaded from the database when the charger connects and updated by `evolve`. When the outcome of a commit
 * is unknown, it is dropped and loaded again. Values are never mutated.
 */
import type { SetProfile } from "../command/ChargingProfile.ts"
import type { ConnectorStatus, Place } from "../site/Connector.ts"
import type { AuthorizationPolicy, AuthorizationStatus } from "../token/Authorization.ts"
import type { FileKind } from "../file/StoredFile.ts"
import type { NegligibleTransactions, ProgressReported, ProvisionalTransaction, ReportedStop } from "./Fact.ts"
import type { Quirk } from "./Quirks.ts"
import type { TemplateKey } from "./Template.ts"
import type { Registration } from "../values/Registration.ts"
import type { TransactionAction } from "./ChargerEvent.ts"

/** Settings of the organisation that decisions depend on. */
export interface ChargerPolicy extends AuthorizationPolicy {
  readonly heartbeatIntervalSeconds: number
  /** Whether chargers' local authorisation lists follow the organisation's tokens automatically. Undefined means Manual. */
  readonly localLists?: "Manual" | "Managed"
  /** The configuration that is expected of every charger. */
  readonly template?: ReadonlyArray<TemplateKey>
  /** The organisation's own rules of the quirk book. */
  readonly quirks?: ReadonlyArray<Quirk>
}

/** The work on the template since the last boot: rounds of commands, after each of which the configuration is read again. */
export interface Templating {
  /** Keys that were sent, normalised for comparison. A key that still differs is not sent again: the charger accepted it without effect. */
  readonly tried: ReadonlyArray<string>
  /** The ids of commands that have not ended. */
  readonly open: ReadonlyArray<string>
  /** True if a command of this round was accepted. */
  readonly changed: boolean
  /** True once nothing is left to send. Changes that an operator makes from then on are not reverted. */
  readonly done: boolean
}

/** What the readings of a session have shown (`session/Course`). */
export interface Course {
  /** The time (ms epoch) and value (Wh) of the newest register, or of the start. */
  readonly at: number
  readonly wh: number
  /** How many different register values other than 0 the readings had, counted up to a limit. */
  readonly figures: number
  /** The largest step, in Wh, that divides all of them; undefined if only the smallest step does. */
  readonly stepWh: number | undefined
  /** True once a reading contained power or current besides its register. */
  readonly reportsPower: boolean
  /** The register of the newest reading; undefined before the first. */
  readonly readWh: number | undefined
}

/** A session of this charger in the actor's memory: open, superseded, or ended recently. */
export interface KnownSession {
  readonly sessionId: string
  readonly transactionId: number
  readonly place: Place
  readonly tokenUid: string
  readonly startedAt: number
  /** When its start was received, ms epoch. */
  readonly heardAt: number
  /** True if the charger's clock contradicts the order of its sessions, so that all of this one's times are those of receipt. */
  readonly clockIgnored?: true | undefined
  readonly meterStartWh: number
  readonly authorization: AuthorizationStatus
  /** Part of the answer to the start, which a repeated start gets again: until when the charger may cache the card, ms epoch. */
  readonly authorizedUntil?: number | undefined
  /** Also part of that answer: the card's group. */
  readonly parentUid?: string | undefined
  /** `Superseded`: a later start on the connector showed that it has ended. Its own stop may still arrive. */
  readonly status: "Open" | "Superseded" | "Ended"
  /** The newest energy register that was received, and its time; undefined before the first. */
  readonly registerWh: number | undefined
  readonly registerAt: number | undefined
  /** When the start that superseded it took place; undefined while it is open, or if that is not known. */
  readonly supersededAt?: number | undefined
  /** When it ended; undefined while it is open, or if that is not known. */
  readonly endedAt?: number | undefined
  /** What the stop that ended it reported; undefined while there was none, or if that is not known. */
  readonly reportedStop?: ReportedStop | undefined
  /** What its readings have shown; undefined if this actor did not receive all of them. It is not stored and does not affect answers. */
  readonly course?: Course | undefined
  /** The RemoteStart that it follows, while this actor knows: the command's answer may arrive after the start. It is not stored here. */
  readonly follows?: string | undefined
}

/** A stop without a known start, or a start that could not be read; `rawTransactionId` is then the id that the service answered. */
export interface Orphan {
  readonly orphanId: string
  /** When it happened, ms epoch: the time of receipt if the message had no believable time. */
  readonly at: number
  /** When it was received, ms epoch. */
  readonly heardAt: number
  readonly tokenUid: string | undefined
  readonly meterStopWh: number | undefined
  readonly reason: string | undefined
  readonly rawTransactionId: string | undefined
  readonly rawAt: string | undefined
  /** True if it has readings in the database. They are queried once its start arrives. */
  readonly hasReadings?: boolean | undefined
  /** Undefined means StopTransaction. */
  readonly action?: TransactionAction | undefined
}

export interface ConnectorState extends Place {
  readonly status: ConnectorStatus
  readonly errorCode: string | undefined
  /** When the current status was reported, ms epoch. */
  readonly at: number
  /** When it was received, ms epoch. */
  readonly heardAt: number
  /** True when `at` is by the charger's own clock, so that an older report is recognised. */
  readonly byOwnClock?: boolean | undefined
  readonly info?: string | undefined
  readonly vendorId?: string | undefined
  readonly vendorErrorCode?: string | undefined
}

export interface ChargerState {
  readonly chargerId: string
  readonly organisationId: string
  readonly epoch: number
  /** When the newest known connection began, ms epoch. A session whose start was received earlier had an offline time in between. */
  readonly connectedAt: number
  readonly policy: ChargerPolicy
  /** The operator's choice, answered at every boot. */
  readonly registration: Registration
  /** True once a boot was accepted: a charger that reconnects without a boot continues as before. */
  readonly booted: boolean
  readonly vendor: string
  readonly model: string
  readonly firmwareVersion: string
  /** True once the charger has reported its configuration. */
  readonly configured?: boolean | undefined
  /** True once it has booted on this connection: its configuration and statuses were requested then. */
  readonly bootedHere?: boolean | undefined
  /** True if commands were waiting for the charger when it connected. */
  readonly commandsWaiting?: boolean | undefined
  /** Undefined before the template's first command. */
  readonly templating?: Templating | undefined
  /** When it last agreed to ask for a certificate, ms epoch. */
  readonly certificateAskedAt?: number | undefined
  /** The charging profiles that the charger has accepted and that are in force. */
  readonly profiles?: ReadonlyArray<SetProfile> | undefined
  /**
   * The last progress of each kind that it reported on this connection, until the next command to transfer a file is answered. It is not stored, and
   * prevents only that a repeated report is recorded again.
   */
  readonly progress?: { readonly [Kind in FileKind]?: ProgressReported["body"] } | undefined
  readonly connectors: ReadonlyArray<ConnectorState>
  readonly sessions: ReadonlyArray<KnownSession>
  readonly orphans: ReadonlyArray<Orphan>
  /** Its provisional transactions, oldest first: those that run, and the last ones that have ended. Missing if there are none. */
  readonly provisional?: ReadonlyArray<ProvisionalTransaction> | undefined
  /** The negligible transactions of the last day that had any. */
  readonly negligible?: NegligibleTransactions | undefined
}

/**
 * How many of the newest sessions stay in memory after their end. A repeated stop is then answered without the database, and a late start finds
 * the session that began after it.
 */
export const endedSessionsKept = 4

/**
 * How many superseded sessions stay in memory. Each has a stop that was lost or is still queued in the charger. Older ones are matched by their
 * transaction id only, in the database.
 */
export const supersededSessionsKept = 16

/** How many open sessions stay in memory. A charger has one per connector, so far fewer. Others are found in the database by their id. */
export const openSessionsKept = 256

/** How many waiting orphans stay in memory. Older ones remain stored for operators, but are no longer matched. */
export const orphansKept = 32

/** How many connectors a charger may report. Statuses of further ones are acknowledged and not stored. */
export const connectorsKept = 256
