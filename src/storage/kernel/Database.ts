/**
 * The database under the repositories: PostgreSQL if `url` is given, otherwise the embedded one in `dataDir`. Both are the same `SqlClient`
 * with the same types, so repositories need not know which one they use; `StorageHealth` does.
 */
import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { join } from "node:path"
import type { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { poolOf } from "./DatabaseMetrics.ts"
import { layerEngineHealth, layerServerHealth } from "./Health.ts"
import { migrate, type MigrationFailed, type Migrations, SchemaRefused } from "./Migrations.ts"
import { migrations } from "../migrations/all.ts"
import { layerEngineNotifications, layerServerNotifications, type Notifications } from "./Notifications.ts"
import { type Engine, makeEngine } from "../pglite/Engine.ts"
import { type FreeSpace, makeFreeSpace } from "../pglite/FreeSpace.ts"
import { imagePath } from "../pglite/Image.ts"
import { holdLock } from "../pglite/Lock.ts"
import { maintain } from "../pglite/Maintenance.ts"

/** The service cannot start on this database. `message` is one line that names the setting and says what to do. */
export class DatabaseFailed extends Data.TaggedError("DatabaseFailed")<{
  /**
   * - `locked`: another process has the directory
   * - `unreachable`: no connection
   * - `schema`: made by another version
   * - `migration`: a migration failed and was undone
   * - `unusable`: anything else
   */
  readonly kind: "locked" | "unreachable" | "schema" | "migration" | "unusable"
  readonly message: string
}> {}

export interface DatabaseOptions {
  /** `postgres://…`; if undefined, the embedded database is used. */
  readonly url?: Redacted.Redacted | undefined
  readonly dataDir: string
  readonly nodeId: string
  /** The embedded database refuses writes when its disk has less free space than this. */
  readonly minFreeBytes: number
  /** The number of connections to PostgreSQL. The embedded database always has one session and ignores it. */
  readonly poolSize: number
  /** How long the embedded database's thread may be silent. */
  readonly watchdogMillis: number
  /** False leaves the schema as it is, for tools that only read. Default true. */
  readonly migrate?: boolean | undefined
  /** Replaces the schema, for tests of migrations. */
  readonly migrations?: Migrations | undefined
  /** Called when this process loses the embedded database; must end the process. Default: one line to stderr and exit code 70. */
  readonly onLost?: ((line: string) => void) | undefined
}

export type Database = SqlClient.SqlClient | PgClient.PgClient | StorageHealth | Notifications

const endProcess = (line: string): void => {
  process.stderr.write(`voltlane: ${line}; this process exits so that it can be restarted\n`)
  process.exit(70)
}

const why = (error: SqlError): string => {
  const cause: unknown = error.reason.cause
  // Connecting to a host name with several addresses fails with one error for each and no message of its own.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error && first.message !== "" ? first.message : error.message
}

const failed = (kind: DatabaseFailed["kind"], message: string) => new DatabaseFailed({ kind, message })

type StartError = SqlError | SchemaRefused | MigrationFailed

/** The oldest PostgreSQL version that the schema and the statements work with. */
const minServerVersion = 150_000

const supported: Effect.Effect<void, SchemaRefused | SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ number: number; version: string; encoding: string }>`SELECT
    current_setting('server_version_num')::int AS number,
    current_setting('server_version') AS version,
    current_setting('server_encoding') AS encoding`
  if (row === undefined) return
  const refuse = (message: string) => Effect.fail(new SchemaRefused({ message: `DATABASE_URL: ${message}` }))
  if (row.number < minServerVersion) return yield* refuse(`PostgreSQL 15 or later is required, this is ${row.version}`)
  if (row.encoding !== "UTF8")
    return yield* refuse(`a database with encoding UTF8 is required, this is ${row.encoding}`)
})

/** Maps an error at the start to `DatabaseFailed`. `setting` is the variable that chose the database. */
const startFailure =
  (setting: string) =>
  (error: StartError): DatabaseFailed => {
    switch (error._tag) {
      case "SqlError": {
        const { _tag } = error.reason
        const reachable =
          _tag !== "ConnectionError" && _tag !== "AuthenticationError" && error.reason.operation !== "connect"
        return reachable
          ? failed("unusable", `${setting}: the database cannot be used: ${why(error)}`)
          : failed("unreachable", `${setting}: cannot connect to the database: ${why(error)}`)
      }
      case "SchemaRefused":
        return failed("schema", error.message)
      case "MigrationFailed": {
        const { cause } = error
        const detail = isSqlError(cause) ? why(cause) : cause instanceof Error ? cause.message : ""
        return failed("migration", `${setting}: ${error.message}${detail === "" ? "" : `: ${detail}`}`)
      }
    }
  }

type Schema = Pick<DatabaseOptions, "migrate" | "migrations">
type Client = PgClient.PgClient | SqlClient.SqlClient

/** Layers have no `mapError` of their own. */
const mapError =
  <E, E2>(f: (error: E) => E2) =>
  <A, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E2, R> =>
    Layer.catch(layer, (error: E) => Layer.effectContext<A, E2, never>(Effect.fail(f(error))))

const schemaOf = (schema: Schema): Effect.Effect<void, StartError, SqlClient.SqlClient> =>
  schema.migrate === false ? Effect.void : Effect.asVoid(migrate(schema.migrations ?? migrations))

/** The client, available once `ready` has run. */
const prepared = (
  client: Layer.Layer<Client, SqlError>,
  ready: Effect.Effect<void, StartError, SqlClient.SqlClient>,
  setting: string
): Layer.Layer<Client, DatabaseFailed> =>
  Layer.effectDiscard(ready).pipe(Layer.provideMerge(client), mapError(startFailure(setting)))

/** One session, so one connection: all other callers wait, and a transaction keeps it until it ends. */
const clientOf = (engine: Engine) =>
  PgClient.layer({
    stream: engine.connect,
    username: "postgres",
    database: "postgres",
    minConnections: 1,
    maxConnections: 1,
    // A new connection may have to wait for a query whose caller has gone and that cannot be cancelled.
    connectTimeout: "60 seconds"
  })

const onEngine = (engine: Engine, space: FreeSpace, schema: Schema): Layer.Layer<Database, DatabaseFailed> =>
  Layer.mergeAll(
    layerEngineHealth(engine, space),
    layerEngineNotifications(engine),
    Layer.effectDiscard(maintain(engine, space)),
    Layer.effectDiscard(poolOf(1))
  ).pipe(Layer.provideMerge(prepared(clientOf(engine), engine.unwatched(schemaOf(schema)), "DATA_DIR")))

const layerEmbedded = (options: DatabaseOptions): Layer.Layer<Database, DatabaseFailed> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onLost = options.onLost ?? endProcess
      yield* holdLock({ directory: options.dataDir, nodeId: options.nodeId, onLost }).pipe(
        Effect.mapError((error) => failed("locked", error.message))
      )
      const space = makeFreeSpace({ directory: options.dataDir, minFreeBytes: options.minFreeBytes })
      // The engine writes when it opens, and would hang on a full disk.
      yield* Effect.mapError(space.check, (error) => failed("unusable", error.message))
      const directory = join(options.dataDir, "database")
      // The image has this version's schema, so it is used only with that.
      const image = options.migrations === undefined && options.migrate !== false ? imagePath() : undefined
      const { watchdogMillis } = options
      const engine = yield* makeEngine({ directory, image, fsync: true, watchdogMillis, onLost }).pipe(
        Effect.mapError((error) =>
          failed("unusable", `DATA_DIR: the embedded database cannot be opened: ${error.message}`)
        )
      )
      return onEngine(engine, space, options)
    })
  )

/** The embedded database on an engine that the caller owns, for tests: without a directory lock and without the free-space guard. */
export const layerEngine = (engine: Engine, schema: Schema = {}): Layer.Layer<Database, DatabaseFailed> =>
  onEngine(engine, makeFreeSpace({ directory: ".", minFreeBytes: 0 }), schema)

/** How long a statement may run on a server. A page takes milliseconds; a statement that takes this long delays others. */
const statementTimeoutMillis = 30_000

/** How long a transaction may be idle. Otherwise a frozen node could keep the journal's lock from all others. */
const idleInTransactionMillis = 30_000

const layerServer = (options: DatabaseOptions, url: Redacted.Redacted): Layer.Layer<Database, DatabaseFailed> => {
  const config = {
    url,
    applicationName: `voltlane ${options.nodeId}`.slice(0, 63),
    connectTimeout: "5 seconds",
    keepAlive: "15 seconds",
    startupParameters: {
      statement_timeout: String(statementTimeoutMillis),
      idle_in_transaction_session_timeout: String(idleInTransactionMillis),
      timezone: "UTC",
      // Our statements are short, so compiling them costs more than running them.
      jit: "off"
    }
  } as const
  const client = PgClient.layer({ ...config, minConnections: 1, maxConnections: options.poolSize })
  const pool = poolOf(options.poolSize)
  return Layer.mergeAll(layerServerHealth, layerServerNotifications(config)).pipe(
    mapError(startFailure("DATABASE_URL")),
    Layer.provideMerge(
      prepared(client, Effect.andThen(Effect.andThen(pool, supported), schemaOf(options)), "DATABASE_URL")
    )
  )
}

/** The database with an up-to-date schema, its health and its notifications. */
export const layer = (options: DatabaseOptions): Layer.Layer<Database, DatabaseFailed> =>
  options.url === undefined ? layerEmbedded(options) : layerServer(options, options.url)
