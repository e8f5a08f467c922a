/**
 * Where chargers download their firmware: `GET` or `HEAD /files/down/{token}/{name}`. The token is the only credential. Since connections
 * break, a file may be fetched in parts and repeatedly until the token expires.
 */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Files } from "../../domain/file/Files.ts"
import { plain, tryAgain } from "./Plain.ts"
import type { ByteRange } from "../../domain/file/StoredFile.ts"

const form = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i

/**
 * The requested range of a file of `size` bytes. `whole` if no range is requested, or one that may be ignored (RFC 9110 §14.2: another
 * unit, several ranges, a header that cannot be parsed). `unsatisfiable` if the file has no such bytes.
 */
export const rangeOf = (header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" => {
  const [, first = "", last = ""] = form.exec(header ?? "") ?? []
  if (first === "" && last === "") return "whole"
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size - 1 }
  }
  const from = Number(first)
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== "" && Number(last) < from) return "whole"
  return from >= size ? "unsatisfiable" : { from, to }
}

const contentType = "application/octet-stream"

const download = Effect.gen(function* () {
  const files = yield* Files
  const { headers, method } = yield* HttpServerRequest.HttpServerRequest
  const { token = "" } = yield* HttpRouter.params as Effect.Effect<Readonly<Record<string, string | undefined>>>
  const { file, read } = yield* files.fetch(token, yield* Clock.currentTimeMillis)
  const etag = `"${file.sha256 ?? ""}"`
  // A client that has the beginning of another file must get the whole of this one (RFC 9110 §13.1.5). A date in If-Range never matches.
  const isSame = headers["if-range"] === undefined || headers["if-range"] === etag
  // §14.2: Range applies to GET only.
  const range = rangeOf(method === "GET" && isSame ? headers["range"] : undefined, file.size)
  const about = { "accept-ranges": "bytes", etag, "cache-control": "no-store", "x-content-type-options": "nosniff" }
  if (range === "unsatisfiable") {
    const answer = plain(416, "The requested range is outside the file.")
    return HttpServerResponse.setHeaders(answer, { ...about, "content-range": `bytes */${file.size}` })
  }
  if (range === "whole") {
    const options = { contentType, contentLength: file.size, headers: about }
    return HttpServerResponse.stream(read(), options)
  }
  const { from, to } = range
  return HttpServerResponse.stream(read(range), {
    status: 206,
    contentType,
    contentLength: to - from + 1,
    headers: { ...about, "content-range": `bytes ${from}-${to}/${file.size}` }
  })
}).pipe(
  Effect.catchTags({
    NotFound: () => Effect.succeed(plain(404, "This download does not exist or has expired.")),
    StorageUnavailable: () => Effect.succeed(tryAgain("The service cannot read files now. Try again."))
  })
)

/** The routes below `/files/down`. The token identifies the file; the name is only for the charger. */
export const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* Files
    const handler = Effect.provideService(download, Files, files)
    // The router handles HEAD by the GET route.
    yield* router.add("GET", "/files/down/:token", handler)
    yield* router.add("GET", "/files/down/:token/:name", handler)
  })
)
