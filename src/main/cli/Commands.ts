/**
 * The command line: what `voltlane` takes, and what each command prints. Results go to the standard output, words about them to the standard
 * error; a wrong use ends with 2, a wrong setting with 78, and any other obstacle with 1, each in one line.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { version } from "../Version.ts"
import { base, type CommandLine, Ended, filesOf, wrongUse } from "./CommandLine.ts"
import { exportCommand } from "./ExportCommand.ts"
import { keyCommands } from "./KeyCommands.ts"

/** The commands of one command line. */
const tree = (line: CommandLine) =>
  base.pipe(
    Command.withHandler((input) =>
      line.serve([...filesOf(input.envFile), ...(input.printConfig ? ["--print-config"] : [])])
    ),
    Command.withDescription(
      "Runs chargers. Without a command it is the service itself; its settings are environment variables (--print-config shows them)."
    ),
    Command.withSubcommands([exportCommand(line), ...keyCommands(line)])
  )

/** Help and version as they are; of a wrong use one line, and where to read on. */
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

/** Runs what the arguments say, and fails with the code that the process is to end with. */
export const runCommand = (args: ReadonlyArray<string>, line: CommandLine): Effect.Effect<void, Ended> =>
  Command.runWith(tree(line), { version })(args).pipe(
    Effect.catch((error) => {
      if (error._tag === "Ended") return Effect.fail(error)
      // What was wrong is printed already; a group of commands without a command has shown its help.
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
