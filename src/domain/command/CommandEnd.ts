/** The end of a command, as far as later decisions depend on it. */
import type { Command, CommandStatus } from "./Command.ts"

export interface CommandEnd {
  readonly commandId: string
  readonly organisationId: string
  readonly chargerId: string
  readonly status: Exclude<CommandStatus, "Pending" | "Sent">
  /** `Principal.actor`, or `platform`. */
  readonly by: string
  /** When it was passed to the charger's connection (ms epoch); undefined if it never was. */
  readonly sentAt: number | undefined
  readonly sentEpoch: number | undefined
  /** ms epoch. */
  readonly completedAt: number
  /** The status of the charger's answer, as the charger spelt it. */
  readonly answer: string | undefined
  readonly errorCode: string | undefined
}

/** True if the charger may have executed the command without confirming it. */
export const isUnknownOutcome = ({ errorCode, status }: Pick<CommandEnd, "status" | "errorCode">): boolean =>
  status === "TimedOut" || errorCode === "ConnectionLost" || errorCode === "UnreadableAnswer"

/** Error codes of refusals by this service after the command was taken from the queue. */
const refusedByUs: ReadonlySet<unknown> = new Set(["TooManyCommands", "NotAccepted"])

/** True for a command that was passed to a connection but never sent. */
export const wasHeldBack = (errorCode: unknown): boolean => refusedByUs.has(errorCode)

/** True if the charger may have executed the command by now. */
export const mayHaveObeyed = (command: { readonly status: CommandStatus; readonly errorCode: unknown }): boolean =>
  command.status === "Sent" ||
  command.status === "Accepted" ||
  command.status === "TimedOut" ||
  command.errorCode === "ConnectionLost"

/** When a command was sent, for display. A command that was passed to a connection but never sent has no such time. */
export const sentAtOf = ({
  result,
  sentAt,
  status
}: Pick<Command, "result" | "sentAt" | "status">): number | undefined =>
  status === "Failed" && wasHeldBack(result?.["errorCode"]) ? undefined : sentAt
