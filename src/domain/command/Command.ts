/**
 * A command as all parts of the service except the charger's actor see it. It is stored before it is sent, is sent at most once, and ends in a
 * terminal status.
 */
import type { ChargerCommand, CommandResult } from "./ChargerCommand.ts"
import type { FileProgress } from "../file/StoredFile.ts"
import type { NewPartnerCallback } from "./PartnerCallback.ts"
import { connectionLost } from "./Unanswered.ts"

export type CommandType = ChargerCommand["_tag"]

/** `Pending → Sent → Accepted | Rejected | Failed | TimedOut`, or `Pending → Expired | Failed` if it is never sent. */
export const commandStatuses = ["Pending", "Sent", "Accepted", "Rejected", "Failed", "TimedOut", "Expired"] as const
export type CommandStatus = (typeof commandStatuses)[number]

export const isTerminal = (status: CommandStatus): boolean => status !== "Pending" && status !== "Sent"

export interface Command {
  readonly id: string
  readonly organisationId: string
  readonly chargerId: string
  readonly type: CommandType
  readonly status: CommandStatus
  /** As in REST, without `type` and with secrets masked. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** `Principal.actor`, or `platform`. */
  readonly by: string
  /** ms epoch. */
  readonly createdAt: number
  /** Until when it may wait for the charger to connect, ms epoch; undefined if it may not wait. */
  readonly expiresAt: number | undefined
  readonly sentAt: number | undefined
  readonly completedAt: number | undefined
  /** The charger's answer as received, cut if it is very long, or `{ errorCode, errorDescription }`; undefined while there is none. */
  readonly result: Readonly<Record<string, unknown>> | undefined
  /** The session that followed a RemoteStart, or that a RemoteStop names. */
  readonly sessionId: string | undefined
  /** The effect that was observed: a session began after a RemoteStart, or ended after a RemoteStop. */
  readonly effect: "SessionStarted" | "SessionEnded" | undefined
  /** The file of ours that the charger was to upload or download. */
  readonly fileId: string | undefined
  /** The last status of the upload, download or installation that the charger reported, also for files that are not ours. */
  readonly progress: FileProgress | undefined
}

/** A command to be stored. */
export interface NewCommand {
  /** Set for a command that may have been issued already: no command is issued twice with the same id. Undefined: a new id. */
  readonly id?: string | undefined
  readonly chargerId: string
  readonly command: ChargerCommand
  readonly parameters: Readonly<Record<string, unknown>>
  /** How many seconds it may wait for the charger to connect; undefined: it fails at once if the charger is not connected. */
  readonly expiresInSeconds: number | undefined
  /** The session of a RemoteStop. */
  readonly sessionId?: string | undefined
  /** The file of ours that its location refers to. */
  readonly fileId?: string | undefined
  /**
   * The epoch of the connection whose actor sends nothing else while this command is being stored. The command is stored as sent by that connection
   * if possible (`goesAtOnce`).
   */
  readonly sentBy?: number | undefined
  /** The partner's callback, stored with the command. If the command fails at once, the partner gets that answer and none is stored. */
  readonly callback?: NewPartnerCallback | undefined
}

/**
 * Whether a command may be stored as sent without waiting first. Nothing else must be stored with the command, and it must not need a check against
 * the charger's security settings. Other commands wait until the charger's actor takes them, often only for a moment.
 */
export const goesAtOnce = ({ callback, command, id }: NewCommand): boolean =>
  id === undefined && callback === undefined && command._tag !== "ChangeConfiguration" && command._tag !== "ReserveNow"

/** True for a command that failed before it could be sent. */
export const failedAtOnce = ({ completedAt, createdAt, status }: Command): boolean =>
  status === "Failed" && completedAt === createdAt

/** The statuses that mean acceptance. By the contract, an answer without a status means acceptance too. */
const affirmative: ReadonlySet<string> = new Set([
  "Accepted",
  "AcceptedCanceled",
  "Unlocked",
  "Scheduled",
  "RebootRequired"
])

/** The final status of a command, and the result that clients see. */
export interface Ending {
  readonly status: Exclude<CommandStatus, "Pending" | "Sent" | "Expired">
  readonly result: Readonly<Record<string, unknown>>
}

const failure = (errorCode: string, errorDescription: string) => ({ errorCode, errorDescription })

/** The outcome of a command as clients see it. Statuses are compared case-insensitively, since chargers differ in their spelling. */
export const endingOf = (result: CommandResult): Ending => {
  switch (result._tag) {
    case "Answered": {
      const { answer, status } = result
      const word = status?.trim().toLowerCase()
      const yes = word === undefined || [...affirmative].some((known) => known.toLowerCase() === word)
      return { status: yes ? "Accepted" : "Rejected", result: answer }
    }
    case "CallError":
      return { status: "Failed", result: failure(result.code, result.description) }
    case "Unreadable":
      return {
        status: "Failed",
        result: { ...failure("UnreadableAnswer", result.problem), answer: result.answer ?? null }
      }
    case "TimedOut":
      return {
        status: "TimedOut",
        result: failure("Timeout", "the charger did not answer in time; the outcome is unknown")
      }
    case "ConnectionLost":
      return connectionLost
    case "Crowded":
      return {
        status: "Failed",
        result: failure("TooManyCommands", "too many commands are waiting for this charger; the command was not sent")
      }
  }
}
