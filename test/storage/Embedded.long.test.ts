/**
 * The embedded database of a process that is killed during its very first start, while the files are being made, and then again and again.
 * Creating them twice takes 15 seconds, so this is not part of every run.
 */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { killedAfter, makeDirectory, writer } from "../support/embeddedLives.ts"

describe("the embedded database", () => {
  it.live(
    "has every acknowledged row once after processes were killed while creating the files and later",
    () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const first = yield* writer(directory)
        yield* Effect.sleep("1500 millis")
        yield* first.kill("SIGKILL")
        yield* first.ended
        yield* killedAfter(directory, 100)
        yield* killedAfter(directory, 900)
      }),
    180_000
  )
})
