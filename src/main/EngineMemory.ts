/**
 * The settings of V8 that this process needs, made at its start, so that the command line stays `node src/main.ts`.
 */
import { setFlagsFromString } from "node:v8"
import { Effect, type Redacted } from "effect"

const set = (flags: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const flag of flags) setFlagsFromString(flag)
  })

/**
 * Fewer and shorter collections under load (decision 0025): an object begins among the young ones wherever it comes from, and the whole heap is looked
 * through when it has doubled.
 */
export const fewerCollections: Effect.Effect<void> = set([
  "--no-allocation-site-pretenuring",
  "--heap-growing-percent=100"
])

/** Both: at run time neither implies the other, and either alone leaves it on. Deno takes them and changes nothing. */
const plainWasm = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]

/**
 * Keeps V8's optimising compiler away from the embedded database, which is WebAssembly; for a process on the database of `url`, before that is loaded.
 * Without an address it is the embedded one. Optimised are the functions that run most, and one of them is PostgreSQL's parser, a single function so large
 * that this takes half a second of CPU and 500 MB, of which much stays. Without it a statement costs about a sixth more.
 */
export const saveEngineMemory = (url: Redacted.Redacted | undefined): Effect.Effect<void> =>
  url === undefined ? set(plainWasm) : Effect.void
