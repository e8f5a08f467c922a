/**
 * Errors in both of OCPI's forms: the status code in the envelope, and the HTTP status (OCPI 2.2.1 §5, §4.1.7). If the partner is known and
 * its request addresses something that exists, an error in the content is HTTP 200 with a 2xxx. Errors before that are HTTP errors.
 */
import { Data } from "effect"

/** Every status code that we send. All are the standard's; none is our own. */
export const statusCodes = {
  Success: 1000,
  ClientError: 2000,
  InvalidParameters: 2001,
  NotEnoughInformation: 2002,
  UnknownLocation: 2003,
  UnknownToken: 2004,
  ServerError: 3000,
  PartnerUnusable: 3001,
  UnsupportedVersion: 3002,
  EndpointsMissing: 3003
} as const

export type StatusCode = (typeof statusCodes)[keyof typeof statusCodes]

/** Why a request is refused. */
export type Reason =
  /** No token, an unknown one, or one that does not give access to this. */
  | { readonly _tag: "Unauthorized"; readonly why: "NoHeader" | "NoToken" | "Unknown" | "RegistrationOnly" | "NotYet" }
  /** Our operator has suspended the partner: nothing is exchanged until the suspension is lifted. */
  | { readonly _tag: "Suspended" }
  /** The request is in the name of a party that is not one of the partner's. */
  | { readonly _tag: "ForeignParty"; readonly detail: string }
  /** The body is not JSON, or the query or path cannot be read. */
  | { readonly _tag: "Unreadable"; readonly detail: string }
  /** Nothing is at this address. */
  | { readonly _tag: "UnknownPath" }
  | { readonly _tag: "MethodNotAllowed"; readonly allowed: ReadonlyArray<string> }
  /** The partner is registered and must not be, or the other way round (OCPI 2.2.1 §7.2.2-4). */
  | { readonly _tag: "WrongRegistration"; readonly detail: string }
  | { readonly _tag: "NotFound"; readonly object: "Location" | "Token" | "Session" | "Other"; readonly detail: string }
  /** The request can be read, but its content is invalid. */
  | { readonly _tag: "Invalid"; readonly detail: string }
  | { readonly _tag: "NotEnoughInformation"; readonly detail: string }
  /** The partner's own interface, which we must call for this request, failed. */
  | { readonly _tag: "PartnerUnusable"; readonly detail: string }
  | { readonly _tag: "UnsupportedVersion"; readonly detail: string }
  | { readonly _tag: "EndpointsMissing"; readonly detail: string }
  | { readonly _tag: "TooLarge"; readonly limitBytes: number }
  | { readonly _tag: "TooMany"; readonly retryAfterSeconds: number }
  /** The storage is unavailable, or this service has a defect. */
  | { readonly _tag: "Failed" }

export class Refused extends Data.TaggedError("Refused")<{ readonly reason: Reason }> {}

export const refuse = (reason: Reason): Refused => new Refused({ reason })

export const invalid = (detail: string): Refused => refuse({ _tag: "Invalid", detail })

/** Longest description of a problem that a partner is shown. */
const faultMax = 300

/** The problem of a body, in one line. */
export const faultOf = ({ message }: { readonly message: string }): string =>
  message.replaceAll(/\s+/g, " ").slice(0, faultMax)

/** A refusal on the wire. */
export interface Refusal {
  readonly http: number
  readonly status: StatusCode
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const notFound = {
  Location: "UnknownLocation",
  Token: "UnknownToken",
  Session: "InvalidParameters",
  Other: "InvalidParameters"
} as const

const unauthorized = {
  NoHeader: "The Authorization header is missing. Send `Authorization: Token …` with the token from the credentials.",
  NoToken:
    "The Authorization header does not have OCPI's format. Send `Authorization: Token …` with the token from the credentials.",
  Unknown: "This token is unknown. Send `Authorization: Token …` with the one from the credentials.",
  RegistrationOnly:
    "This token gives access only to the versions, their details and the credentials. POST your credentials; the answer has the token for everything else.",
  NotYet: "This token gives access only to the versions and their details until we have your answer to our credentials."
} as const

const suspended = "Your connection is suspended. Contact the operator."

/** `unknownToken` is the version's status code for an unknown token. */
export const refusalOf = (reason: Reason, unknownToken: 2001 | 2004): Refusal => {
  switch (reason._tag) {
    case "Unauthorized":
      return {
        http: 401,
        status: statusCodes.InvalidParameters,
        message: unauthorized[reason.why],
        headers: { "www-authenticate": "Token" }
      }
    case "Suspended":
      return { http: 403, status: statusCodes.ClientError, message: suspended }
    case "ForeignParty":
      return { http: 403, status: statusCodes.InvalidParameters, message: reason.detail }
    case "Unreadable":
      return { http: 400, status: statusCodes.InvalidParameters, message: reason.detail }
    case "UnknownPath":
      return {
        http: 404,
        status: statusCodes.ClientError,
        message: "This URL does not exist: see the version details for the URLs of modules."
      }
    case "MethodNotAllowed": {
      const allowed = reason.allowed.join(", ")
      return {
        http: 405,
        status: statusCodes.ClientError,
        message: `This URL supports only ${allowed}.`,
        headers: { allow: allowed }
      }
    }
    case "WrongRegistration":
      return { http: 405, status: statusCodes.ClientError, message: reason.detail }
    case "NotFound": {
      const status = reason.object === "Token" ? unknownToken : statusCodes[notFound[reason.object]]
      return { http: 404, status, message: reason.detail }
    }
    case "Invalid":
      return { http: 200, status: statusCodes.InvalidParameters, message: reason.detail }
    case "NotEnoughInformation":
      return { http: 200, status: statusCodes.NotEnoughInformation, message: reason.detail }
    case "PartnerUnusable":
      return { http: 200, status: statusCodes.PartnerUnusable, message: reason.detail }
    case "UnsupportedVersion":
      return { http: 200, status: statusCodes.UnsupportedVersion, message: reason.detail }
    case "EndpointsMissing":
      return { http: 200, status: statusCodes.EndpointsMissing, message: reason.detail }
    case "TooLarge":
      return {
        http: 413,
        status: statusCodes.ClientError,
        message: `The body is larger than ${reason.limitBytes} bytes.`
      }
    case "TooMany":
      return {
        http: 429,
        status: statusCodes.ClientError,
        message: `Too many requests: try again in ${reason.retryAfterSeconds} s.`,
        headers: { "retry-after": String(reason.retryAfterSeconds) }
      }
    case "Failed":
      return {
        http: 500,
        status: statusCodes.ServerError,
        message: "The service failed; your request is not the cause. Try again later."
      }
  }
}
