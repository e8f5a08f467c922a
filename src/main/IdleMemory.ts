/**
 * Gives memory back when there is little to do. V8 lets its heap grow while chargers connect by the thousand and has no reason to look at
 * it again while they idle: after a city has come back, half of the process is garbage. Under load nothing is done
 * here, since a full collection stops everything for some tens of milliseconds.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schema } from "effect"

/** How often is looked. */
const lookEveryMillis = 5_000

/** Below this share of one core, over the whole of that time, the process counts as idle. */
const idleShare = 0.1

/** A collection is worth its pause when the heap has grown by this much since the last one. */
const worthwhileBytes = 16 * 1024 * 1024

const Collector = Schema.declare((value): value is (options: object) => void => typeof value === "function")

/** V8's own collector, or undefined where the runtime does not give it (Deno). */
const collector = Effect.sync((): ((options: object) => void) | undefined => {
  try {
    setFlagsFromString("--expose-gc")
    return Schema.decodeUnknownSync(Collector)(runInNewContext("gc"))
  } catch {
    return undefined
  }
})

const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** Runs for as long as the service does. */
export const giveBack: Effect.Effect<void> = Effect.gen(function* () {
  const collect = yield* collector
  if (collect === undefined) return
  let kept = getHeapStatistics().total_heap_size
  let cpu = cpuMillis()
  while (true) {
    yield* Effect.sleep(lookEveryMillis)
    const used = cpuMillis() - cpu
    cpu += used
    const grown = getHeapStatistics().total_heap_size - kept
    if (used > lookEveryMillis * idleShare || grown < worthwhileBytes) continue
    collect({ type: "major", execution: "sync", flavor: "last-resort" })
    kept = getHeapStatistics().total_heap_size
    cpu = cpuMillis()
  }
})
