/**
 * The embedded databases of a test worker. Opening one takes a second of CPU, so a worker opens one with the schema and lends it to one suite after
 * the other, resetting it in between. It is not lent again after a suite that changed the schema, or after a failed reset. Suites with migrations of
 * their own, and those that run while another suite has it, open one for themselves.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { readFile } from "node:fs/promises"
import { Duplex } from "node:stream"
import { type Database, type DatabaseFailed, layerEngine } from "../../src/storage/kernel/Database.ts"
import type { Migrations } from "../../src/storage/kernel/Migrations.ts"
import { type Engine, makeEngine } from "../../src/storage/pglite/Engine.ts"
import { bounded } from "./bounded.ts"
import { resetTo, type Template, templateOf } from "./engineReset.ts"
import { seed, seedFile } from "./seed.ts"

/** A query of a test takes seconds at most; one that takes longer than this never returns. */
const silentMillis = 30_000

/** An engine starts within a second, but the machine may be busy with other work. */
const startSeconds = 60
const resetSeconds = 30
const closeSeconds = 10

interface TestEngine extends Engine {
  readonly isLost: () => boolean
}

interface Kept {
  readonly engine: TestEngine
  readonly template: Template
  /** The file that it was started from. In watch mode, migrations may change during the life of a worker. */
  readonly path: string
  readonly close: Effect.Effect<void>
}

/** Node has it, but our type definitions do not. */
declare const WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<object> }

/** State that outlives a test file: vitest may load this module again for the next one. */
interface Worker {
  idle: Kept | undefined
  /**
   * Engines are threads. Those of one process share V8's compiled code of PGlite as long as it is referenced; that saves half of the time of a start.
   */
  code: Promise<object> | undefined
}

const key = Symbol.for("voltlane.test.engines")
const shared = globalThis as { [key]?: Worker }
const worker: Worker = (shared[key] ??= { idle: undefined, code: undefined })

const compile = async (): Promise<object> =>
  WebAssembly.compile(await readFile("node_modules/@electric-sql/pglite/dist/pglite.wasm"))

const failing = (line: string): Duplex => new Duplex({ read() {}, write() {} }).destroy(new Error(line))

/** An engine of this process. If it breaks, its connections fail with the reason, and nothing waits for an answer. */
const open = (tar: Uint8Array): Effect.Effect<TestEngine, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.promise(() => (worker.code ??= compile()))
    const connections = new Set<Duplex>()
    let lost: string | undefined
    const engine = yield* makeEngine({
      directory: undefined,
      tar,
      fsync: false,
      watchdogMillis: silentMillis,
      onLost: (line) => {
        lost = line
        for (const connection of connections) connection.destroy(new Error(line))
      }
    })
    const connect = (): Duplex => {
      if (lost !== undefined) return failing(lost)
      const connection = engine.connect()
      connections.add(connection)
      return connection.once("close", () => connections.delete(connection))
    }
    return { ...engine, connect, isLost: () => lost !== undefined }
  }).pipe(Effect.orDie)

/** The engine, and the effect that closes it. */
const start = Effect.fnUntraced(function* (migrated: boolean) {
  const tar = yield* seed(migrated)
  const scope = yield* Scope.make()
  const engine = yield* open(tar).pipe(
    Scope.provide(scope),
    bounded(startSeconds, "the embedded database did not start")
  )
  const close = bounded(closeSeconds, "the embedded database did not close")(Scope.close(scope, Exit.void))
  return { engine, close }
})

/** Runs a query on a connection of its own, which ends every other connection. */
const ask = <A>(
  engine: Engine,
  question: Effect.Effect<A, SqlError, SqlClient.SqlClient>,
  sentence: string
): Effect.Effect<A> =>
  question.pipe(
    Effect.provide(
      PgClient.layer({ stream: engine.connect, username: "postgres", database: "postgres", maxConnections: 1 })
    ),
    Effect.orDie,
    bounded(resetSeconds, sentence)
  )

const make: Effect.Effect<Kept> = Effect.gen(function* () {
  const path = yield* seedFile(true)
  const { close, engine } = yield* start(true)
  const template = yield* ask(engine, templateOf, "the embedded database did not say what it has")
  return { engine, template, path, close }
})

/** The idle engine, unless it broke or the schema has changed since. */
const take: Effect.Effect<Kept> = Effect.gen(function* () {
  const { idle } = worker
  if (idle === undefined) return yield* make
  worker.idle = undefined
  if (!idle.engine.isLost() && idle.path === (yield* seedFile(true))) return idle
  yield* Effect.forkDetach(idle.close)
  return yield* make
})

/** A reset that fails or hangs fails the suite that used the engine, and the next suite gets another engine. */
const giveBack = (kept: Kept): Effect.Effect<void> =>
  ask(kept.engine, resetTo(kept.template), "the embedded database could not be reset after this suite").pipe(
    Effect.onError(() => kept.close),
    Effect.flatMap((same) => {
      if (!same || worker.idle !== undefined) return kept.close
      worker.idle = kept
      return Effect.void
    })
  )

/** The engine as one suite sees it. Once the suite is over, work that it left running gets no more connections or notifications. */
export const lend = (engine: Engine) => {
  const stops: Array<() => void> = []
  let over = false
  const lent: Engine = {
    ...engine,
    connect: () => (over ? failing("the suite that had this embedded database is over") : engine.connect()),
    onNotice: (listener) => {
      const stop = engine.onNotice(listener)
      stops.push(stop)
      return stop
    }
  }
  const end = Effect.sync(() => {
    over = true
    for (const stop of stops) stop()
  })
  return { lent, end }
}

/** A new layer for each suite, since layers are shared by identity and two suites must not get the same engine. */
const layerShared = (): Layer.Layer<Database, DatabaseFailed> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const kept = yield* Effect.acquireRelease(take, giveBack)
      const { lent } = yield* Effect.acquireRelease(
        Effect.sync(() => lend(kept.engine)),
        ({ end }) => end
      )
      return layerEngine(lent)
    })
  )

const layerOwn = (migrations: Migrations): Layer.Layer<Database, DatabaseFailed> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { engine } = yield* Effect.acquireRelease(start(false), ({ close }) => close)
      return layerEngine(engine, { migrations })
    })
  )

/** An embedded database with the schema and nothing else, or with only the given migrations. */
export const layerEmbedded = (migrations?: Migrations): Layer.Layer<Database, DatabaseFailed> =>
  migrations === undefined ? layerShared() : layerOwn(migrations)
