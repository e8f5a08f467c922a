/**
 * The settings of V8: the embedded database is not optimised in the service, since its parser alone would take hundreds of MB; and objects that live
 * no longer than a message cause no collection of the whole heap.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fastDirectory } from "../support/fastDirectory.ts"
import { builtImage } from "../support/image.ts"
import { startProgram } from "../support/processes.ts"

/** In MB: twice the memory it takes, and half of what it takes when it is optimised. */
const limit = 350

describe("a process with the embedded database", () => {
  it.live.skipIf(process.platform !== "linux")(
    "takes no more memory than its buffers and its code need",
    () =>
      Effect.gen(function* () {
        const directory = yield* Effect.acquireRelease(Effect.sync(fastDirectory), (path) =>
          Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const program = yield* startProgram("test/support/engineUser.ts", [join(directory, "db"), yield* builtImage])
        const peak = Number(yield* program.line("peak "))
        assert.isAbove(peak, 50)
        assert.isBelow(peak, limit)
      }),
    120_000
  )
})

describe("a process with many long-lived objects", () => {
  it.live.skipIf("Deno" in globalThis)(
    "does not promote objects that live no longer than a message to the old generation",
    () =>
      Effect.gen(function* () {
        // 3 to 42 MB. Without the settings: 0 to 430 MB, and most runs fail.
        for (let run = 0; run < 3; run++) {
          const program = yield* startProgram("test/support/busyHeap.ts", [])
          assert.isBelow(Number.parseInt(yield* program.line("grown ")), 100)
        }
      }),
    60_000
  )
})
