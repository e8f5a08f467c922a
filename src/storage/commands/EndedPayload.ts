/**
 * The notification that a command has ended. From the database it is the command's id. The journal's writer adds how the command ended for
 * callers in its own process, so that they need not read the command again.
 */
import { Schema } from "effect"
import type { CommandAnswered } from "../../domain/charger/Fact.ts"
import { commandStatuses } from "../../domain/command/Command.ts"
import type { Ended } from "../../domain/command/EndedAs.ts"

const How = Schema.fromJsonString(
  Schema.Struct({
    status: Schema.Literals(commandStatuses),
    result: Schema.Record(Schema.String, Schema.Unknown),
    completedAt: Schema.Finite
  })
)
const write = Schema.encodeSync(How)
const read = Schema.decodeUnknownSync(How)

/**
 * The length limit of the result in a notification; for a longer one the command is read again. Up to a thousand notifications are kept for
 * later callers.
 */
const longest = 4_096

export const endedPayload = ({ at, body: { commandId, result, status } }: CommandAnswered): string => {
  const how = write({ status, result, completedAt: at })
  return how.length > longest ? commandId : `${commandId} ${how}`
}

export const readEndedPayload = (payload: string): { readonly id: string; readonly how: Ended | undefined } => {
  const space = payload.indexOf(" ")
  return space < 0
    ? { id: payload, how: undefined }
    : { id: payload.slice(0, space), how: read(payload.slice(space + 1)) }
}
