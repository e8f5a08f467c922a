/**
 * Gives memory back when there is little to do. V8 lets its heap grow while chargers connect by the thousand and has no reason to look at
 * it again while they idle: after a city has come back, or after the start itself, half of the process is garbage. Only a collection that takes a
 * whole heap apart returns its pages, and stops everything for a tenth of a second: so there is one after a burst, and else none under load.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schema } from "effect"

/** How often is looked while chargers come, and for some seconds after. */
export const oftenMillis = 500

/** How often else: each look wakes a process that rests. */
export const seldomMillis = 2_000

/** What a look finds. */
export interface Look {
  /** Since the look before, in ms. */
  readonly sinceMillis: number
  readonly heapBytes: number
  /** CPU time of this process since the look before, in ms. */
  readonly cpuMillis: number
  /** Chargers that are connected. */
  readonly connected: number
}

const mebibyte = 1024 * 1024

/** So many chargers in one burst leave enough behind. The start of the process is a burst too. */
const burstChargers = 500

/** A burst is over when no charger has come for so long, in ms. What is asked of each after its boot is mostly answered then. */
const afterBurstMillis = 2_000

/** How long after the last charger looks are frequent, in ms. */
const livelyMillis = 10_000

/** Below this share of one core a pause delays few. */
const calmShare = 0.5

/** What a collection after a burst must be worth, whatever the size of the heap. */
const burstBytes = 64 * mebibyte

/** Below this share of one core, look after look, the process counts as idle. */
const idleShare = 0.1

/** Idle for so long, in ms: whatever is worth it is given back then. */
const idleMillis = 30_000
const idleBytes = 16 * mebibyte

/** Says when a collection is worth its pause. */
export class Worth {
  private arrived = burstChargers
  private connected = 0
  private sinceArrival = 0
  private idle = 0
  private kept = 0

  /** True when now is the time; the caller then reports what was left of the heap. */
  isNow({ connected, cpuMillis, heapBytes, sinceMillis }: Look): boolean {
    const share = cpuMillis / sinceMillis
    const came = connected - this.connected
    this.connected = connected
    if (came > 0) this.arrived += came
    this.sinceArrival = came > 0 ? 0 : this.sinceArrival + sinceMillis
    this.idle = share < idleShare ? this.idle + sinceMillis : 0
    const grown = heapBytes - this.kept
    const isAfterBurst = this.arrived >= burstChargers && this.sinceArrival >= afterBurstMillis && share < calmShare
    return (isAfterBurst && grown >= burstBytes) || (this.idle >= idleMillis && grown >= idleBytes)
  }

  /** When to look next, in ms. */
  get nextMillis(): number {
    return this.sinceArrival < livelyMillis ? oftenMillis : seldomMillis
  }

  collected(heapBytes: number): void {
    this.kept = heapBytes
    this.arrived = 0
    this.idle = 0
  }
}

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

const heapBytes = (): number => getHeapStatistics().total_heap_size

/** Runs for as long as the service does; `connected` counts its chargers. */
export const giveBack = (connected: () => number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const collect = yield* collector
    if (collect === undefined) return
    const worth = new Worth()
    let cpu = cpuMillis()
    let looked = performance.now()
    while (true) {
      yield* Effect.sleep(worth.nextMillis)
      const used = cpuMillis() - cpu
      const sinceMillis = performance.now() - looked
      cpu += used
      looked += sinceMillis
      if (!worth.isNow({ sinceMillis, heapBytes: heapBytes(), cpuMillis: used, connected: connected() })) continue
      collect({ type: "major", execution: "sync", flavor: "last-resort" })
      worth.collected(heapBytes())
      cpu = cpuMillis()
    }
  })
