/**
 * Where the command line carries out its requests: in the service that runs on the embedded database, in that database
 * itself if no service has it open, or in PostgreSQL at any time. It does not change the schema; only a start of the
 * service does.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { type Config, limits, loadConfig } from "../../Config.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import * as Access from "../../storage/operators/Access.ts"
import * as Accounts from "../../storage/operators/Accounts.ts"
import * as SingleSignOns from "../../storage/operators/SingleSignOns.ts"
import * as Database from "../../storage/kernel/Database.ts"
import * as RootKeys from "../../storage/operators/RootKeys.ts"
import { knownVersion, schemaVersion } from "../../storage/kernel/Migrations.ts"
import { migrations } from "../../storage/migrations/all.ts"
import { guarded } from "../../storage/kernel/SqlErrors.ts"
import { saveEngineMemory } from "../EngineMemory.ts"
import { type AdminAnswer, administer, AdminRefused, type AdminRequest } from "./Admin.ts"
import { askService } from "./Control.ts"

const refuse = (message: string) => new AdminRefused({ message })

const rightSchema = Effect.gen(function* () {
  const exists = yield* guarded(schemaVersion)
  const knows = knownVersion(migrations)
  if (exists === knows) return
  return yield* refuse(
    exists === 0
      ? "the database is empty: start the service once first"
      : `the database has schema ${exists}, this version of Voltlane has ${knows}: run the command with the service's version, or start this version of the service first`
  )
})

/** The database of the settings, if it has the schema of this version. */
export const databaseOf = (config: Config) =>
  Layer.effectDiscard(rightSchema).pipe(
    Layer.provideMerge(
      Database.layer({
        url: config.databaseUrl,
        dataDir: config.dataDir,
        nodeId: "command-line",
        minFreeBytes: config.minFreeDiskBytes,
        poolSize: 2,
        watchdogMillis: limits.database.watchdogMillis,
        migrate: false
      })
    )
  )

const opened = (config: Config) =>
  Layer.mergeAll(Access.layer, Accounts.layer, SingleSignOns.layer).pipe(
    Layer.provideMerge(RootKeys.layer(config.secretKey)),
    Layer.provideMerge(databaseOf(config))
  )

/** Errors of a database that cannot be used, as refusals that say what to do. */
export const databaseRefusals = {
  DatabaseFailed: ({ kind, message }: Database.DatabaseFailed) =>
    Effect.fail(
      refuse(
        kind === "locked"
          ? `${message.split("; ", 1)[0]}: the service cannot be reached; stop it, and run this again`
          : message
      )
    ),
  WrongSecretKey: ({ message }: RootKeys.WrongSecretKey) => Effect.fail(refuse(`SECRET_KEY: ${message}`)),
  StorageUnavailable: ({ message }: StorageUnavailable) => Effect.fail(refuse(message))
}

const inDatabase = (config: Config, request: AdminRequest) =>
  administer(request, config.publicUrl).pipe(Effect.provide(opened(config)), Effect.catchTags(databaseRefusals))

/** Carries out a request wherever it can be done now. `args`: those that name files of settings. */
export const administerHere = (
  env: Readonly<Record<string, string | undefined>>,
  args: ReadonlyArray<string>,
  request: AdminRequest
) =>
  Effect.gen(function* () {
    // Checked before anything is generated: a command in the wrong folder must not create a data directory there.
    const { databaseUrl, dataDir } = yield* loadConfig(env, [...args, "--print-config"])
    if (databaseUrl === undefined) {
      if (!existsSync(join(dataDir, "database")))
        return yield* refuse(`there is no database in ${dataDir}: set DATA_DIR or DATABASE_URL as for the service`)
      const answer: AdminAnswer | undefined = yield* askService(dataDir, request)
      if (answer !== undefined) return answer
    }
    yield* saveEngineMemory(databaseUrl)
    return yield* inDatabase(yield* loadConfig(env, args), request)
  })
