/**
 * Where chargers put their files: `PUT` or `POST /files/up/{token}/{name}`, the token being all they need; the file is the body, or the
 * first file of a form. Its answers are plain, since what reads them is firmware. The content goes to the store as it comes, and is never held.
 */
import { Clock, Effect, Stream } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { InvalidInput } from "../../domain/Errors.ts"
import { stalledMillis, transferMillis } from "../../domain/file/StoredFile.ts"
import { Files } from "../../domain/file/Files.ts"
import { firstFile, isForm } from "./Form.ts"
import { plain, tryAgain } from "./Plain.ts"
import { declaredBytes } from "./DeclaredBytes.ts"

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
