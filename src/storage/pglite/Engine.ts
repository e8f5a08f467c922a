/**
 * The embedded PostgreSQL (PGlite) in its worker thread, seen from the main thread: connections to it, notifications from it, and what
 * happens if it stops answering or breaks. It cannot be repaired within this process, so the process ends and is started again. Nothing
 * acknowledged is lost.
 */
import { Data, Effect, Latch, type Scope } from "effect"
import type { Duplex } from "node:stream"
import { Worker } from "node:worker_threads"
import { makeDuplex } from "./Duplex.ts"
import type { FromWorker, Notice, ToWorker, WorkerOptions } from "./Protocol.ts"
import { longestTickMillis, makeWatchdog, tickMillis, type Watchdog } from "./Watchdog.ts"

/** The embedded database could not be opened. */
export class EngineFailed extends Data.TaggedError("EngineFailed")<{ readonly message: string }> {}

export interface EngineOptions {
  /** Undefined: in memory, for tests. */
  readonly directory: string | undefined
  /** The file of the image (`Image.ts`) that a new database starts from; without it, a new database is empty. */
  readonly image?: string | undefined
  readonly tar?: Uint8Array | undefined
  readonly fsync: boolean
  readonly watchdogMillis: number
  /** Called when the engine is lost; must end the process. `line` gives the reason in one line. */
  readonly onLost: (line: string) => void
}

export interface Engine {
  /** True if a test at the start showed that a commit reaches the disk (fsync) before it is answered. */
  readonly synced: boolean
  /** A new connection. It ends the previous one, since there is only one session. */
  readonly connect: () => Duplex
  /** Opened whenever the database is used; the maintenance loop closes it. */
  readonly used: Latch.Latch
  /** Calls `listener` with every notification; the returned function unsubscribes it. */
  readonly onNotice: (listener: (notice: Notice) => void) => () => void
  /** Runs an effect during which the worker may be silent for any length of time. */
  readonly unwatched: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Write-ahead log between two checkpoints; a checkpoint then takes about 50 ms. It limits the time of a start after a kill. It also limits
 * the disk space needed after writes are refused: the same amount in changed pages and one or two segments of log (16 MiB each), which fit
 * into the guard's 64 MiB.
 */
const checkpointBytes = 16 * 1024 * 1024

/** The longest time before a checkpoint, so that a period without load leaves nothing to recover. */
const checkpointMillis = 300_000

type Outgoing = ToWorker extends infer M ? (M extends ToWorker ? Omit<M, "id"> : never) : never

interface Pending {
  readonly resolve: (message: FromWorker) => void
  readonly reject: (error: Error) => void
}

/** Requests to the worker and the callers that wait for their answers. */
const makeLine = (worker: Worker) => {
  const waiting = new Map<number, Pending>()
  let nextId = 0
  return {
    ask: (message: Outgoing): Promise<FromWorker> => {
      const id = ++nextId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ ...message, id })
      })
    },
    answer: (message: FromWorker): void => {
      waiting.get(message.id)?.resolve(message)
      waiting.delete(message.id)
    },
    failAll: (line: string): void => {
      for (const { reject } of waiting.values()) reject(new Error(line))
      waiting.clear()
    }
  }
}

type Line = Pick<ReturnType<typeof makeLine>, "ask">
type Listeners = Set<(notice: Notice) => void>

const engineOf = (line: Line, watchdog: Watchdog, listeners: Listeners, synced: boolean): Engine => {
  let connections = 0
  const used = Latch.makeUnsafe(false)
  const exchange = (connection: number) => async (bytes: Uint8Array) => {
    used.openUnsafe()
    const answer = await line.ask({ _tag: "Send", connection, bytes })
    if (answer._tag === "Answer") return answer.bytes
    throw new Error("this connection to the embedded database was replaced by a newer one")
  }
  return {
    synced,
    used,
    connect: () => makeDuplex(exchange(++connections)),
    onNotice: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    unwatched: (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(watchdog.pause),
        () => effect,
        (resume) => Effect.sync(resume)
      )
  }
}

const makeWorker = ({ directory, fsync, image, tar }: EngineOptions): Worker => {
  const workerData: WorkerOptions = { directory, image, tar, fsync, checkpointBytes, checkpointMillis }
  return new Worker(new URL("./Worker.ts", import.meta.url), { workerData })
}

interface Started {
  readonly engine: Engine
  readonly close: () => Promise<void>
}

const start = (options: EngineOptions): Promise<Started> =>
  new Promise((resolve, reject) => {
    const worker = makeWorker(options)
    const { answer, ask: post, failAll } = makeLine(worker)
    const listeners: Listeners = new Set()
    let state: "opening" | "open" | "closing" = "opening"

    const lost = (line: string): void => {
      clearTimeout(timer)
      failAll(line)
      if (state === "opening") reject(new EngineFailed({ message: line }))
      if (state === "open") options.onLost(line)
    }
    const watchdog = makeWatchdog({
      limitMillis: options.watchdogMillis,
      ping: () => void ask({ _tag: "Ping" }).catch(() => undefined),
      onSilent: (millis) => lost(`the embedded database has not answered for ${Math.round(millis / 1000)} s`)
    })
    const ask: Line["ask"] = (message) => {
      watchdog.asked()
      if (lookAfterMillis > longestTickMillis) {
        last = performance.now()
        lookAfter(longestTickMillis)
      }
      return post(message)
    }
    let last = performance.now()
    let lookAfterMillis = tickMillis
    let timer: ReturnType<typeof setTimeout> | undefined
    const lookAfter = (millis: number): void => {
      clearTimeout(timer)
      if (state === "closing") return
      lookAfterMillis = millis
      timer = setTimeout(look, millis)
      timer.unref()
    }
    const look = (): void => {
      const now = performance.now()
      const elapsedMillis = now - last
      last = now
      lookAfter(tickMillis)
      if (state === "open") lookAfter(watchdog.tick(elapsedMillis))
    }
    lookAfter(tickMillis)

    const close = async (): Promise<void> => {
      state = "closing"
      clearTimeout(timer)
      await ask({ _tag: "Close" }).catch(() => undefined)
      await worker.terminate()
    }
    worker.on("message", (message: FromWorker) => {
      watchdog.heard()
      if (message._tag === "Broken") return lost(`the embedded database failed: ${message.message}`)
      if (message._tag === "Ready") {
        state = "open"
        return resolve({ engine: engineOf({ ask }, watchdog, listeners, message.synced), close })
      }
      if (message._tag === "Answer") {
        for (const notice of message.notices) for (const listener of listeners) listener(notice)
      }
      answer(message)
    })
    worker.on("error", (error) =>
      lost(`the embedded database failed: ${error instanceof Error ? error.message : String(error)}`)
    )
    worker.on("exit", (code) => lost(`the embedded database's thread ended with code ${code}`))
  })

/** Opens the database (creating it if needed) and closes it, with a last checkpoint, when the scope closes. */
export const makeEngine = (options: EngineOptions): Effect.Effect<Engine, EngineFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => start(options),
      catch: (cause) => (cause instanceof EngineFailed ? cause : new EngineFailed({ message: String(cause) }))
    }),
    ({ close }) => Effect.promise(close)
  ).pipe(Effect.map(({ engine }) => engine))
