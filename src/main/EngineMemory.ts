/**
 * Keeps V8's optimising compiler away from the embedded database, which is WebAssembly. Optimised are the functions that run most, and one of
 * them is PostgreSQL's parser, a single function so large that this takes half a second of CPU and 500 MB, of which much stays. Without it
 * a statement costs about a sixth more. The settings are the process's own, so they are made only where that database is used, before it is loaded.
 */
import { setFlagsFromString } from "node:v8"
import { Effect, type Redacted } from "effect"

/** Both: at run time neither implies the other, and either alone leaves it on. Deno takes them and changes nothing. */
export const engineFlags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"] as const

/** For a process on the database of `url`; without one, that is the embedded database. */
export const saveEngineMemory = (url: Redacted.Redacted | undefined): Effect.Effect<void> =>
  Effect.sync(() => {
    if (url === undefined) for (const flag of engineFlags) setFlagsFromString(flag)
  })
