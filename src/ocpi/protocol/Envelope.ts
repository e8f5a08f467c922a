/**
 * The envelope of every answer (OCPI 2.2.1 §4.1.7). We leave `data` out if there is none. Partners send null, an empty object or an empty
 * list instead, no status at all, or nothing.
 */
import { Schema } from "effect"
import type { Around } from "../../domain/site/Locations.ts"
import { outsideText } from "../../domain/values/OutsideText.ts"
import { printTimestamp } from "./Timestamp.ts"
import { statusCodes, type StatusCode } from "./Status.ts"

export interface Envelope {
  readonly data?: unknown
  readonly status_code: StatusCode
  readonly status_message?: string
  readonly timestamp: string
}

/** The envelope of a success at `now` (ms epoch). */
export const success = (data: unknown, now: number): Envelope => ({
  ...(data === undefined ? {} : { data }),
  status_code: statusCodes.Success,
  timestamp: printTimestamp(now)
})

/** The same around a list whose items are already JSON, so that stored JSON is not parsed and written again. */
export const successAround = (now: number): Around => ({
  before: '{"data":[',
  after: `],"status_code":${statusCodes.Success},"timestamp":"${printTimestamp(now)}"}`
})

export const failure = (status_code: StatusCode, status_message: string, now: number): Envelope => ({
  status_code,
  status_message,
  timestamp: printTimestamp(now)
})

const Received = Schema.Struct({
  data: Schema.optionalKey(Schema.Unknown),
  status_code: Schema.optionalKey(Schema.Union([Schema.Finite, Schema.FiniteFromString])),
  status_message: Schema.optionalKey(Schema.Unknown)
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Received))

/** A partner's answer after reading: its data, or the reason of its refusal. */
export type Answer =
  | { readonly _tag: "Success"; readonly data: unknown }
  | { readonly _tag: "Refusal"; readonly status: number | undefined; readonly message: string }

const isEmpty = (data: unknown): boolean =>
  data === null || (typeof data === "object" && !Array.isArray(data) && Object.keys(data).length === 0)

/**
 * Reads an answer with HTTP status `http`. In the field there are answers with 204 and no body, with 200 and no status_code, and with an
 * HTTP error instead of one in the envelope. A success is 2xx with a status code of 1xxx or none.
 */
export const readAnswer = (http: number, body: string): Answer => {
  const ok = http >= 200 && http < 300
  if (body.trim() === "") return ok ? { _tag: "Success", data: undefined } : refusal(http, undefined, undefined)
  const given = decode(body)
  if (given._tag === "None") {
    return { _tag: "Refusal", status: undefined, message: `HTTP ${http} with an answer that is not OCPI` }
  }
  const { data, status_code, status_message } = given.value
  const isSuccess = ok && (status_code === undefined || (status_code >= 1000 && status_code < 2000))
  if (!isSuccess) return refusal(http, status_code, status_message)
  return { _tag: "Success", data: isEmpty(data) ? undefined : data }
}

/** Longest message of a partner that is shown, and stored with what it refused. */
const messageMax = 500

const refusal = (http: number, status: number | undefined, message: unknown): Answer => ({
  _tag: "Refusal",
  status,
  message: outsideText(
    [`HTTP ${http}`, status === undefined ? "" : `status ${status}`, typeof message === "string" ? message : ""]
      .filter((part) => part !== "")
      .join(", "),
    messageMax
  )
})
