/**
 * Where chargers put their files: `PUT` or `POST /files/up/{token}/{name}`, the token being all they need. Its answers are plain, since
 * what reads them is firmware. The content goes to the store as it comes, and is never held.
 */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Files } from "../../domain/ports/Files.ts"

const plain = (status: number, line: string) => HttpServerResponse.text(`${line}\n`, { status })

const upload = Effect.gen(function* () {
  const files = yield* Files
  const request = yield* HttpServerRequest.HttpServerRequest
  const { token = "", name = "" } = yield* HttpRouter.params as Effect.Effect<
    Readonly<Record<string, string | undefined>>
  >
  if (/^multipart\//i.test(request.headers["content-type"] ?? "")) {
    return plain(415, "Send the file itself as the body, not a form with it.")
  }
  yield* files.receive(token, name, request.stream, yield* Clock.currentTimeMillis)
  return plain(201, "stored")
}).pipe(
  Effect.catchTags({
    NotFound: () => Effect.succeed(plain(404, "There is no such upload, or it came too late.")),
    Conflict: (error) => Effect.succeed(plain(409, error.message)),
    InvalidInput: (error) => Effect.succeed(plain(413, error.detail)),
    StorageUnavailable: () =>
      Effect.succeed(
        HttpServerResponse.setHeader(plain(503, "The service cannot store files now. Try again."), "retry-after", "30")
      )
  })
)

/** The routes below `/files`. */
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
