/**
 * One message that chargers send, as a row of the version's table: its fields, the event that it becomes, and the
 * answer for each of the domain's replies.
 */
import type { ChargerEvent, UnreadableTransactionMessage } from "../../domain/charger/ChargerEvent.ts"
import type { Reply } from "../../domain/charger/Reply.ts"
import type { DecodedCall, EncodedReply } from "../ProtocolVersion.ts"
import { refusalCodes } from "../rpc/ErrorCode.ts"
import { asObject, lossCode, message, Report, type Fields, type PayloadObject, type Read } from "./Lenient.ts"

export interface Action {
  readonly decode: (payload: unknown) => DecodedCall
  readonly encodeReply: (reply: Reply, now: number) => EncodedReply
}

type Payload = Readonly<Record<string, unknown>>

/** The answer to each reply that the domain may give to this action. */
type Replies = {
  readonly [Tag in Reply["_tag"]]?: (reply: Extract<Reply, { readonly _tag: Tag }>, now: number) => Payload
}

interface Row<F extends Fields, Event> {
  readonly fields: F
  readonly event: (read: Read<F>) => Event
  readonly replies: Replies
}

const none: ReadonlyArray<string> = []

/** The answer to a message that only needs an acknowledgement. */
export const empty = (): Payload => ({})

const encodeReplyWith =
  (replies: Replies) =>
  (reply: Reply, now: number): EncodedReply => {
    if (reply._tag === "Refused") {
      return { _tag: "Error", code: refusalCodes["1.6"][reply.reason], description: reply.description }
    }
    // The row's function for this tag; the index has lost its exact type.
    const encode = replies[reply._tag] as ((reply: Reply, now: number) => Payload) | undefined
    return encode === undefined
      ? {
          _tag: "Error",
          code: "InternalError",
          description: "the service produced an answer that does not fit this message"
        }
      : { _tag: "Result", payload: encode(reply, now) }
  }

const refuseForm: DecodedCall = {
  _tag: "Refused",
  code: "FormationViolation",
  description: "the payload is not a JSON object"
}

/** Reads a payload that does not conform. An array in place of an empty object is reported as a deviation. */
const takeAll = <F extends Fields>(
  of: ReturnType<typeof message<F>>,
  payload: unknown,
  object: PayloadObject
): { readonly read: Read<F>; readonly report: Report } => {
  const report = new Report()
  if (Array.isArray(payload)) report.bent("payload", "other type")
  return { read: of.take(object, "", report), report }
}

/** A message that is refused if one of `needs` cannot be read. All other fields may be missing. */
export const action = <const F extends Fields>(
  row: Row<F, ChargerEvent> & { readonly needs: ReadonlyArray<keyof F & string> }
): Action => {
  const of = message(row.fields)
  return {
    encodeReply: encodeReplyWith(row.replies),
    decode: (payload) => {
      const object = asObject(payload)
      if (object === undefined) return refuseForm
      if (object === payload && of.conforms(object))
        return { _tag: "Event", event: row.event(object), violations: none }
      const { read, report } = takeAll(of, payload, object)
      const lost = row.needs.find((name) => read[name] === undefined)
      if (lost === undefined) return { _tag: "Event", event: row.event(read), violations: report.violations }
      const deviation = report.lossOf(lost) ?? "missing"
      return { _tag: "Refused", code: lossCode(deviation), description: `${lost}: ${deviation}` }
    }
  }
}

/**
 * A message about a transaction. It is never refused, since a CALLERROR only makes the charger repeat it (OCPP 1.6
 * §3.7.1). If `event` cannot make an event of it (undefined), it is passed on as unreadable, to be stored as it was
 * sent.
 */
export const transactionAction = <const F extends Fields>(
  name: UnreadableTransactionMessage["action"],
  row: Row<F, ChargerEvent | undefined>
): Action => {
  const of = message(row.fields)
  const unreadable = (problem: string, violations: ReadonlyArray<string>): DecodedCall => ({
    _tag: "Event",
    event: { _tag: "UnreadableTransactionMessage", action: name, problem },
    violations
  })
  return {
    encodeReply: encodeReplyWith(row.replies),
    decode: (payload) => {
      const object = asObject(payload)
      if (object === undefined) return unreadable(refuseForm.description, ["payload: wrong type"])
      if (object === payload && of.conforms(object)) {
        const event = row.event(object)
        if (event !== undefined) return { _tag: "Event", event, violations: none }
      }
      const { read, report } = takeAll(of, payload, object)
      const event = row.event(read)
      const { violations } = report
      return event === undefined
        ? unreadable(`none of its content can be read (${violations.join(", ")})`, violations)
        : { _tag: "Event", event, violations }
    }
  }
}
