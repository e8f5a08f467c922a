/**
 * Answers that are the same for all callers: descriptions, pages, files of the console, metrics. Their bytes are made once and offered to the listeners,
 * which send them without routing, compressed once. So what a stranger can request most often costs next to nothing.
 */
import { createHash } from "node:crypto"
import { Context, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

export interface Ready {
  /** The headers of every form. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined for answers that change. */
  readonly etag: string | undefined
  readonly plain: Uint8Array
  readonly br: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
}

/** How an answer is sent to one client. */
export interface Sent {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export const etagOf = (plain: Uint8Array): string =>
  `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`

/** An answer that never changes. The listeners compress it. */
export const ready = (text: string, contentType: string, headers: Readonly<Record<string, string>> = {}): Ready => {
  const plain = Buffer.from(text)
  const about = { "content-type": contentType, vary: "Accept-Encoding", ...headers }
  return { headers: about, etag: etagOf(plain), plain, br: undefined, gzip: undefined }
}

/** Chooses the form that a client accepts, or 304 if it has the answer already. */
export const sent = (
  { br, etag, gzip, headers, plain }: Ready,
  accepted: string | undefined,
  known: string | undefined
): Sent => {
  const tagged = etag === undefined ? headers : { ...headers, etag }
  if (etag !== undefined && known?.includes(etag.slice(1, -1)) === true)
    return { status: 304, headers: tagged, body: undefined }
  const encoded = (encoding: string, body: Uint8Array): Sent => ({
    status: 200,
    headers: { ...tagged, "content-encoding": encoding, "content-length": `${body.length}` },
    body
  })
  if (br !== undefined && /\bbr\b/.test(accepted ?? "")) return encoded("br", br)
  if (gzip !== undefined && /\bgzip\b/.test(accepted ?? "")) return encoded("gzip", gzip)
  return { status: 200, headers: { ...tagged, "content-length": `${plain.length}` }, body: plain }
}

/** Sends an answer by way of the router. */
export const respond = (answer: Ready) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers: asked }) => {
    const { body, headers, status } = sent(answer, asked["accept-encoding"], asked["if-none-match"])
    if (body === undefined) return HttpServerResponse.empty({ status, headers })
    return HttpServerResponse.uint8Array(body, { contentType: headers["content-type"] ?? "", headers })
  })

/** Offers the answer for a path to the listeners, for good or until a time of `performance.now`. */
export type Offer = (path: string, answer: Ready, until?: number) => void

export const ReadyAnswers = Context.Reference<Offer>("voltlane/http/ReadyAnswers", {
  defaultValue: () => () => undefined
})
