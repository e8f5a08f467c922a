/** One run of the service: checks the ports, starts the service, prints the banner, and runs until it is interrupted. */
// Compiles the schemas of messages to plain functions, once: this halves the cost of decoding a message.
import "effect/schema/SchemaJITCompiler/enable"
import { Effect } from "effect"
import { closeToOthers, NotPrivate, othersRights } from "../storage/pglite/PrivateFiles.ts"
import { type Config, limits } from "../Config.ts"
import { banner, unreachable } from "./Banner.ts"
import { fewerCollections, saveEngineMemory } from "./EngineMemory.ts"
import { preflight } from "./Listeners.ts"
import { giveBack } from "./IdleMemory.ts"
import { observability } from "./Observability.ts"
import { start } from "./Service.ts"
import { settingsOf } from "./Settings.ts"
import { version } from "./Version.ts"

/** Ends the process even if something hangs, before supervisors kill it. The timer starts only when the service stops. */
const hardStop = Effect.addFinalizer(() =>
  Effect.sync(() => {
    setTimeout(() => {
      process.stderr.write("voltlane: stopping took too long; all acknowledged data are stored\n")
      process.exit(0)
    }, limits.shutdown.hardStopMillis).unref()
  })
)

/** Makes `DATA_DIR` private to this user, and also everything that this process creates from now on. */
const keepPrivate = (dataDir: string) =>
  Effect.gen(function* () {
    yield* Effect.sync(() => void process.umask(othersRights))
    const closed = yield* Effect.try({
      try: () => closeToOthers(dataDir),
      catch: (error) => (error instanceof NotPrivate ? error : new NotPrivate(String(error)))
    })
    if (closed === 0) return
    yield* Effect.logWarning(
      "security: DATA_DIR could be read by other users of this machine; its permissions are now restricted"
    ).pipe(Effect.annotateLogs({ dataDir, files: closed }))
  })

/** The URL of the metrics. A separate listener is for collectors on this network, so it is not below `PUBLIC_URL`. */
const metricsUrl = ({ host, metricsPort }: Config): string | undefined => {
  if (metricsPort === undefined) return "/metrics"
  if (metricsPort === "off") return undefined
  return `http://${host.includes(":") ? `[${host}]` : host}:${metricsPort}/metrics`
}

/** Runs the service until it is interrupted, then drains it. */
export const run = (config: Config) =>
  Effect.gen(function* () {
    const settings = settingsOf(config, version)
    let isReady = false
    // The first finalizer that is added runs last.
    yield* Effect.addFinalizer(() => (isReady ? Effect.logInfo("stopped") : Effect.void))
    yield* preflight(settings.listeners)
    yield* keepPrivate(config.dataDir)
    yield* fewerCollections
    yield* saveEngineMemory(config.databaseUrl)
    const running = yield* start(settings)
    yield* hardStop
    const lines = banner({
      version,
      publicUrl: config.publicUrl,
      ocppUrl: `${config.publicUrl.replace(/^http/, "ws")}/ocpp`,
      database:
        running.database.kind === "postgres" ? "PostgreSQL" : `embedded PostgreSQL (PGlite) in ${config.dataDir}`,
      durability: running.database.durability,
      environment: config.environment,
      metricsUrl: metricsUrl(config),
      v1Answers: config.v1AllowHttp || config.publicUrl.startsWith("https:"),
      firstStart: running.firstStart
    })
    yield* Effect.sync(() => void process.stdout.write(`${lines.join("\n")}\n`))
    const { keptIn } = running.firstStart ?? {}
    if (keptIn !== undefined)
      yield* Effect.logWarning(`security: the first keys are in ${keptIn}; store them elsewhere and remove the file`)
    const warning = unreachable(config.host, config.publicUrl)
    if (warning !== undefined) yield* Effect.logWarning(warning)
    for (const line of config.warnings) yield* Effect.logWarning(line)
    yield* Effect.logInfo("ready")
    isReady = true
    yield* Effect.addFinalizer(() =>
      Effect.logInfo("stopping: no new connections; open requests are answered, then chargers are disconnected")
    )
    yield* Effect.forkScoped(giveBack(running.connectionCount))
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(observability(config.otel, version)))
