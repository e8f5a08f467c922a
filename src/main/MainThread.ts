/**
 * Shares the main thread and the database among callers over HTTP; the rule is in `domain/values/ThreadTime.ts`. It is the scheduler of their
 * fibers: it counts how long they run, and once all of them together have used a slice in one turn of the event loop, it stops them. They continue
 * in the next turn, after what has come in from chargers meanwhile.
 */
import { Context, Effect, type Fiber, Metric, Scheduler } from "effect"
import type { SqlClient } from "effect/sql"
import { TooMany } from "../domain/Errors.ts"
import {
  nextOf,
  type ReadPlaces,
  type ThreadTime,
  type ThreadUse,
  useAfter,
  useLeft
} from "../domain/values/ThreadTime.ts"

export interface MainThreadOptions extends ReadPlaces {
  /** How long the fibers of all callers may run in one turn of the event loop, in ms. */
  readonly sliceMillis: number
  /** The service of an open transaction. Others may wait for what a transaction has locked, so its fiber is never stopped. */
  readonly transaction: SqlClient.SqlClient["transactionService"] | undefined
}

interface Caller {
  use: ThreadUse
  /** Its fibers that were stopped. */
  readonly stopped: Array<() => void>
  /** Its reads that wait for a place. */
  readonly reads: Array<() => void>
  reading: number
  readonly scheduler: Scheduler.Scheduler
}

/** Most callers that are remembered. Beyond this, those that have used least are forgotten first. */
const callersMost = 10_000

/** A caller that has used less does not differ from a new one. */
const littleMillis = 1

/** A fiber that has just received rows has the connection to the database until its next steps, which take some microseconds. */
const firstSteps = 64
const firstMillis = 1

/** The clock is read at one step in so many. Reading it takes as long as a step. */
const stepsPerLook = 4

/** A read takes tens of milliseconds. */
const retryAfterSeconds = 1

export const refusedReads = Metric.counter("http_reads_refused_total", {
  description: "Reads over HTTP that were refused because too many of the same caller were waiting",
  incremental: true
})

type AnyFiber = Fiber.Fiber<unknown, unknown>

export class MainThread {
  private readonly options: MainThreadOptions
  private readonly callers = new Map<string, Caller>()
  /** Those with fibers that were stopped. */
  private readonly stopped = new Set<Caller>()
  /** Those with reads that wait. */
  private readonly waiting = new Set<Caller>()
  private reading = 0
  /** What was used in this turn of the event loop, in ms. */
  private used = 0
  /** When time was last counted, and when the fiber that runs began to run. */
  private countedAt = 0
  private beganAt = 0
  private isScheduled = false
  /** The caller of the fiber that was just stopped: the next task that this fiber schedules is its continuation. */
  private stopping: Caller | undefined

  constructor(options: MainThreadOptions) {
    this.options = options
  }

  private callerOf(name: string): Caller {
    const known = this.callers.get(name)
    if (known !== undefined) return known
    if (this.callers.size >= callersMost) this.forgetSome()
    const caller: Caller = {
      use: { millis: 0, at: performance.now() },
      stopped: [],
      reads: [],
      reading: 0,
      scheduler: schedulerOf(
        (fiber) => this.isStopped(caller, fiber),
        (task) => this.isContinuation(caller, task)
      )
    }
    this.callers.set(name, caller)
    return caller
  }

  /** Forgets callers that have used little, or a tenth of those that are idle. */
  private forgetSome(): void {
    const now = performance.now()
    let most = callersMost / 10
    for (const [name, { reading, reads, stopped, use }] of this.callers) {
      if (reading > 0 || reads.length > 0 || stopped.length > 0) continue
      if (useLeft(use, now) < littleMillis || most-- > 0) this.callers.delete(name)
    }
  }

  as<A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => Effect.provideService(work, Scheduler.Scheduler, this.callerOf(name).scheduler))
  }

  /** Counts the time since the fiber's last step; true if the fiber must stop. */
  private isStopped(caller: Caller, fiber: AnyFiber): boolean {
    const step = (fiber as AnyFiber & { readonly currentOpCount: number }).currentOpCount
    const isFirst = step <= 1
    if (!isFirst && step % stepsPerLook !== 0) return false
    const now = performance.now()
    if (isFirst) this.beganAt = now
    else {
      this.used += now - this.countedAt
      caller.use = useAfter(caller.use, now - this.countedAt, now)
    }
    this.countedAt = now
    this.schedule()
    if (this.used < this.options.sliceMillis) return false
    if (step < firstSteps && now - this.beganAt < firstMillis) return false
    const { transaction } = this.options
    if (transaction !== undefined && Context.getOrUndefined(fiber.context, transaction) !== undefined) return false
    this.stopping = caller
    return true
  }

  /** Takes the task if it is the continuation of the fiber that was just stopped. */
  private isContinuation(caller: Caller, task: () => void): boolean {
    if (this.stopping !== caller) return false
    this.stopping = undefined
    caller.stopped.push(task)
    this.stopped.add(caller)
    return true
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(this.turn)
  }

  private readonly turn = (): void => {
    this.isScheduled = false
    this.used = 0
    while (this.used < this.options.sliceMillis) {
      const began = performance.now()
      const caller = nextOf(this.stopped, began)
      if (caller === undefined) return
      const task = caller.stopped.shift()
      if (caller.stopped.length === 0) this.stopped.delete(caller)
      this.countedAt = began
      task?.()
      // The last steps, which were not counted yet.
      this.used += performance.now() - this.countedAt
    }
    this.schedule()
  }

  read<A, E, R>(name: string, read: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooMany, R> {
    return Effect.suspend((): Effect.Effect<A, E | TooMany, R> => {
      const caller = this.callerOf(name)
      if (caller.reads.length >= this.options.readsWaitingPerCaller) return refused(caller.reads.length)
      return Effect.acquireUseRelease(
        Effect.interruptible(this.place(caller)),
        () => read,
        () => Effect.sync(() => this.give(caller))
      )
    })
  }

  private hasPlaceFor({ reading }: Caller): boolean {
    return reading < this.options.readsAtOncePerCaller && this.reading < this.options.readsAtOnce
  }

  private take(caller: Caller): void {
    caller.reading++
    this.reading++
  }

  private place(caller: Caller): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.hasPlaceFor(caller)) {
        this.take(caller)
        return resume(Effect.void)
      }
      const begin = (): void => resume(Effect.void)
      caller.reads.push(begin)
      this.waiting.add(caller)
      return Effect.sync(() => {
        const at = caller.reads.indexOf(begin)
        // It has the place already, but will not use it.
        if (at < 0) return this.give(caller)
        caller.reads.splice(at, 1)
        if (caller.reads.length === 0) this.waiting.delete(caller)
      })
    })
  }

  private give(caller: Caller): void {
    caller.reading--
    this.reading--
    const able = [...this.waiting].filter((one) => this.hasPlaceFor(one))
    const next = nextOf(able, performance.now())
    const begin = next?.reads.shift()
    if (next === undefined || begin === undefined) return
    if (next.reads.length === 0) this.waiting.delete(next)
    this.take(next)
    begin()
  }
}

const refused = (waiting: number) =>
  Effect.andThen(
    Metric.update(refusedReads, 1),
    new TooMany({
      code: "too_many_reads",
      message: `${waiting} reads of this caller are already waiting. Send fewer at a time.`,
      retryAfterSeconds
    })
  )

/** The scheduler of one caller's fibers. Only the continuations of stopped fibers wait; other tasks run as always. */
const schedulerOf = (
  isStopped: (fiber: AnyFiber) => boolean,
  isContinuation: (task: () => void) => boolean
): Scheduler.Scheduler => {
  const usual = new Scheduler.MixedScheduler()
  return {
    executionMode: "async",
    shouldYield: isStopped,
    makeDispatcher: () => {
      const dispatcher = usual.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          if (!isContinuation(task)) dispatcher.scheduleTask(task, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
}

/** The port over this thread. */
export const threadTime = (thread: MainThread): (typeof ThreadTime)["Service"] => ({
  as: (caller, work) => thread.as(caller, work),
  reading: (caller, read) => thread.read(caller, read)
})
