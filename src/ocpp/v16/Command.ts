/** One command of ours, as a row of the version's table: how it is asked, and how its answer is read. */
import type { ChargerCommand, CommandResult } from "../../domain/charger/ChargerCommand.ts"
import { anyText } from "./Kinds.ts"
import { message, Report, type PayloadObject } from "./Lenient.ts"

export interface Command<Tag extends ChargerCommand["_tag"]> {
  readonly encode: (command: Extract<ChargerCommand, { readonly _tag: Tag }>) => {
    readonly action: string
    readonly payload: Readonly<Record<string, unknown>>
  }
  readonly decode: (payload: PayloadObject) => CommandResult
}

const statusOnly = message({ status: anyText })

/** An answer that is a status. A word that no list knows is kept: whoever asked sees what the charger said. */
export const readStatus = (payload: PayloadObject): CommandResult => {
  const { status } = statusOnly.take(payload, "", new Report())
  return status === undefined || status.trim() === ""
    ? { _tag: "Unreadable", problem: "the answer has no status" }
    : { _tag: "Status", status }
}
