/** Writes partners' requests into the log of their exchanges. Requests with an unknown token are not logged there. */
import { kept, keptPath, ocpiStatusOf } from "../../domain/roaming/ExchangeRecord.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { Exchanges } from "../../domain/roaming/Exchanges.ts"
import type { Answering, Response } from "./Answering.ts"
import type { Request } from "./Asking.ts"

export interface Recorded {
  readonly partner: Pick<Partner, "id" | "organisationId">
  /** OCPI's ModuleID, or `versions`. */
  readonly module: string
  readonly request: Request
  /** The part of the body that was read. */
  readonly requestBody: string | undefined
  readonly answering: Answering
  readonly response: Response
  /** When the answer was complete, ms epoch. */
  readonly now: number
}

/** How many bytes at the end of a body are kept. Our envelopes end with the status, after a page of possibly thousands of objects. */
const tail = 1_024

/** How many bytes at the beginning of a body are kept: enough for everything that is stored of it, whatever its characters. */
const head = 32_768

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** A body's text. Of long bodies in bytes only the beginning and the end are decoded. */
const textOf = ({ body }: Response): string | undefined => {
  if (body._tag !== "Uint8Array") return undefined
  const bytes = body.body
  if (body.text !== undefined) return body.text
  return bytes.length <= head + tail ? decode(bytes) : decode(bytes.subarray(0, head)) + decode(bytes.subarray(-tail))
}

export const recordRequest = (exchanges: Exchanges["Service"], recorded: Recorded): void => {
  const { answering, module, now, partner, request, requestBody, response } = recorded
  const text = textOf(response)
  exchanges.record({
    organisationId: partner.organisationId,
    partnerId: partner.id,
    at: answering.now,
    direction: "in",
    module,
    method: request.method,
    path: keptPath(request.url),
    httpStatus: response.status,
    ocpiStatus: ocpiStatusOf(text?.slice(-tail)),
    millis: now - answering.now,
    requestId: answering.ids.requestId,
    correlationId: answering.ids.correlationId,
    requestBody: kept(requestBody),
    responseBody: kept(text),
    error: undefined
  })
}
