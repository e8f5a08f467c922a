/** One command of ours, as a row of the version's table: how it is asked, and how its answer is read. */
import type { AnswerContent, ChargerCommand, CommandOf } from "../../domain/command/ChargerCommand.ts"
import { cutText } from "../../domain/values/Cut.ts"
import { Report, type Fields, type Message, type PayloadObject, type Read } from "./Lenient.ts"
import { latestTime, writeTime } from "./Time.ts"

type Payload = Readonly<Record<string, unknown>>

/** What an answer says; an `Unreadable` one lacks what it cannot be understood without. */
export type Reading =
  | { readonly _tag: "Read"; readonly status: string | undefined; readonly content: AnswerContent | undefined }
  | { readonly _tag: "Unreadable"; readonly problem: string }

export interface Command<Tag extends ChargerCommand["_tag"]> {
  readonly action: string
  readonly encode: (command: CommandOf<Tag>) => Payload
  readonly decode: (payload: PayloadObject) => Reading
}

/** The members that have a value: what OCPP 1.6 calls optional is left out, and never null. */
export const present = (members: Payload): Payload =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** A time that the message must have; one that no year of four digits has becomes the nearest that can be written. */
export const writeNearestTime = (at: number): string | undefined => writeTime(Math.min(Math.max(at, 0), latestTime))

/** A time that may be missing. */
export const writeOptionalTime = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : writeTime(at)

/** How often, and how far apart, a charger tries a transfer. */
export const writeRetries = (command: {
  readonly retries?: number
  readonly retryIntervalSeconds?: number
}): { readonly retries: number | undefined; readonly retryInterval: number | undefined } => ({
  retries: command.retries,
  retryInterval: command.retryIntervalSeconds
})

/** Takes what can be taken; what deviates in an answer is seen in the answer itself, which is kept. */
export const take = <F extends Fields>(of: Message<F>, payload: PayloadObject): Read<F> =>
  of.take(payload, "", new Report())

/** Longest word that is kept. */
const statusMost = 50

/**
 * An answer with a status, and what else it holds. A word of the list is read whatever its case and spaces are; one that no list knows is
 * kept, so that the issuer sees what the charger said. A number or the like is no status: whether it means yes or no is not known.
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

/** An answer that the specification gives no status: that it came means yes. */
export const answersWithout =
  (content: (payload: PayloadObject) => AnswerContent | undefined): Command<ChargerCommand["_tag"]>["decode"] =>
  (payload) => ({ _tag: "Read", status: undefined, content: content(payload) })
