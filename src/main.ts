#!/usr/bin/env node
/**
 * The way in. `export` is a client of a running service; everything else is the service itself. Settings are decoded before anything else is even loaded, so that a wrong one ends the start at once with one line; then
 * the service runs until it is told to stop.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import { loadConfig } from "./Config.ts"

/** sysexits.h's EX_CONFIG: a supervisor that sees it need not try again. */
const wrongSetting = 78

const complain = (line: string, code: number) =>
  Effect.sync(() => {
    process.stderr.write(`voltlane: ${line}\n`)
    process.exitCode = code
  })

const exporting = (args: ReadonlyArray<string>) =>
  Effect.promise(() => import("./main/Export.ts")).pipe(
    Effect.flatMap(({ exportRecords }) =>
      exportRecords(args, process.env, {
        write: (text) => void process.stderr.write(text),
        isTerminal: process.stderr.isTTY,
        now: () => performance.now()
      })
    ),
    Effect.catchTag("ExportFailed", ({ message }) => complain(`export: ${message}`, 1))
  )

const serving = loadConfig(process.env, process.argv.slice(2)).pipe(
  Effect.flatMap((config) =>
    config.printOnly
      ? Effect.sync(() => void process.stdout.write(config.printed))
      : Effect.flatMap(
          Effect.promise(() => import("./main/Run.ts")),
          ({ run }) => run(config)
        )
  ),
  Effect.catchTags({
    ConfigProblem: ({ message, variable }) => complain(`${variable}: ${message}`, wrongSetting),
    ListenFailed: ({ message, variable }) => complain(`${variable}: ${message}`, wrongSetting),
    DatabaseFailed: ({ message }) => complain(message, 1),
    NotPrivate: ({ message }) => complain(`DATA_DIR: ${message}`, wrongSetting),
    WrongSecretKey: ({ message }) => complain(`SECRET_KEY: ${message}`, wrongSetting),
    NodeIdInUse: ({ message }) => complain(`NODE_ID: ${message}`, wrongSetting),
    StorageUnavailable: ({ message }) => complain(message, 1)
  })
)

const [word, ...rest] = process.argv.slice(2)

NodeRuntime.runMain(word === "export" ? exporting(rest) : serving, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    if (failed) process.stderr.write(`voltlane: a defect, please report it\n${Cause.pretty(exit.cause)}\n`)
    onExit(failed ? 1 : Number(process.exitCode ?? 0))
  }
})
