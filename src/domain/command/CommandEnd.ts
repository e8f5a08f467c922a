/** The end of a command, as those decisions see it that follow from it. */
import type { CommandStatus } from "./Command.ts"

export interface CommandEnd {
  readonly commandId: string
  readonly organisationId: string
  readonly chargerId: string
  readonly status: Exclude<CommandStatus, "Pending" | "Sent">
  /** `Principal.actor`, or `platform`. */
  readonly by: string
  /** When it was handed to the charger's connection (ms epoch); undefined: it never was. */
  readonly sentAt: number | undefined
  readonly sentEpoch: number | undefined
  /** ms epoch. */
  readonly completedAt: number
  /** The status of the charger's answer, as the charger spelt it. */
  readonly answer: string | undefined
  readonly errorCode: string | undefined
}

/** True where the charger may have done what it was asked although it gave no answer that says so. */
export const isUnknownOutcome = ({ errorCode, status }: Pick<CommandEnd, "status" | "errorCode">): boolean =>
  status === "TimedOut" || errorCode === "ConnectionLost" || errorCode === "UnreadableAnswer"

/** Codes of what was refused on our side after the command was taken to be sent. */
const refusedByUs: ReadonlySet<unknown> = new Set(["TooManyCommands", "NotAccepted"])

/** True of a command that was handed to a connection and never left it. */
export const wasHeldBack = (errorCode: unknown): boolean => refusedByUs.has(errorCode)

/** True where the charger may have done what it was asked by now, of a command that was sent. */
export const mayHaveObeyed = (command: { readonly status: CommandStatus; readonly errorCode: unknown }): boolean =>
  command.status === "Sent" ||
  command.status === "Accepted" ||
  command.status === "TimedOut" ||
  command.errorCode === "ConnectionLost"
