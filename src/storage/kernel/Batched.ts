/**
 * Many small questions as few statements: a batch takes everything that waits, and the next begins when it has ended. There is no timer,
 * so a lone question is asked at once and batches grow with the load, in the rhythm of a group commit. It comes before every Authorize
 * and every connect; hence one callback per question, and one fiber for all of them.
 */
import { Cause, Effect, Exit, type Scope } from "effect"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { inHalves } from "../../domain/values/InHalves.ts"

export interface BatchedOptions<K, V> {
  /** Questions in one statement at most: bounds how long those behind it wait. */
  readonly maxBatch: number
  /** Questions that may wait; beyond, new ones fail at once with `busy`. */
  readonly maxQueue: number
  /** Batches that run at one time. The embedded database has one session, so more than one gains nothing there. Default 1. */
  readonly concurrency?: number | undefined
  /** How long a question may take in all: waiting fails with `busy` after it, being asked with `down`. Default 10 s. */
  readonly waitMillis?: number | undefined
  /**
   * Answers the keys in their order, or as a map; what the map does not have gets `absent`. The same key may stand in it twice. When it
   * dies (a value that the database refuses), the batch is halved until the one at fault is alone, so it must be all or nothing.
   */
  readonly run: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<V> | ReadonlyMap<K, V>, StorageUnavailable>
  readonly absent?: ((key: K) => V) | undefined
}

interface Question<K, V> {
  readonly key: K
  readonly since: number
  /** Undefined once the answer is not awaited any more. */
  resume: ((answer: Exit.Exit<V, StorageUnavailable>) => void) | undefined
}

type Batch<K, V> = ReadonlyArray<Question<K, V>>

const settle = <K, V>(question: Question<K, V>, answer: Exit.Exit<V, StorageUnavailable>): void => {
  const { resume } = question
  question.resume = undefined
  resume?.(answer)
}

const unavailable = (reason: "busy" | "down", message: string) => Exit.fail(new StorageUnavailable({ reason, message }))

/** What waits and what is being asked, with the bound on both. */
const makeQueue = <K, V>(maxBatch: number, waitMillis: number) => {
  let waiting: Array<Question<K, V>> = []
  const asked = new Set<Batch<K, V>>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const expire = (): void => {
    timer = undefined
    const late = performance.now() - waitMillis
    const fresh = waiting.findIndex((question) => question.since > late)
    const expired = waiting.splice(0, fresh < 0 ? waiting.length : fresh)
    for (const question of expired) settle(question, unavailable("busy", "the database has too much to do; try again"))
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
  // One timer for all: it looks when the oldest is due, and finds nothing to do as long as the database answers in time.
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
    /** Everybody who still waits, for the end. */
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

/** Asks a batch; one that dies is halved until what kills it is alone. Never fails itself. */
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
 * A function that answers one key, by asking for many at once. Fails with `busy` when too many wait or it takes too long, and with
 * whatever `run` fails with. An asker that is interrupted is forgotten; its batch goes on. When the scope closes, a caller that still waits
 * fails with `down`.
 */
export const makeBatched = <K, V>(
  options: BatchedOptions<K, V>
): Effect.Effect<(key: K) => Effect.Effect<V, StorageUnavailable>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = makeQueue<K, V>(options.maxBatch, options.waitMillis ?? 10_000)
    const idle: Array<(batch: Effect.Effect<Batch<K, V>>) => void> = []
    let woken = false
    let closed = false

    // What comes in during one turn of the event loop, many sockets' frames at once, goes out together.
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
    // Added last, so that it runs first: a caller that waits hears the reason before the lanes stop.
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
          return resume(unavailable("busy", "too many questions wait for the database; try again"))
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
