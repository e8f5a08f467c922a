/**
 * The open connections of this server, and the single tick that checks all of them. It does not decide which connection
 * of a charger is current: a replaced connection stays in the list until it has closed.
 */
import type { ChargerSocket, SocketList } from "./ChargerSocket.ts"
import { sweepBuckets } from "./Liveness.ts"
import type { Metrics } from "./Metrics.ts"

export class ConnectedChargers implements SocketList {
  /** Each tick visits one bucket. */
  private readonly buckets: ReadonlyArray<Set<ChargerSocket>> = Array.from({ length: sweepBuckets }, () => new Set())
  private readonly slow = new Set<ChargerSocket>()
  private readonly metrics: Metrics
  private nextBucket = 0
  private nextTick = 0

  constructor(metrics: Metrics) {
    this.metrics = metrics
  }

  add(socket: ChargerSocket): void {
    this.buckets[this.nextBucket++ % sweepBuckets]!.add(socket)
    this.metrics.connected(socket.securityProfile, socket.version.version, 1)
  }

  throttled(socket: ChargerSocket): void {
    this.slow.add(socket)
  }

  ended(socket: ChargerSocket): void {
    let wasOpen = false
    for (const bucket of this.buckets) wasOpen = bucket.delete(socket) || wasOpen
    if (!wasOpen) return
    this.slow.delete(socket)
    this.metrics.connected(socket.securityProfile, socket.version.version, -1)
  }

  /** Called once a second: sweeps a part of the connections, and resumes reading from throttled ones that have room again. */
  tick(): void {
    for (const socket of this.buckets[this.nextTick++ % sweepBuckets]!) socket.sweep()
    const rested = [...this.slow]
    this.slow.clear()
    // Sockets that exceed their rate again add themselves to the list again.
    for (const socket of rested) if (!socket.tryResume()) this.slow.add(socket)
  }

  /** Ends every remaining connection. Called when no more answers are awaited. */
  endAll(): void {
    for (const bucket of this.buckets) {
      for (const socket of bucket) socket.cut("stopping", 1012, "the service is restarting")
    }
  }

  get size(): number {
    return this.buckets.reduce((sum, bucket) => sum + bucket.size, 0)
  }
}
