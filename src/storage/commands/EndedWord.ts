/**
 * The word that a command has ended. Through the database it is the command's id; the journal's writer adds for the callers of its own process how the
 * command ended, so that they need not read it again.
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

/** A longer answer is read again instead: words are kept for callers that come late, a thousand at most. */
const longest = 4_096

export const endedWord = ({ at, body: { commandId, result, status } }: CommandAnswered): string => {
  const how = write({ status, result, completedAt: at })
  return how.length > longest ? commandId : `${commandId} ${how}`
}

export const readEndedWord = (word: string): { readonly id: string; readonly how: Ended | undefined } => {
  const space = word.indexOf(" ")
  return space < 0 ? { id: word, how: undefined } : { id: word.slice(0, space), how: read(word.slice(space + 1)) }
}
