/** Reads a partner's HTTP request within limits: its ids, its path and query, its body. */
import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { isTooComplex, tooComplex } from "../../domain/values/JsonBounds.ts"
import { Refused } from "../protocol/Status.ts"

export type Request = HttpServerRequest.HttpServerRequest

/** Most bytes of one request's body. The largest realistic object, a token, has some thousands; commands contain one. */
const bodyMaxBytes = 1_048_576

/** Longest id of a request that is echoed. Ids have 36 characters. */
const idMax = 255

const tooLarge = () => new Refused({ reason: { _tag: "TooLarge", limitBytes: bodyMaxBytes } })

const noJson = () => new Refused({ reason: { _tag: "Unreadable", detail: "The body is not valid JSON." } })

const complex = () => new Refused({ reason: { _tag: "Unreadable", detail: tooComplex } })

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** Refuses a compressed body: OCPI has none, and a small one may expand to a large one. */
const encoded = ({ headers }: Request): Refused | undefined => {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding === "identity" || encoding === "") return undefined
  return new Refused({
    reason: {
      _tag: "Unreadable",
      detail: `The body has a content-encoding (${encoding.slice(0, 20)}): send it without one.`
    }
  })
}

/** Why a body is refused without reading it, from its headers. */
const unread = (request: Request): Refused | undefined =>
  encoded(request) ?? (Number(request.headers["content-length"] ?? 0) > bodyMaxBytes ? tooLarge() : undefined)

/** The body's JSON, or undefined if there is no body. `seen` receives its text. */
export const bodyOf = (request: Request, seen: (text: string) => void): Effect.Effect<unknown, Refused> => {
  const refused = unread(request)
  if (refused !== undefined) return Effect.fail(refused)
  return request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMaxBytes)),
    Effect.mapError(tooLarge),
    Effect.tap((text) => Effect.sync(() => seen(text))),
    Effect.filterOrFail((text) => !isTooComplex(text), complex),
    Effect.flatMap((text) => (text.trim() === "" ? Effect.undefined : Effect.mapError(decodeJson(text), noJson)))
  )
}

/** The ids of a request, generated if the partner sent none: 2.1.1 has none, and other partners forget them. */
export const idsOf = (request: Request, newId: () => string) => {
  const given = (name: string) => {
    const id = request.headers[name]
    return id !== undefined && id !== "" && id.length <= idMax && /^[\u0020-\u007e]+$/.test(id) ? id : newId()
  }
  return { requestId: given("x-request-id"), correlationId: given("x-correlation-id") }
}

/** The path below `/ocpi`. */
export const pathOf = (url: string): string => url.replace(/[?#].*$/s, "").replace(/^\/ocpi/, "")

export const queryOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? "")
