/**
 * Our calls to a partner: sends the token and the ids of the request, and reads the envelope of the answer. A partner may expect the token
 * in either of two forms, often not the one of its version (OCPI 2.2.1 §4.1.1), so both are tried.
 */
import { Clock, Data, Effect } from "effect"
import type { Partner } from "../../domain/roaming/Partner.ts"
import { type Answer, readAnswer } from "../protocol/Envelope.ts"
import { statusCodes } from "../protocol/Status.ts"
import { tokenHeader } from "../protocol/TokenHeader.ts"
import { readableCodings } from "../../outbound/ContentCoding.ts"
import { call, type Call, type CallOptions } from "../../outbound/HttpCall.ts"
import { retryAfter } from "../../outbound/RetryAfter.ts"
import { redirectedCall, unfollowed } from "./Redirect.ts"

/** A partner's interface could not be used. `message` may be shown to both sides' operators; it does not contain a token. */
export class PartnerFailed extends Data.TaggedError("PartnerFailed")<{
  /** Whether the partner may have received the request. */
  readonly heard: boolean
  /** The status code in the envelope, if there was one. */
  readonly status: number | undefined
  readonly http: number | undefined
  /** How long the partner wants us to wait, if it says so (HTTP 429, 503). */
  readonly retryAfterMillis?: number | undefined
  readonly message: string
}> {}

export type TokenForm = "Raw" | "Base64"

export interface Access {
  readonly token: string
  /** The form to try first. If `isFixed`, the other form is not tried when it is refused. */
  readonly form: TokenForm
  readonly isFixed: boolean
}

/** Access by a token: in the form set by the partner's switch, or else in the usual form, which is only tried first. */
export const accessBy = (token: string, { switches }: Pick<Partner, "switches">, usual: TokenForm): Access => ({
  token,
  form: switches.tokenForm ?? usual,
  isFixed: switches.tokenForm !== undefined
})

/** One try of a call, for the log. Its headers are left out, since one of them is the token. */
export interface Seen {
  readonly at: number
  readonly millis: number
  readonly call: PartnerCall
  readonly requestId: string
  /** Undefined if there was no answer; `error` then says why. */
  readonly answer: { readonly status: number; readonly body: string } | undefined
  readonly error: string | undefined
}

export interface ClientOptions extends CallOptions {
  readonly newId: () => string
  readonly observe?: ((seen: Seen) => void) | undefined
}

export interface PartnerCall extends Pick<Call, "method" | "url" | "body"> {
  /** The module, as the log names it. */
  readonly module: string
  readonly correlationId: string
  readonly headers?: Readonly<Record<string, string>>
  /** The secret end of the URL, which must not be logged. */
  readonly hidden?: string | undefined
}

/** A partner's answer, and the form of the token that it accepted. */
export interface Answered {
  readonly data: unknown
  readonly form: TokenForm
  /** The HTTP status, always 2xx. */
  readonly http: number
  readonly headers: Readonly<Record<string, string>>
}

const other = (form: TokenForm): TokenForm => (form === "Raw" ? "Base64" : "Raw")

const headersOf = (what: PartnerCall, access: Access, form: TokenForm, requestId: string) => ({
  authorization: tokenHeader(access.token, form),
  accept: "application/json",
  "accept-encoding": readableCodings,
  "x-request-id": requestId,
  "x-correlation-id": what.correlationId,
  ...(what.body === undefined ? {} : { "content-type": "application/json" }),
  ...what.headers
})

const sendOnce = (what: PartnerCall, access: Access, form: TokenForm, options: ClientOptions) =>
  Effect.gen(function* () {
    const { body, method, url } = what
    const at = yield* Clock.currentTimeMillis
    const requestId = options.newId()
    const seen = (answer: Seen["answer"], error: string | undefined) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        options.observe?.({ at, millis: now - at, call: what, requestId, answer, error })
      )
    return yield* call({ method, url, body, headers: headersOf(what, access, form, requestId) }, options).pipe(
      Effect.tap((answer) => seen(answer, unfollowed(answer, what))),
      Effect.tapError(({ message }) => seen(undefined, message)),
      Effect.mapError(({ kind, message }) => {
        const heard = kind !== "forbidden" && kind !== "unreachable"
        return new PartnerFailed({ heard, status: undefined, http: undefined, message })
      })
    )
  })

/** Sends the call, to the target of a redirect if that may be followed. Each of the two requests is in the log. */
const send = (what: PartnerCall, access: Access, form: TokenForm, options: ClientOptions) =>
  Effect.gen(function* () {
    const got = yield* sendOnce(what, access, form, options)
    const redirected = redirectedCall(got, what)
    if (redirected === undefined) return { got, unfollowed: unfollowed(got, what) }
    const last = yield* sendOnce(redirected, access, form, options)
    return { got: last, unfollowed: unfollowed(last, redirected) }
  })

const given = (
  answer: Extract<Answer, { readonly _tag: "Refusal" }>,
  { headers, status }: { readonly headers: Readonly<Record<string, string>>; readonly status: number },
  redirect: string | undefined
) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail(
      new PartnerFailed({
        heard: true,
        status: answer.status,
        http: status,
        retryAfterMillis: retryAfter(headers["retry-after"], now),
        message: redirect ?? answer.message
      })
    )
  )

/** Whether the form of the token alone may have caused a refusal. */
export type OfForm = (http: number, status: number | undefined) => boolean

export const isUnauthorized: OfForm = (http) => http === 401

/**
 * The same during discovery, when a partner has never accepted a token from us. Given the wrong form, partners answer that the request is
 * bad, that the token is unknown or that access is forbidden, and some fail in their own code (OCPI 2.2.1 §5.3: 3000).
 */
export const mayBeUnauthorized: OfForm = (http, status) =>
  (http >= 400 && http < 500) || status === statusCodes.ServerError

/** Calls a partner, and fails unless the answer is a success. A refusal that is `ofForm` is retried with the other form of the token. */
export const ask = (
  what: PartnerCall,
  access: Access,
  options: ClientOptions,
  ofForm: OfForm = isUnauthorized
): Effect.Effect<Answered, PartnerFailed> =>
  Effect.gen(function* () {
    const by = (form: TokenForm) =>
      Effect.map(send(what, access, form, options), ({ got, unfollowed: redirect }) => ({
        form,
        got,
        redirect,
        answer: readAnswer(got.status, got.body)
      }))
    const first = yield* by(access.form)
    const again = first.answer._tag === "Refusal" && ofForm(first.got.status, first.answer.status) && !access.isFixed
    const second = again ? yield* by(other(access.form)) : first
    // If both are refused, the form that does not get 401 is the right one, and its answer has the real reason.
    const { answer, form, got, redirect } = second.got.status === 401 ? first : second
    if (answer._tag === "Refusal") return yield* given(answer, got, redirect)
    return { data: answer.data, form, http: got.status, headers: got.headers }
  })
