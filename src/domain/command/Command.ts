/**
 * A command as everybody but the charger's actor sees it: an object with a life. It is stored before it is sent, sent at most once, and
 * ends in one of its terminal states.
 */
import type { ChargerCommand, CommandResult } from "./ChargerCommand.ts"
import type { FileProgress } from "../file/StoredFile.ts"
import type { NewPartnerCallback } from "./PartnerCallback.ts"
import { connectionLost } from "./Unanswered.ts"

export type CommandType = ChargerCommand["_tag"]

/** `Pending → Sent → Accepted | Rejected | Failed | TimedOut`, and `Pending → Expired | Failed` for what was never sent. */
export const commandStatuses = ["Pending", "Sent", "Accepted", "Rejected", "Failed", "TimedOut", "Expired"] as const
export type CommandStatus = (typeof commandStatuses)[number]

export const isTerminal = (status: CommandStatus): boolean => status !== "Pending" && status !== "Sent"

export interface Command {
  readonly id: string
  readonly organisationId: string
  readonly chargerId: string
  readonly type: CommandType
  readonly status: CommandStatus
  /** As REST was given them, without `type`, secrets masked. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** `Principal.actor`, or `platform`. */
  readonly by: string
  /** ms epoch. */
  readonly createdAt: number
  /** Until when it may wait for the charger to be connected; undefined: it may not wait. */
  readonly expiresAt: number | undefined
  readonly sentAt: number | undefined
  readonly completedAt: number | undefined
  /** The charger's answer as it came, cut where it is very long, or `{ errorCode, errorDescription }`; undefined while there is none. */
  readonly result: Readonly<Record<string, unknown>> | undefined
  /** The session that a RemoteStart was followed by, or that a RemoteStop names. */
  readonly sessionId: string | undefined
  /** What was seen to follow: a session that began by a RemoteStart, or ended after a RemoteStop. */
  readonly effect: "SessionStarted" | "SessionEnded" | undefined
  /** The file of ours that the charger was to bring or to fetch. */
  readonly fileId: string | undefined
  /** What the charger said last of the upload, the download or the installation, wherever the file goes to or comes from. */
  readonly progress: FileProgress | undefined
}

/** A command to be stored. */
export interface NewCommand {
  readonly chargerId: string
  readonly command: ChargerCommand
  readonly parameters: Readonly<Record<string, unknown>>
  /** Seconds that it may wait for the charger to be connected; undefined: not connected is `Failed` at once. */
  readonly expiresInSeconds: number | undefined
  /** Of a RemoteStop. */
  readonly sessionId?: string | undefined
  /** The file of ours that its location leads to. */
  readonly fileId?: string | undefined
  /** The partner's callback that it is: stored with it, unless it fails at once, which the partner hears at once. */
  readonly callback?: NewPartnerCallback | undefined
}

/** True of a command that failed before anybody could be asked. */
export const failedAtOnce = ({ completedAt, createdAt, status }: Command): boolean =>
  status === "Failed" && completedAt === createdAt

/** The statuses that mean yes (contract: an answer without a status means yes too). */
const affirmative: ReadonlySet<string> = new Set(["Accepted", "Unlocked", "Scheduled", "RebootRequired"])

/** How a command ends, and what is shown of it. */
export interface Ending {
  readonly status: Exclude<CommandStatus, "Pending" | "Sent" | "Expired">
  readonly result: Readonly<Record<string, unknown>>
}

const failure = (errorCode: string, errorDescription: string) => ({ errorCode, errorDescription })

/** What came of a command, as everybody sees it. Words are compared without regard to case; chargers spell them as they like. */
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
        result: failure("Timeout", "the charger gave no answer in time; what came of it is not known")
      }
    case "ConnectionLost":
      return connectionLost
    case "Crowded":
      return {
        status: "Failed",
        result: failure("TooManyCommands", "too many commands wait for this charger; it was not sent")
      }
  }
}
