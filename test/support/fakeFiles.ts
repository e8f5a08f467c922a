/** No files: the port's answers to REST if nothing was ever uploaded. */
import { Effect, Stream } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { Files } from "../../src/domain/file/Files.ts"

const none = (_: string, id: string) => Effect.fail(new NotFound({ kind: "file", id }))
const id = "01970000-0000-7000-8000-000000000001"

export const noFiles = Files.of({
  expect: () => Effect.succeed({ id, token: "token-of-the-tests" }),
  receive: () => Effect.die("these tests upload nothing"),
  store: (name, content, { by, now }) =>
    Effect.map(
      Effect.orDie(
        Stream.runFold(
          content,
          () => 0,
          (size, chunk) => size + chunk.length
        )
      ),
      (size) => ({
        id,
        organisationId: by.organisationId,
        chargerId: undefined,
        kind: "Firmware",
        name,
        state: "Stored",
        size,
        receivedBytes: size,
        sha256: "00",
        commandId: undefined,
        progress: undefined,
        createdAt: now,
        completedAt: now
      })
    ),
  offer: (_, __, fileId) => none("", fileId),
  fetch: () => Effect.fail(new NotFound({ kind: "download", id: "this one" })),
  list: () => Effect.succeed({ items: [], nextCursor: null }),
  get: none,
  content: none,
  remove: (fileId) => none("", fileId)
})
