/** How far a long piece of work has come, on a terminal as one line that changes, elsewhere as a line now and then. */

export interface ProgressOptions {
  readonly write: (text: string) => void
  /** Whether a person watches. */
  readonly isTerminal: boolean
  /** ms of a clock that only goes on. */
  readonly now: () => number
}

/** A line that changes more often than this cannot be read. */
const terminalMillis = 200

/** A log is read afterwards. */
const logMillis = 10_000

const grouped = (n: number): string => Math.floor(n).toLocaleString("en-US")

export class Progress {
  private readonly options: ProgressOptions
  private readonly startedAt: number
  /** About how many there are in all; undefined where it is not known. */
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

  /** So many are done; says it when it is time. */
  at(done: number): void {
    const { isTerminal, now, write } = this.options
    if (now() - this.saidAt < (isTerminal ? terminalMillis : logMillis)) return
    this.saidAt = now()
    write(isTerminal ? `\r\u001b[K${this.line(done)}` : `${this.line(done)}\n`)
  }

  /** All is done. */
  end(done: number, where: string): void {
    const { isTerminal, write } = this.options
    write(`${isTerminal ? "\r\u001b[K" : ""}${this.line(done)}, in ${where}\n`)
  }
}
