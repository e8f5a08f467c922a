/**
 * Calls of ours to a partner: the token in the form that it takes, ids for each try and each story, and the envelope read. Which of the two forms of
 * the token a partner takes is tried, since many take the one that their version does not have (OCPI 2.2.1 §4.1.1).
 */
import { Clock, Data, Effect } from "effect"
import type { Partner } from "../../domain/roaming/Partner.ts"
import { type Answer, readAnswer } from "../protocol/Envelope.ts"
import { statusCodes } from "../protocol/Status.ts"
import { tokenHeader } from "../protocol/TokenHeader.ts"
import { call, type Call, type CallOptions } from "../../outbound/HttpCall.ts"

/** A partner's interface could not be used. `message` may be shown to both sides' operators; it holds no token. */
export class PartnerFailed extends Data.TaggedError("PartnerFailed")<{
  /** Whether it may have been heard. */
  readonly heard: boolean
  /** Of the envelope, where there was one. */
  readonly status: number | undefined
  readonly http: number | undefined
  /** When it wants to be asked again, where it said so (HTTP 429, 503). */
  readonly retryAfterMillis?: number | undefined
  readonly message: string
}> {}

export type TokenForm = "Raw" | "Base64"

export interface Access {
  readonly token: string
  /** The form to try first, and whether the other is tried when it is refused. */
  readonly form: TokenForm
  readonly isFixed: boolean
}

/** Access by a token: in the form that the partner is switched to, or else in the usual one, which is only tried first. */
export const accessBy = (token: string, { switches }: Pick<Partner, "switches">, usual: TokenForm): Access => ({
  token,
  form: switches.tokenForm ?? usual,
  isFixed: switches.tokenForm !== undefined
})

/** One call as it went, for the log: without its headers, since one of them is the token. Each try is one. */
export interface Seen {
  readonly at: number
  readonly millis: number
  readonly call: PartnerCall
  readonly requestId: string
  /** Undefined where there was no answer; `error` says why. */
  readonly answer: { readonly status: number; readonly body: string } | undefined
  readonly error: string | undefined
}

export interface ClientOptions extends CallOptions {
  readonly newId: () => string
  readonly observe?: ((seen: Seen) => void) | undefined
}

export interface PartnerCall extends Pick<Call, "method" | "url" | "body"> {
  /** As the log names it. */
  readonly module: string
  readonly correlationId: string
  readonly headers?: Readonly<Record<string, string>>
  /** The end of the URL that the log must not have, where it is a secret. */
  readonly hidden?: string | undefined
}

/** What a partner answered, and by which form of the token. */
export interface Answered {
  readonly data: unknown
  readonly form: TokenForm
  /** 2xx. */
  readonly http: number
  readonly headers: Readonly<Record<string, string>>
}

const other = (form: TokenForm): TokenForm => (form === "Raw" ? "Base64" : "Raw")

const headersOf = (what: PartnerCall, access: Access, form: TokenForm, requestId: string) => ({
  authorization: tokenHeader(access.token, form),
  accept: "application/json",
  "x-request-id": requestId,
  "x-correlation-id": what.correlationId,
  ...(what.body === undefined ? {} : { "content-type": "application/json" }),
  ...what.headers
})

const send = (what: PartnerCall, access: Access, form: TokenForm, options: ClientOptions) =>
  Effect.gen(function* () {
    const { body, method, url } = what
    const at = yield* Clock.currentTimeMillis
    const requestId = options.newId()
    const seen = (answer: Seen["answer"], error: string | undefined) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        options.observe?.({ at, millis: now - at, call: what, requestId, answer, error })
      )
    return yield* call({ method, url, body, headers: headersOf(what, access, form, requestId) }, options).pipe(
      Effect.tap((answer) => seen(answer, undefined)),
      Effect.tapError(({ message }) => seen(undefined, message)),
      Effect.mapError(({ kind, message }) => {
        const heard = kind !== "forbidden" && kind !== "unreachable"
        return new PartnerFailed({ heard, status: undefined, http: undefined, message })
      })
    )
  })

/** Seconds of `Retry-After`; a date in it is not read, since no partner sends one. */
const retryAfter = (headers: Readonly<Record<string, string>>): number | undefined => {
  const text = headers["retry-after"]?.trim() ?? ""
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined
}

const given = (
  answer: Extract<Answer, { readonly _tag: "Refusal" }>,
  { headers, status }: { readonly headers: Readonly<Record<string, string>>; readonly status: number }
) =>
  new PartnerFailed({
    heard: true,
    status: answer.status,
    http: status,
    retryAfterMillis: retryAfter(headers),
    message: answer.message
  })

/** Whether a refusal may be due to nothing but the form of the token. */
export type OfForm = (http: number, status: number | undefined) => boolean

export const isUnauthorized: OfForm = (http) => http === 401

/**
 * The same of a partner that is being found out about, which has never taken a token from us: in the wrong form some take it for a bad request, for an unknown token
 * or for a forbidden one, and some fail over it in their own code (OCPI 2.2.1 §5.3: 3000).
 */
export const mayBeUnauthorized: OfForm = (http, status) =>
  (http >= 400 && http < 500) || status === statusCodes.ServerError

/** Asks a partner; fails for whatever is no success. A refusal that is `ofForm` is asked again with the other form of the token. */
export const ask = (
  what: PartnerCall,
  access: Access,
  options: ClientOptions,
  ofForm: OfForm = isUnauthorized
): Effect.Effect<Answered, PartnerFailed> =>
  Effect.gen(function* () {
    const by = (form: TokenForm) =>
      Effect.map(send(what, access, form, options), (got) => ({ form, got, answer: readAnswer(got.status, got.body) }))
    const first = yield* by(access.form)
    const again = first.answer._tag === "Refusal" && ofForm(first.got.status, first.answer.status) && !access.isFixed
    const second = again ? yield* by(other(access.form)) : first
    // Where both are refused, the form that is not refused as unknown is the right one, and its answer says what is wrong.
    const { answer, form, got } = second.got.status === 401 ? first : second
    if (answer._tag === "Refusal") return yield* given(answer, got)
    return { data: answer.data, form, http: got.status, headers: got.headers }
  })
