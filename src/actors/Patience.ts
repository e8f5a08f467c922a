/**
 * The deadline for a charger's answer. It covers the message's wait in the mailbox, its queries and its commit. A
 * commit that has begun continues after the deadline, since nothing that was sent to a database can be withdrawn; the
 * charger's repetition then finds what was stored. Deadlines are in the order of the messages, so one timer serves all
 * chargers and a message needs none of its own.
 */
import { type Clock, Effect } from "effect"
import type { Reply } from "../domain/charger/Reply.ts"

type Respond = (reply: Reply, now: number) => void

const tooLate: Reply = {
  _tag: "Refused",
  reason: "InternalError",
  description: "the database takes too long; send it again"
}

/** A charger's call that gets exactly one answer. */
export class OpenCall {
  readonly deadline: number
  private readonly patience: Patience
  private respond: Respond | undefined

  constructor(patience: Patience, respond: Respond, deadline: number) {
    this.patience = patience
    this.respond = respond
    this.deadline = deadline
  }

  /** False once it has been answered. */
  get isOpen(): boolean {
    return this.respond !== undefined
  }

  /** Answers the call, unless it has been answered already. */
  answer(reply: Reply, now: number): void {
    const { respond } = this
    if (respond === undefined) return
    this.respond = undefined
    this.patience.forget(this)
    respond(reply, now)
  }
}

export interface PatienceOptions {
  readonly patienceMillis: number
  readonly clock: Clock.Clock
  readonly background: (effect: Effect.Effect<void>) => void
  /** Called for each call whose deadline passed. */
  readonly gaveUp: () => void
}

export class Patience {
  private readonly options: PatienceOptions
  /** In the order of their deadlines. */
  private readonly open = new Set<OpenCall>()
  private isWatching = false

  constructor(options: PatienceOptions) {
    this.options = options
  }

  /** Registers a call that has just arrived. */
  opened(respond: Respond): OpenCall {
    const now = this.options.clock.currentTimeMillisUnsafe()
    const call = new OpenCall(this, respond, now + this.options.patienceMillis)
    this.open.add(call)
    if (!this.isWatching) this.watch(this.options.patienceMillis)
    return call
  }

  forget(call: OpenCall): void {
    this.open.delete(call)
  }

  /** The number of calls that wait for their answer. */
  get size(): number {
    return this.open.size
  }

  private watch(millis: number): void {
    this.isWatching = true
    this.options.background(
      Effect.delay(
        Effect.sync(() => this.look()),
        millis
      )
    )
  }

  private look(): void {
    this.isWatching = false
    const now = this.options.clock.currentTimeMillisUnsafe()
    for (const call of this.open) {
      if (call.deadline > now) return this.watch(call.deadline - now)
      this.options.gaveUp()
      call.answer(tooLate, now)
    }
  }
}
