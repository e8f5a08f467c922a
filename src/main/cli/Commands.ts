/**
 * The command line: what `voltlane` accepts, and what each command prints. Results go to standard output, messages
 * about them to standard error. The exit code is 2 for wrong usage, 78 for a wrong setting and 1 for any other failure;
 * each failure prints one line.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { version } from "../Version.ts"
import { base, type CommandLine, Ended, filesOf, wrongUse } from "./CommandLine.ts"
import { exportCommand } from "./ExportCommand.ts"
import { keyCommands } from "./KeyCommands.ts"
import { rotateKeyCommand } from "./RotateKey.ts"

/** The commands of one command line. */
const tree = (line: CommandLine) =>
  base.pipe(
    Command.withHandler((input) =>
      line.serve([...filesOf(input.envFile), ...(input.printConfig ? ["--print-config"] : [])])
    ),
    Command.withDescription(
      "Runs chargers. Without a command it starts the service; its settings are environment variables (--print-config shows them)."
    ),
    Command.withSubcommands([exportCommand(line), rotateKeyCommand(line), ...keyCommands(line)])
  )

/** Prints help and version unchanged; for wrong usage, one line and where to read more. */
const presenter = ({ err, out }: CommandLine): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors: false })
  return {
    present: (event) =>
      Effect.sync(() => {
        switch (event._tag) {
          case "Help":
            return out(`${formatter.formatHelpDoc(event.helpDoc)}\n`)
          case "Version":
            return out(`${event.version}\n`)
          case "InvalidInvocation": {
            const what = (event.errors[0]?.message ?? "wrong use").replace(/\s*\n\s*/g, " ")
            return err(`voltlane: ${what}; see ${event.commandPath.join(" ")} --help\n`)
          }
        }
      })
  }
}

/** Runs the command of the arguments. A failure has the exit code of the process. */
export const runCommand = (args: ReadonlyArray<string>, line: CommandLine): Effect.Effect<void, Ended> =>
  Command.runWith(tree(line), { version })(args).pipe(
    Effect.catch((error) => {
      if (error._tag === "Ended") return Effect.fail(error)
      // The error is printed already; a command group without a command has printed its help.
      return Effect.fail(new Ended({ message: "", code: wrongUse }))
    }),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
        CliOutput.layerPresenter(presenter(line))
      )
    )
  )
