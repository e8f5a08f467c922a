/**
 * Where chargers put their files: `PUT` or `POST /files/up/{token}/{name}`, the token being all they need. Its answers are plain, since
 * what reads them is firmware. The content goes to the store as it comes, and is never held.
 */
import { Clock, Effect, Stream } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { InvalidInput } from "../../domain/Errors.ts"
import { stalledMillis, transferMillis } from "../../domain/file/StoredFile.ts"
import { Files } from "../../domain/ports/Files.ts"
import { plain, tryAgain } from "./Plain.ts"

const stalled = Stream.fail("stalled" as const)
const tooSlow = new InvalidInput({ pointer: "", detail: "The file took too long" })

const upload = Effect.gen(function* () {
  const files = yield* Files
  const request = yield* HttpServerRequest.HttpServerRequest
  const { token = "", name = "" } = yield* HttpRouter.params as Effect.Effect<
    Readonly<Record<string, string | undefined>>
  >
  if (/^multipart\//i.test(request.headers["content-type"] ?? "")) {
    return plain(415, "Send the file itself as the body, not a form with it.")
  }
  const content = Stream.timeoutOrElse(request.stream, { duration: stalledMillis, orElse: () => stalled })
  yield* files
    .receive(token, name, content, yield* Clock.currentTimeMillis)
    .pipe(Effect.timeoutOrElse({ duration: transferMillis, orElse: () => Effect.fail(tooSlow) }))
  return plain(201, "stored")
}).pipe(
  Effect.catchTags({
    NotFound: () => Effect.succeed(plain(404, "There is no such upload, or it came too late.")),
    Conflict: (error) => Effect.succeed(plain(409, error.message)),
    InvalidInput: (error) => Effect.succeed(plain(413, error.detail)),
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
