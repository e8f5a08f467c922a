/**
 * Where chargers put their files: `PUT` or `POST /files/up/{token}/{name}`, the token being all they need; the file is the body, or the
 * first file of a form. Its answers are plain, since what reads them is firmware. The content goes to the store as it comes, and is never held.
 */
import { Clock, Effect, Stream, Option } from "effect"
import { HttpRouter, HttpServerRequest, Multipart } from "effect/http"
import { InvalidInput } from "../../domain/Errors.ts"
import { stalledMillis, transferMillis } from "../../domain/file/StoredFile.ts"
import { Files } from "../../domain/file/Files.ts"
import { plain, tryAgain } from "./Plain.ts"
import { declaredBytes } from "./DeclaredBytes.ts"

/** Parts before the file: a form of a charger has a few fields. */
const maxParts = 20

/** Bytes of such a field. It is kept in memory and not used. */
const maxFieldBytes = 64 * 1024

/** More than a boundary has (70, RFC 2046 §5.1.1) with its dashes and line ends. */
const tailChars = 128

const noFile = new InvalidInput({ pointer: "", detail: "The form holds no file, or cannot be read" })

/** Many chargers send files as forms (RFC 7578). */
const isForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
  /^\s*multipart\/form-data\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")

const boundaryOf = (contentType: string): string => /;\s*boundary="?([^";]*)/i.exec(contentType)?.[1]?.trim() ?? ""

/**
 * The parser ends a file quietly where the body ends, whether or not the form does. This one watches the body go by, and knows: a file that
 * ends only when there is no more body is whole where the form's last line is its end.
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

/** Gives the first file of a form to `take`, with the name that the form has for it. Its content breaks off where the form does. */
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
const tooSlow = new InvalidInput({ pointer: "", detail: "The file took too long" })

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
    NotFound: () => Effect.succeed(plain(404, "There is no such upload, or it came too late.")),
    Conflict: (error) => Effect.succeed(plain(409, error.message)),
    InvalidInput: (error) => Effect.succeed(plain(413, error.detail)),
    // Firmware that knows no 429 comes again after a 503.
    TooMany: () => Effect.succeed(tryAgain("Too many files come at once. Try again.")),
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
