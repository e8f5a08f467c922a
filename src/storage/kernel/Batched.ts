/**
 * Combines many small lookups into few statements. A batch takes everything that is waiting, and the next batch starts when it has ended.
 * There is no timer, so a single lookup runs at once, and batches grow with the load (as in a group commit). Every Authorize and every
 * connect goes through this code, so a lookup costs only one callback, and one fiber serves all of them.
 */
import { Cause, Effect, Exit, type Scope } from "effect"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { inHalves } from "../../domain/values/InHalves.ts"

export interface BatchedOptions<K, V> {
  /** The most lookups in one statement. It limits how long the lookups behind it wait. */
  readonly maxBatch: number
  /** How many lookups may wait. Further ones fail at once with `busy`. */
  readonly maxQueue: number
  /** How many batches run at a time. More than one gains nothing on the embedded database, which has only one session. Default 1. */
  readonly concurrency?: number | undefined
  /**
   * The time limit for a lookup in total. After it, a lookup that is still waiting fails with `busy`, and one in a running batch with
   * `down`. Default 10 s.
   */
  readonly waitMillis?: number | undefined
  /**
   * Returns the values in the order of the keys, or as a map; keys that are missing from the map get `absent`. `keys` may have duplicates.
   * If it dies (on a value that the database refuses), the batch is halved until the key at fault is alone, so a run must be all or
   * nothing.
   */
  readonly run: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<V> | ReadonlyMap<K, V>, StorageUnavailable>
  readonly absent?: ((key: K) => V) | undefined
}

interface Question<K, V> {
  readonly key: K
  readonly since: number
  /** Undefined once no caller waits for the answer. */
  resume: ((answer: Exit.Exit<V, StorageUnavailable>) => void) | undefined
}

type Batch<K, V> = ReadonlyArray<Question<K, V>>

const settle = <K, V>(question: Question<K, V>, answer: Exit.Exit<V, StorageUnavailable>): void => {
  const { resume } = question
  question.resume = undefined
  resume?.(answer)
}

const unavailable = (reason: "busy" | "down", message: string) => Exit.fail(new StorageUnavailable({ reason, message }))

/** The lookups that wait and those in running batches, with the time limit for both. */
const makeQueue = <K, V>(maxBatch: number, waitMillis: number) => {
  let waiting: Array<Question<K, V>> = []
  const asked = new Set<Batch<K, V>>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const expire = (): void => {
    timer = undefined
    const late = performance.now() - waitMillis
    const fresh = waiting.findIndex((question) => question.since > late)
    const expired = waiting.splice(0, fresh < 0 ? waiting.length : fresh)
    for (const question of expired) settle(question, unavailable("busy", "the database is overloaded; try again"))
    let oldest = waiting[0]?.since
    for (const batch of asked) {
      for (const question of batch) {
        if (question.since > late) oldest = Math.min(oldest ?? question.since, question.since)
        else
          settle(question, unavailable("down", `the database has not answered for ${Math.round(waitMillis / 1000)} s`))
      }
    }
    if (oldest !== undefined) watch(oldest)
  }
  // One timer for all lookups. It fires when the oldest one is due, and does nothing as long as the database answers in time.
  const watch = (oldest: number): void => {
    if (timer !== undefined) return
    timer = setTimeout(expire, Math.max(1, oldest + waitMillis - performance.now()))
    timer.unref()
  }
  return {
    size: () => waiting.length,
    add: (question: Question<K, V>): void => {
      waiting.push(question)
      watch(question.since)
    },
    take: (): Batch<K, V> => {
      const all = waiting
      waiting = all.length > maxBatch ? all.splice(maxBatch) : []
      asked.add(all)
      return all
    },
    done: (batch: Batch<K, V>): void => void asked.delete(batch),
    /** Answers all remaining lookups at shutdown. */
    close: (answer: Exit.Exit<V, StorageUnavailable>): void => {
      clearTimeout(timer)
      for (const batch of [waiting, ...asked]) for (const question of batch) settle(question, answer)
      waiting = []
    }
  }
}

const answerAll = <K, V>(
  options: BatchedOptions<K, V>,
  batch: Batch<K, V>,
  answers: ReadonlyArray<V> | ReadonlyMap<K, V>
): void => {
  const byKey = answers instanceof Map ? (answers as ReadonlyMap<K, V>) : undefined
  if (byKey === undefined && (answers as ReadonlyArray<V>).length !== batch.length) {
    throw new Error(`a batch of ${batch.length} was answered ${(answers as ReadonlyArray<V>).length} times`)
  }
  for (let n = 0; n < batch.length; n++) {
    const question = batch[n]!
    if (byKey === undefined) settle(question, Exit.succeed((answers as ReadonlyArray<V>)[n]!))
    else if (byKey.has(question.key)) settle(question, Exit.succeed(byKey.get(question.key)!))
    else if (options.absent !== undefined) settle(question, Exit.succeed(options.absent(question.key)))
    else settle(question, Exit.die(new Error("a batch was answered without one of its keys")))
  }
}

/** Runs a batch. If it dies, it is halved until the key that causes it is alone. Never fails itself. */
const ask = <K, V>(options: BatchedOptions<K, V>, batch: Batch<K, V>): Effect.Effect<void> =>
  inHalves(batch, (part) =>
    Effect.suspend(() => options.run(part.map((question) => question.key))).pipe(
      Effect.map((answers) => {
        answerAll(options, part, answers)
        return true
      }),
      Effect.catchCause((cause) => {
        if (Cause.hasDies(cause) && part.length > 1) return Effect.succeed(false)
        for (const question of part) settle(question, Exit.failCause(cause))
        return Effect.succeed(true)
      })
    )
  )

/**
 * Makes a function that looks up one key by combining it with others in one statement. It fails with `busy` if too many lookups wait or it
 * takes too long, and with the errors of `run`. If a caller is interrupted, its answer is dropped and the batch continues. When the scope
 * closes, callers that still wait fail with `down`.
 */
export const makeBatched = <K, V>(
  options: BatchedOptions<K, V>
): Effect.Effect<(key: K) => Effect.Effect<V, StorageUnavailable>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = makeQueue<K, V>(options.maxBatch, options.waitMillis ?? 10_000)
    const idle: Array<(batch: Effect.Effect<Batch<K, V>>) => void> = []
    let woken = false
    let closed = false

    // Lookups that arrive within one turn of the event loop (frames of many sockets) go into one batch.
    const wake = (): void => {
      woken = false
      while (queue.size() > 0) {
        const lane = idle.pop()
        if (lane === undefined) return
        lane(Effect.succeed(queue.take()))
      }
    }
    const next = Effect.callback<Batch<K, V>>((resume) => {
      if (queue.size() > 0) return resume(Effect.succeed(queue.take()))
      idle.push(resume)
    })
    const lane = Effect.flatMap(next, (batch) =>
      Effect.ensuring(
        ask(options, batch),
        Effect.sync(() => queue.done(batch))
      )
    )
    for (let n = 0; n < (options.concurrency ?? 1); n++) yield* Effect.forkScoped(Effect.forever(lane))
    // Added last so that it runs first: waiting callers get the reason before the lanes are interrupted.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
        queue.close(unavailable("down", "the service is shutting down"))
      })
    )

    return (key) =>
      Effect.callback<V, StorageUnavailable>((resume) => {
        if (closed) return resume(unavailable("down", "the service is shutting down"))
        if (queue.size() >= options.maxQueue) {
          return resume(unavailable("busy", "too many queries are waiting for the database; try again"))
        }
        const question: Question<K, V> = { key, since: performance.now(), resume }
        queue.add(question)
        if (!woken && idle.length > 0) {
          woken = true
          setImmediate(wake)
        }
        return Effect.sync(() => {
          question.resume = undefined
        })
      })
  })
