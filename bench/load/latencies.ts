/** Collects latencies in milliseconds without an allocation per message, and computes percentiles. */
export class Latencies {
  private values = new Float64Array(65_536)
  private size = 0

  add(ms: number): void {
    if (this.size === this.values.length) {
      const larger = new Float64Array(this.size * 2)
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.size++] = ms
  }

  /** The values at the given shares (0.5, 0.99), by nearest rank; 0 when nothing was collected. */
  percentiles(...shares: ReadonlyArray<number>): ReadonlyArray<number> {
    const sorted = this.values.slice(0, this.size).sort()
    return shares.map((share) => sorted[Math.max(0, Math.ceil(share * this.size) - 1)] ?? 0)
  }
}
