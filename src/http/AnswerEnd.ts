/**
 * Reports when an answer has left this process, or can no longer be sent. Only the socket's listener knows this. It is used to count the
 * answers that are still in memory. Without a socket (in tests) an answer ends as soon as it is made.
 */
import { Context } from "effect"

/** Calls `ended` once, when the answer to a request has ended. `source` is the request object that the listener received. */
export type OnAnswerEnd = (source: object, ended: () => void) => void

export const AnswerEnd = Context.Reference<OnAnswerEnd>("voltlane/http/AnswerEnd", {
  defaultValue: () => (_source, ended) => ended()
})
