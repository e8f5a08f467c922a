/**
 * When an answer has left this process, or never will: known to the socket's listener, and used to count what is in memory until
 * then. Without a socket (tests) an answer ends as soon as it is made.
 */
import { Context } from "effect"

/** Calls `ended` once for the answer to a request; `source` is the request as the listener was given it. */
export type OnAnswerEnd = (source: object, ended: () => void) => void

export const AnswerEnd = Context.Reference<OnAnswerEnd>("voltlane/http/AnswerEnd", {
  defaultValue: () => (_source, ended) => ended()
})
