/** Shows the progress of a long task: on a terminal one line that changes, elsewhere a line every few seconds. */

export interface ProgressOptions {
  readonly write: (text: string) => void
  /** True if the output is a terminal. */
  readonly isTerminal: boolean
  /** The time of a monotonic clock, in ms. */
  readonly now: () => number
}

/** Time between updates on a terminal, in ms: a line that changes more often cannot be read. */
const terminalMillis = 200

/** Time between lines elsewhere, in ms: a log is read afterwards. */
const logMillis = 10_000

const grouped = (n: number): string => Math.floor(n).toLocaleString("en-US")

export class Progress {
  private readonly options: ProgressOptions
  private readonly startedAt: number
  /** The approximate total; undefined if it is not known. */
  private readonly total: number | undefined
  private saidAt: number

  constructor(options: ProgressOptions, total: number | undefined) {
    this.options = options
    this.total = total
    this.startedAt = options.now()
    this.saidAt = this.startedAt
  }

  private line(done: number): string {
    const seconds = Math.max(0.001, (this.options.now() - this.startedAt) / 1000)
    const rate = `${grouped(done / seconds)}/s`
    if (this.total === undefined || this.total === 0) return `${grouped(done)} records, ${rate}`
    const share = Math.min(100, Math.floor((done * 100) / this.total))
    return `${grouped(done)} of ${grouped(Math.max(done, this.total))} records (${share} %), ${rate}`
  }

  /** Reports the number of records done; prints it if the last update is old enough. */
  at(done: number): void {
    const { isTerminal, now, write } = this.options
    if (now() - this.saidAt < (isTerminal ? terminalMillis : logMillis)) return
    this.saidAt = now()
    write(isTerminal ? `\r\u001b[K${this.line(done)}` : `${this.line(done)}\n`)
  }

  /** Prints the final line. */
  end(done: number, where: string): void {
    const { isTerminal, write } = this.options
    write(`${isTerminal ? "\r\u001b[K" : ""}${this.line(done)}, in ${where}\n`)
  }
}
