#!/usr/bin/env node
/**
 * The entry point. Without a command it runs the service: its settings are decoded before anything else is loaded, so
 * that a wrong setting ends the start at once with one line. Then the service runs until it is asked to stop. The code
 * of commands is loaded only if a command is given.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import { loadConfig } from "./Config.ts"

/** EX_CONFIG of sysexits.h: a supervisor that sees it need not restart the service. */
const wrongSetting = 78

const complain = (line: string, code: number) =>
  Effect.sync(() => {
    if (line !== "") process.stderr.write(`voltlane: ${line}\n`)
    process.exitCode = code
  })

const serving = (args: ReadonlyArray<string>) =>
  loadConfig(process.env, args).pipe(
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
      KeysNotKept: ({ message }) => complain(`DATA_DIR: ${message}`, wrongSetting),
      NotPrivate: ({ message }) => complain(`DATA_DIR: ${message}`, wrongSetting),
      WrongSecretKey: ({ message }) => complain(`SECRET_KEY: ${message}`, wrongSetting),
      NodeIdInUse: ({ message }) => complain(`NODE_ID: ${message}`, wrongSetting),
      StorageUnavailable: ({ message }) => complain(message, 1)
    }),
    Effect.orDie
  )

const commanding = (args: ReadonlyArray<string>) =>
  Effect.promise(() => import("./main/cli/Commands.ts")).pipe(
    Effect.flatMap(({ runCommand }) =>
      runCommand(args, {
        env: process.env,
        out: (text) => void process.stdout.write(text),
        err: (text) => void process.stderr.write(text),
        serve: serving
      })
    ),
    Effect.catchTag("Ended", ({ code, message }) => complain(message, code))
  )

const args = process.argv.slice(2)

NodeRuntime.runMain(args.length === 0 ? serving(args) : commanding(args), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    if (failed) process.stderr.write(`voltlane: a defect, please report it\n${Cause.pretty(exit.cause)}\n`)
    onExit(failed ? 1 : Number(process.exitCode ?? 0))
  }
})
