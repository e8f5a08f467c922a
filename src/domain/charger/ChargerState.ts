/**
 * What a charger's actor knows: loaded from the database when the charger connects, kept by `evolve`, dropped and loaded again when a
 * commit's outcome is unknown. Values are never mutated.
 */
import type { SetProfile } from "../command/ChargingProfile.ts"
import type { ConnectorStatus, Place } from "../site/Connector.ts"
import type { AuthorizationStatus } from "../token/Authorization.ts"
import type { Quirk } from "./Quirks.ts"
import type { TemplateKey } from "./Template.ts"
import type { Registration } from "../values/Registration.ts"
import type { TransactionAction } from "./ChargerEvent.ts"

/** Settings of the organisation that decisions depend on. */
export interface ChargerPolicy {
  /** What becomes of an unknown token. */
  readonly unknownTokens: "Refuse" | "Accept"
  /** Whether a token may have two sessions at once. */
  readonly concurrentTransactions: "Refuse" | "Allow"
  readonly heartbeatIntervalSeconds: number
  /** Whether chargers' local authorisation lists are kept in step with the organisation's tokens. Undefined means Manual. */
  readonly localLists?: "Manual" | "Managed"
  /** The configuration that is expected of every charger. */
  readonly template?: ReadonlyArray<TemplateKey>
  /** The organisation's own rules of the quirk book. */
  readonly quirks?: ReadonlyArray<Quirk>
}

/** What was done about the template since the last boot, in rounds of commands with a look at the configuration after each. */
export interface Templating {
  /** Keys that were sent, as they compare. One that drifts all the same is not sent again: the charger does not mean its yes. */
  readonly tried: ReadonlyArray<string>
  /** Commands that have not ended. */
  readonly open: ReadonlyArray<string>
  /** One of this round was accepted. */
  readonly changed: boolean
  /** Nothing was left to send: what an operator changes from now on stays as he set it. */
  readonly done: boolean
}

/** What a stop says that decides what its session costs. */
export interface ReportedStop {
  readonly meterStopWh: number | undefined
  /** The charger's time, ms epoch, whether or not it is believed. */
  readonly at: number | undefined
}

/** A session of this charger that the actor keeps at hand: open, superseded, or ended a short while ago. */
export interface KnownSession {
  readonly sessionId: string
  readonly transactionId: number
  readonly place: Place
  readonly tokenUid: string
  readonly startedAt: number
  /** When its start was heard, ms epoch. */
  readonly heardAt: number
  readonly meterStartWh: number
  readonly authorization: AuthorizationStatus
  /** What the start was answered besides, for its repeat to say it again: how long the charger may remember its card, ms epoch, … */
  readonly authorizedUntil?: number | undefined
  /** … and of which group it is. */
  readonly parentUid?: string | undefined
  /** `Superseded`: a later start on the connector showed that it ended; its own stop may still come. */
  readonly status: "Open" | "Superseded" | "Ended"
  /** Newest energy register heard and its time; undefined before the first. */
  readonly registerWh: number | undefined
  readonly registerAt: number | undefined
  /** When the start that superseded it took place; undefined while open, or when it is not known. */
  readonly supersededAt?: number | undefined
  /** When it ended; undefined while it has not, or when it is not known. */
  readonly endedAt?: number | undefined
  /** What the stop said that ended it; undefined while none has, or when it is not known. */
  readonly reportedStop?: ReportedStop | undefined
}

/** A stop without a known start, or a start that could not be read (`rawTransactionId` is then the id it was answered with). */
export interface Orphan {
  readonly orphanId: string
  readonly at: number
  readonly tokenUid: string | undefined
  readonly meterStopWh: number | undefined
  readonly reason: string | undefined
  readonly rawTransactionId: string | undefined
  readonly rawAt: string | undefined
  /** Readings came with it, which are asked for once its start turns up. */
  readonly hasReadings?: boolean | undefined
  /** Undefined means StopTransaction. */
  readonly action?: TransactionAction | undefined
}

export interface ConnectorState extends Place {
  readonly status: ConnectorStatus
  readonly errorCode: string | undefined
  /** ms epoch of the report in force. */
  readonly at: number
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
  /** When the newest connection that is known of began, ms epoch: a session that was heard of before has seen the charger away. */
  readonly connectedAt: number
  readonly policy: ChargerPolicy
  /** The operator's choice, answered at every boot. */
  readonly registration: Registration
  /** True once a boot was ever accepted: a charger that reconnects without booting goes on where it was. */
  readonly booted: boolean
  readonly vendor: string
  readonly model: string
  readonly firmwareVersion: string
  /** True once the charger has reported its configuration. */
  readonly configured?: boolean | undefined
  /** True once it booted on this very connection: what it can tell has been asked for already. */
  readonly bootedHere?: boolean | undefined
  /** True when commands waited for the charger as it connected. */
  readonly commandsWaiting?: boolean | undefined
  /** Undefined before the first command of it. */
  readonly templating?: Templating | undefined
  /** When it last agreed to ask for a certificate, ms epoch. */
  readonly certificateAskedAt?: number | undefined
  /** The charging profiles that the charger has accepted and that stand. */
  readonly profiles?: ReadonlyArray<SetProfile> | undefined
  readonly connectors: ReadonlyArray<ConnectorState>
  readonly sessions: ReadonlyArray<KnownSession>
  readonly orphans: ReadonlyArray<Orphan>
}

/**
 * How many of the sessions that were started last are kept at hand though they have ended: a repeated stop is answered without asking the
 * database, and a late start finds the one that began after it.
 */
export const endedSessionsKept = 4

/**
 * How many superseded sessions are kept at hand. Each is a stop that was lost or is still queued in the charger; a queue of more is no
 * longer matched without a transaction id, and with one the database is asked.
 */
export const supersededSessionsKept = 16

/** How many open sessions are kept at hand: one per connector, and no charger has nearly as many. Others are found by their id. */
export const openSessionsKept = 256

/** How many waiting orphans are kept at hand; older ones stay stored for people to look at and are no longer matched. */
export const orphansKept = 32

/** How many connectors a charger may report; what it says of further ones is acknowledged and not stored. */
export const connectorsKept = 256
