/**
 * A few places for expensive work, and a bounded queue before them that is fair by name: names get places one after the other, however much each of
 * them asks for. Preferred work goes first. When the queue is full, the name that waits for most gives way.
 */
import { Effect } from "effect"

export interface FairQueueOptions {
  /** How much is worked on at a time. */
  readonly atOnce: number
  /** How much may wait, in all and for one name. */
  readonly waiting: number
  readonly waitingPerName: number
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
}

/** Names in the order in which they get their next place, each with what waits for it. */
type Lane = Map<string, Array<Waiting>>

export class FairQueue<E> {
  private readonly options: FairQueueOptions
  private readonly refusal: E
  private readonly preferred: Lane = new Map()
  private readonly ordinary: Lane = new Map()
  private running = 0
  private count = 0

  constructor(options: FairQueueOptions, refusal: E) {
    this.options = options
    this.refusal = refusal
  }

  /** Runs the work when there is a place for it, or fails with the refusal. Work that has begun is not interrupted, since its place is in use. */
  within<A, E2, R>(name: string, isPreferred: boolean, work: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        restore(this.place(name, isPreferred ? this.preferred : this.ordinary)),
        Effect.ensuring(
          work,
          Effect.sync(() => this.leave())
        )
      )
    )
  }

  private place(name: string, lane: Lane): Effect.Effect<void, E> {
    return Effect.callback<void, E>((resume) => {
      if (this.running < this.options.atOnce) {
        this.running += 1
        return resume(Effect.void)
      }
      const mine = lane.get(name) ?? []
      if (mine.length >= this.options.waitingPerName || !this.makeRoom(mine.length))
        return resume(Effect.fail(this.refusal))
      const one: Waiting = { begin: () => resume(Effect.void), refuse: () => resume(Effect.fail(this.refusal)) }
      mine.push(one)
      lane.set(name, mine)
      this.count += 1
      return Effect.sync(() => this.forget(lane, name, one))
    })
  }

  /** True if one more may wait: the queue has room, or someone who waits for more gives way. */
  private makeRoom(mine: number): boolean {
    if (this.count < this.options.waiting) return true
    let longest: readonly [string, Array<Waiting>] | undefined
    for (const entry of this.ordinary) if (entry[1].length > (longest?.[1].length ?? mine + 1)) longest = entry
    if (longest === undefined) return false
    const [name, waiting] = longest
    const last = waiting.at(-1)
    if (last === undefined) return false
    this.forget(this.ordinary, name, last)
    last.refuse()
    return true
  }

  private forget(lane: Lane, name: string, one: Waiting): void {
    const waiting = lane.get(name)
    const index = waiting?.indexOf(one) ?? -1
    if (waiting === undefined || index < 0) return
    waiting.splice(index, 1)
    this.count -= 1
    if (waiting.length === 0) lane.delete(name)
  }

  /** Gives the place to the name whose turn it is. */
  private leave(): void {
    const lane = this.preferred.size > 0 ? this.preferred : this.ordinary
    const [next] = lane
    if (next === undefined) {
      this.running -= 1
      return
    }
    const [name, waiting] = next
    const [first] = waiting
    if (first === undefined) return
    this.forget(lane, name, first)
    // The name goes to the end.
    if (waiting.length > 0) {
      lane.delete(name)
      lane.set(name, waiting)
    }
    first.begin()
  }
}
