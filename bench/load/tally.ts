/** The results of one order so far: messages answered, latencies, failures. Becomes its `LoadResult`. */
import { Latencies } from "./latencies.ts"
import type { LoadResult } from "./protocol.ts"

const SAMPLES_MAX = 3

export class Tally {
  messages = 0
  failures = 0
  readonly latencies = new Latencies()
  readonly samples: Array<string> = []
  private readonly startedAt = performance.now()

  answered(ms: number): void {
    this.messages++
    this.latencies.add(ms)
  }

  failed(problem: string): void {
    this.failures++
    if (this.samples.length < SAMPLES_MAX) this.samples.push(problem)
  }

  /** Ends the measured time, which began when the tally was created. */
  result(): Omit<LoadResult, "serverCalls" | "acknowledged"> {
    const seconds = (performance.now() - this.startedAt) / 1000
    const [p50Ms = 0, p99Ms = 0] = this.latencies.percentiles(0.5, 0.99)
    const { messages, failures, samples: failureSamples } = this
    return { messages, failures, failureSamples, seconds, p50Ms, p99Ms }
  }
}
