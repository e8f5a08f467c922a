/** What a command has become by its end, where that is all there is to know of it. */
import type { Command, CommandType } from "./Command.ts"
import { sentAtOf } from "./CommandEnd.ts"
import { transferTypes } from "./TransferProgress.ts"

/** How a command ended. */
export interface Ended extends Pick<Command, "status"> {
  readonly result: Readonly<Record<string, unknown>>
  /** ms epoch. */
  readonly completedAt: number
}

/** Of these more may be known than their answer by the time that it comes: a session that began or ended, the progress of a file. */
const followedByMore: ReadonlySet<CommandType> = new Set(["RemoteStart", "RemoteStop", ...transferTypes])

/** A command that was sent as it is after its end; undefined where it has to be looked up, since more may be known of it. */
export const endedAs = (command: Command, ended: Ended): Command | undefined => {
  if (command.status !== "Sent" || followedByMore.has(command.type)) return undefined
  const now = { ...command, ...ended }
  return { ...now, sentAt: sentAtOf(now) }
}
