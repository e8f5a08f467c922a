/** No files: what REST asks of the port when nothing was ever uploaded. */
import { Effect } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { Files } from "../../src/domain/ports/Files.ts"

const none = (_: string, id: string) => Effect.fail(new NotFound({ kind: "file", id }))

export const noFiles = Files.of({
  expect: () => Effect.succeed("token-of-the-tests"),
  receive: () => Effect.die("nobody uploads in these tests"),
  list: () => Effect.succeed({ items: [], nextCursor: null }),
  get: none,
  content: none
})
