/**
 * Where chargers upload their files: `PUT` or `POST /files/up/{token}/{name}`. The token is the only credential. The file is the body, or
 * the first file of a form. Answers are plain text, since firmware reads them. The content is streamed to the store and never held in
 * memory.
 */
import { Clock, Effect, Stream, Option } from "effect"
import { HttpRouter, HttpServerRequest, Multipart } from "effect/http"
import { InvalidInput } from "../../domain/Errors.ts"
import { stalledMillis, transferMillis } from "../../domain/file/StoredFile.ts"
import { Files } from "../../domain/file/Files.ts"
import { plain, tryAgain } from "./Plain.ts"
import { declaredBytes } from "./DeclaredBytes.ts"

/** Most parts of a form; a charger sends a few fields besides the file. */
const maxParts = 20

/** Most bytes of such a field. It is held in memory and not used. */
const maxFieldBytes = 64 * 1024

/** Longer than a boundary (at most 70 characters, RFC 2046 §5.1.1) with its dashes and line ends. */
const tailChars = 128

const noFile = new InvalidInput({ pointer: "", detail: "The form contains no file, or cannot be read" })

/** Many chargers send files as forms (RFC 7578). */
const isForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
  /^\s*multipart\/form-data\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")

const boundaryOf = (contentType: string): string => /;\s*boundary="?([^";]*)/i.exec(contentType)?.[1]?.trim() ?? ""

/**
 * The multipart parser treats the end of the body as the end of the file, even if the form is incomplete. So this watches the body as it
 * passes: a file that ends together with the body is complete only if the body ends with the closing boundary.
 */
const watching = (body: Stream.Stream<Uint8Array, unknown>, boundary: string) => {
  let tail = ""
  let isOver = false
  const watched = Stream.onEnd(
    Stream.tap(body, (chunk) =>
      Effect.sync(() => {
        tail = (tail + Buffer.from(chunk.subarray(-tailChars)).toString("latin1")).slice(-tailChars)
      })
    ),
    Effect.sync(() => {
      isOver = true
    })
  )
  const brokenOff = Stream.suspend(() =>
    isOver && !tail.trimEnd().endsWith(`--${boundary}--`) ? Stream.fail(noFile) : Stream.empty
  )
  return { watched, whole: (content: Stream.Stream<Uint8Array, unknown>) => Stream.concat(content, brokenOff) }
}

/** Passes the first file of a form to `take`, with its name in the form. Its content fails if the form is incomplete. */
const firstFile = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  body: Stream.Stream<Uint8Array, unknown>,
  take: (name: string, content: Stream.Stream<Uint8Array, unknown>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidInput, R> => {
  const { watched, whole } = watching(body, boundaryOf(request.headers["content-type"] ?? ""))
  return Stream.pipeThroughChannel(watched, Multipart.makeChannel<unknown>(request.headers)).pipe(
    Stream.mapError(() => noFile),
    Stream.filter(Multipart.isFile),
    Stream.take(1),
    Stream.mapEffect((file) => take(file.name, whole(file.content))),
    Stream.runHead,
    Effect.provide(Multipart.limitsServices({ maxParts, maxFieldSize: maxFieldBytes })),
    Effect.flatMap(Option.match({ onNone: () => Effect.fail(noFile), onSome: Effect.succeed }))
  )
}

const stalled = Stream.fail("stalled" as const)
const tooSlow = new InvalidInput({ pointer: "", detail: "The upload took too long" })

const upload = Effect.gen(function* () {
  const files = yield* Files
  const request = yield* HttpServerRequest.HttpServerRequest
  const { token = "", name = "" } = yield* HttpRouter.params as Effect.Effect<
    Readonly<Record<string, string | undefined>>
  >
  const now = yield* Clock.currentTimeMillis
  const body = Stream.timeoutOrElse(request.stream, { duration: stalledMillis, orElse: () => stalled })
  const receiving = isForm(request)
    ? firstFile(request, body, (named, content) => files.receive(token, name === "" ? named : name, content, now))
    : files.receive(token, name, body, now, declaredBytes(request))
  yield* Effect.timeoutOrElse(receiving, { duration: transferMillis, orElse: () => Effect.fail(tooSlow) })
  return plain(201, "stored")
}).pipe(
  Effect.catchTags({
    NotFound: () => Effect.succeed(plain(404, "This upload does not exist or has expired.")),
    Conflict: (error) => Effect.succeed(plain(409, error.message)),
    InvalidInput: (error) => Effect.succeed(plain(413, error.detail)),
    // 503 instead of 429: firmware that does not know 429 still tries again after a 503.
    TooMany: () => Effect.succeed(tryAgain("Too many files are being uploaded at once. Try again later.")),
    StorageUnavailable: () => Effect.succeed(tryAgain("The service cannot store files now. Try again."))
  })
)

/** The routes below `/files/up`. */
export const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* Files
    const handler = Effect.provideService(upload, Files, files)
    for (const method of ["PUT", "POST"] as const) {
      yield* router.add(method, "/files/up/:token", handler)
      yield* router.add(method, "/files/up/:token/:name", handler)
    }
  })
)
