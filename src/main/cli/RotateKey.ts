/**
 * `voltlane rotate-key`: changes the secret key while no process runs. The new key is on the disk before the database needs it, so that it cannot be
 * lost if this process is killed; running the command again then finishes the work.
 */
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { type Config, loadConfig } from "../../Config.ts"
import { rootKeys } from "../../storage/operators/RootKeys.ts"
import { type Rotated, rotateKey } from "../../storage/operators/KeyRotation.ts"
import { saveEngineMemory } from "../EngineMemory.ts"
import { AdminRefused } from "./Admin.ts"
import { base, type CommandLine, Ended, filesOf } from "./CommandLine.ts"
import { databaseOf, databaseRefusals } from "./Database.ts"

const refuse = (message: string) => new AdminRefused({ message })

const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8").trim() : undefined)

/** The shortest key that is accepted, as for `SECRET_KEY`. */
const shortest = 8

const givenKey = (path: string) =>
  Effect.suspend(() => {
    const text = textOf(path)
    if (text === undefined) return Effect.fail(refuse(`--new-key-file: there is no file ${path}`))
    return text.length < shortest
      ? Effect.fail(
          refuse(`--new-key-file: ${path} must have at least ${shortest} characters, preferably 32 random ones`)
        )
      : Effect.succeed(text)
  })

/**
 * The new key: the given one, that of a run that was interrupted, or a random one. The last two are in `path` from now on. A file with the present key
 * was left by an earlier run.
 */
const nextKey = (given: string | undefined, path: string, present: string) =>
  given === undefined
    ? Effect.sync(() => {
        const begun = textOf(path)
        const text = begun === undefined || begun === present ? randomBytes(32).toString("base64url") : begun
        writeFileSync(path, `${text}\n`, { mode: 0o600, flush: true })
        return text
      })
    : givenKey(given)

const inUse = (nodeIds: ReadonlyArray<string>) =>
  refuse(`${nodeIds.join(", ")} uses the database: stop every process, wait 15 seconds, and run this again`)

/** Rotates, or finds that an interrupted run has done it. */
const rotated = (config: Config, next: Redacted.Redacted) =>
  Effect.gen(function* () {
    const isDone = yield* Effect.isSuccess(rootKeys(next))
    if (isDone) return undefined
    return yield* rotateKey(config.secretKey, next, { isExclusive: config.databaseUrl === undefined })
  }).pipe(
    Effect.provide(Layer.fresh(databaseOf(config))),
    Effect.catchTag("DatabaseInUse", ({ nodeIds }) => Effect.fail(inUse(nodeIds)))
  )

const linesOf = (done: Rotated | undefined): ReadonlyArray<string> => {
  if (done === undefined) return ["The database has the new key already."]
  const left =
    done.unreadable === 0
      ? ""
      : ` ${done.unreadable} values could not be decrypted with the old key and were left as they are.`
  return [`${done.sealed} values were encrypted anew.${left}`]
}

/** Changes the key and puts the new one where the service finds it. Returns what to print. */
export const rotateKeyHere = (
  env: Readonly<Record<string, string | undefined>>,
  args: ReadonlyArray<string>,
  newKeyFile: string | undefined
) =>
  Effect.gen(function* () {
    const { databaseUrl, dataDir } = yield* loadConfig(env, [...args, "--print-config"])
    if (databaseUrl === undefined && !existsSync(join(dataDir, "database")))
      return yield* refuse(`there is no database in ${dataDir}: set DATA_DIR or DATABASE_URL as for the service`)
    yield* saveEngineMemory(databaseUrl)
    const config = yield* loadConfig(env, args)
    const kept = join(dataDir, "secret-key")
    const isKept = textOf(kept) === Redacted.value(config.secretKey)
    const path = `${kept}.new`
    const next = yield* nextKey(newKeyFile, path, Redacted.value(config.secretKey))
    const lines = linesOf(yield* rotated(config, Redacted.make(next)))
    if (isKept) {
      if (newKeyFile !== undefined) writeFileSync(path, `${next}\n`, { mode: 0o600, flush: true })
      renameSync(path, kept)
      return [...lines, `The new key is in ${kept}. Keep a copy of it, apart from the database's backups.`]
    }
    if (newKeyFile !== undefined) {
      if (existsSync(path)) unlinkSync(path)
      return [...lines, `Set SECRET_KEY to the key in ${newKeyFile} before you start the service.`]
    }
    return [...lines, `Set SECRET_KEY to the key in ${path} before you start the service, then delete this file.`]
  })

export const rotateKeyCommand = ({ env, err }: CommandLine) =>
  Command.make(
    "rotate-key",
    {
      newKeyFile: Flag.String("new-key-file").pipe(
        Flag.withMetavar("FILE"),
        Flag.withDescription("A file with the new key; without it, a random key is made"),
        Flag.optional
      )
    },
    ({ newKeyFile }) =>
      Effect.gen(function* () {
        const files = filesOf((yield* base).envFile)
        const lines = yield* rotateKeyHere(env, files, Option.getOrUndefined(newKeyFile)).pipe(
          Effect.catchTags(databaseRefusals),
          Effect.catchTags({
            AdminRefused: ({ message }) => Effect.fail(new Ended({ message: `rotate-key: ${message}`, code: 1 })),
            ConfigProblem: ({ message, variable }) =>
              Effect.fail(new Ended({ message: `${variable}: ${message}`, code: 78 }))
          })
        )
        for (const line of lines) err(`${line}\n`)
      })
  ).pipe(Command.withDescription("Change SECRET_KEY while the service is stopped; keys and passwords stay valid"))
