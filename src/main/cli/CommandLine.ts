/** What every command needs: where it writes, how it ends, and the options that all commands have. */
import { Data, type Effect } from "effect"
import { Command, Flag } from "effect/cli"

/** Ends the process with this code, after one line. */
export class Ended extends Data.TaggedError("Ended")<{ readonly message: string; readonly code: number }> {}

/** The usual exit code of a program that was called with wrong arguments. */
export const wrongUse = 2

type Env = Readonly<Record<string, string | undefined>>

/** The environment of the command line. */
export interface CommandLine {
  readonly env: Env
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Runs the service until it is stopped. */
  readonly serve: (args: ReadonlyArray<string>) => Effect.Effect<void>
}

const envFile = Flag.String("env-file").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Settings as NAME=value lines; the environment overrides them"),
  Flag.atLeast(0)
)
export const filesOf = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.map((file) => `--env-file=${file}`)

/** The root command. Every command has its flags for settings. */
export const base = Command.make("voltlane", {
  printConfig: Flag.Boolean("print-config").pipe(
    Flag.withDescription("Print the settings that would apply, and exit"),
    Flag.withDefault(false)
  )
}).pipe(Command.withSharedFlags({ envFile }))
