/**
 * Returns memory to the system when there is little to do. V8 lets its heap grow while thousands of chargers connect,
 * and does not shrink it while they are idle: after a mass reconnect, or after the start itself, half of the process is
 * garbage. Only a last-resort collection returns the pages, and it stops everything for a tenth of a second. So there
 * is one after a burst, and otherwise none under load.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schema } from "effect"

/** Time between checks while chargers connect and for some seconds after, in ms. */
export const oftenMillis = 500

/** Time between checks otherwise, in ms: each check wakes an idle process. */
export const seldomMillis = 2_000

/** What one check measures. */
export interface Look {
  /** Time since the previous check, in ms. */
  readonly sinceMillis: number
  readonly heapBytes: number
  /** CPU time of this process since the previous check, in ms. */
  readonly cpuMillis: number
  /** The number of connected chargers. */
  readonly connected: number
}

const mebibyte = 1024 * 1024

/** A burst of this many chargers leaves enough garbage to collect. The start of the process counts as a burst too. */
const burstChargers = 500

/**
 * A burst is over when no charger has connected for this long, in ms. By then most chargers have answered the requests
 * that follow their boot.
 */
const afterBurstMillis = 2_000

/** How long after the last new charger the checks are frequent, in ms. */
const livelyMillis = 10_000

/** Below this share of one core, a pause delays few requests. */
const calmShare = 0.5

/** The least growth of the heap, in bytes, that justifies a collection after a burst. */
const burstBytes = 64 * mebibyte

/** A process that stays below this share of one core counts as idle. */
const idleShare = 0.1

/** After this long idle, in ms, a collection is justified if the heap has grown by `idleBytes`. */
const idleMillis = 30_000
const idleBytes = 16 * mebibyte

/** Decides when a collection is worth its pause. */
export class Worth {
  private arrived = burstChargers
  private connected = 0
  private sinceArrival = 0
  private idle = 0
  private kept = 0

  /** True if a collection is due now. The caller then calls `collected` with the size of the heap that is left. */
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

  /** Time until the next check, in ms. */
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

/** V8's own collector; undefined if the runtime does not offer it (Deno). */
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
