/**
 * A program that takes the lock of a directory, for tests with several processes. It prints `held` or the refusal, and holds the lock until it is
 * killed or its standard input ends.
 */
import { Effect } from "effect"
import { holdLock } from "../../src/storage/pglite/Lock.ts"

const [directory = "", nodeId = "child"] = process.argv.slice(2)
const program = holdLock({
  directory,
  nodeId,
  onLost: (line) => {
    console.log(`lost ${line}`)
    process.exit(70)
  }
}).pipe(
  Effect.andThen(
    Effect.callback<void>((resume) => {
      console.log(`held ${process.pid}`)
      process.stdin.on("end", () => resume(Effect.void)).resume()
    })
  ),
  Effect.scoped,
  Effect.catchTag("LockRefused", (error) =>
    Effect.sync(() => {
      console.log(`refused ${error.message}`)
      process.exitCode = 1
    })
  )
)
await Effect.runPromise(program)
process.exit()
