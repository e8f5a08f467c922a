/** Derives a command's final state from its end, for commands about which nothing else can have changed. */
import type { Command, CommandType } from "./Command.ts"
import { sentAtOf } from "./CommandEnd.ts"
import { transferTypes } from "./TransferProgress.ts"

/** How a command ended. */
export interface Ended extends Pick<Command, "status"> {
  readonly result: Readonly<Record<string, unknown>>
  /** ms epoch. */
  readonly completedAt: number
}

/** Before the answer to such a command arrives, more may be stored about it: a session that began or ended, the progress of a file. */
const followedByMore: ReadonlySet<CommandType> = new Set(["RemoteStart", "RemoteStop", ...transferTypes])

/** A sent command as it is after its end; undefined if it must be read again, since more may be stored about it. */
export const endedAs = (command: Command, ended: Ended): Command | undefined => {
  if (command.status !== "Sent" || followedByMore.has(command.type)) return undefined
  const now = { ...command, ...ended }
  return { ...now, sentAt: sentAtOf(now) }
}
