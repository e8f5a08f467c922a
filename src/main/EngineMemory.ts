/** V8 settings of this process. They are set at its start, so that the command line remains `node src/main.ts`. */
import { setFlagsFromString } from "node:v8"
import { Effect, type Redacted } from "effect"

const set = (flags: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const flag of flags) setFlagsFromString(flag)
  })

/**
 * Fewer and shorter garbage collections under load (decision 0025): every object is first allocated in the young
 * generation, and the whole heap is collected only after it has doubled.
 */
export const fewerCollections: Effect.Effect<void> = set([
  "--no-allocation-site-pretenuring",
  "--heap-growing-percent=100"
])

/**
 * Both flags are needed: at run time neither implies the other, and either alone leaves tier-up on. Deno accepts them,
 * but they change nothing there.
 */
const plainWasm = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]

/**
 * Turns off V8's optimising compiler for the embedded database, which is WebAssembly. Call it before that is loaded.
 * Without a `url` the database is the embedded one; with one this does nothing.
 *
 * The functions that run most are optimised. One of them is PostgreSQL's parser, a single function so large that
 * optimising it takes half a second of CPU and 500 MB, much of which remains in use. Without the optimisation a
 * statement costs about a sixth more.
 */
export const saveEngineMemory = (url: Redacted.Redacted | undefined): Effect.Effect<void> =>
  url === undefined ? set(plainWasm) : Effect.void
