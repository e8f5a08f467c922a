/**
 * Uploads as forms (`multipart/form-data`, RFC 7578), which is how many chargers send files: the first file of the form is the upload, and
 * goes on as it comes.
 */
import { Effect, Option, Stream } from "effect"
import { type HttpServerRequest, Multipart } from "effect/http"
import { InvalidInput } from "../../domain/Errors.ts"

/** Parts before the file: a form of a charger has a few fields. */
const maxParts = 20

/** Bytes of such a field. It is kept in memory and not used. */
const maxFieldBytes = 64 * 1024

/** More than a boundary has (70, RFC 2046 §5.1.1) with its dashes and line ends. */
const tailChars = 128

const noFile = new InvalidInput({ pointer: "", detail: "The form holds no file, or cannot be read" })

export const isForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
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
export const firstFile = <A, E, R>(
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
