/** One command of ours, as a row of the version's table: how it is written, and how its answer is read. */
import type { AnswerContent, ChargerCommand, CommandOf } from "../../domain/command/ChargerCommand.ts"
import { cutText } from "../../domain/values/Cut.ts"
import { Report, type Fields, type Message, type PayloadObject, type Read } from "./Lenient.ts"
import { latestTime, writeTime } from "./Time.ts"

type Payload = Readonly<Record<string, unknown>>

/** A decoded answer. It is `Unreadable` if it lacks a value without which it cannot be understood. */
export type Reading =
  | { readonly _tag: "Read"; readonly status: string | undefined; readonly content: AnswerContent | undefined }
  | { readonly _tag: "Unreadable"; readonly problem: string }

export interface Command<Tag extends ChargerCommand["_tag"]> {
  readonly action: string
  readonly encode: (command: CommandOf<Tag>) => Payload
  readonly decode: (payload: PayloadObject) => Reading
}

/** The members that have a value. What OCPP 1.6 calls optional is left out, never null. */
export const present = (members: Payload): Payload =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/**
 * Writes a time that the message requires. One that cannot be written (before 1970 or after the year 9999) becomes the
 * nearest that can.
 */
export const writeNearestTime = (at: number): string | undefined => writeTime(Math.min(Math.max(at, 0), latestTime))

/** Writes an optional time. */
export const writeOptionalTime = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : writeTime(at)

/** How often a charger tries a transfer, and the time between the tries. */
export const writeRetries = (command: {
  readonly retries?: number
  readonly retryIntervalSeconds?: number
}): { readonly retries: number | undefined; readonly retryInterval: number | undefined } => ({
  retries: command.retries,
  retryInterval: command.retryIntervalSeconds
})

/** Reads whatever can be read. Deviations are not reported: they can be seen in the answer itself, which is stored. */
export const take = <F extends Fields>(of: Message<F>, payload: PayloadObject): Read<F> =>
  of.take(payload, "", new Report())

/** Longest status that is kept. */
const statusMost = 50

/**
 * Decodes an answer with a status and perhaps other content. A known status is accepted in any case and with spaces. An
 * unknown one is kept, so that the issuer sees what the charger answered. A number or other value is not a status,
 * since it is unknown whether it means yes or no.
 */
export const answersWith = (
  words: ReadonlyArray<string>,
  content: (payload: PayloadObject) => AnswerContent | undefined = () => undefined
): Command<ChargerCommand["_tag"]>["decode"] => {
  const known = new Map(words.map((word) => [word.toLowerCase(), word]))
  return (payload) => {
    const { status } = payload
    const said = typeof status === "string" ? status.trim() : ""
    return said === ""
      ? { _tag: "Unreadable", problem: "the answer has no status" }
      : { _tag: "Read", status: known.get(said.toLowerCase()) ?? cutText(said, statusMost), content: content(payload) }
  }
}

/** Decodes an answer for which the specification has no status: any answer means success. */
export const answersWithout =
  (content: (payload: PayloadObject) => AnswerContent | undefined): Command<ChargerCommand["_tag"]>["decode"] =>
  (payload) => ({ _tag: "Read", status: undefined, content: content(payload) })
