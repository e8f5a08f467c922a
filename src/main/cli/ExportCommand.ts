/** `voltlane export`: its options and exit codes. `Export.ts` does the work. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type CommandLine, Ended, wrongUse } from "./CommandLine.ts"

const optionalText = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
export const exportCommand = ({ env, err }: CommandLine) =>
  Command.make(
    "export",
    {
      file: Argument.String("file").pipe(
        Argument.withDescription("A name that ends in .csv or .jsonl, or - with --format for the standard output")
      ),
      charger: optionalText("charger", "ID", "Only of this charger"),
      site: optionalText("site", "ID", "Only of this site"),
      token: optionalText("token", "UID", "Only of this card"),
      from: optionalText("from", "TIME", "Only of sessions that started from this time on"),
      to: optionalText("to", "TIME", "Only of sessions that started before this time"),
      issuedFrom: optionalText("issued-from", "TIME", "Only those issued from this time on"),
      issuedTo: optionalText("issued-to", "TIME", "Only those issued before this time"),
      format: Flag.Literals("format", ["csv", "jsonl"]).pipe(
        Flag.withDescription("The format, if the file's name does not show it"),
        Flag.optional
      )
    },
    ({ file, ...filters }) =>
      Effect.flatMap(
        Effect.promise(() => import("../Export.ts")),
        ({ exportRecords }) =>
          exportRecords(
            {
              file,
              charger: Option.getOrUndefined(filters.charger),
              site: Option.getOrUndefined(filters.site),
              token: Option.getOrUndefined(filters.token),
              from: Option.getOrUndefined(filters.from),
              to: Option.getOrUndefined(filters.to),
              issuedFrom: Option.getOrUndefined(filters.issuedFrom),
              issuedTo: Option.getOrUndefined(filters.issuedTo),
              format: Option.getOrUndefined(filters.format)
            },
            env,
            { write: err, isTerminal: process.stderr.isTTY, now: () => performance.now() }
          )
      ).pipe(
        Effect.catchTag("ExportFailed", ({ message, wrongUse: wrong }) =>
          Effect.fail(new Ended({ message: `export: ${message}`, code: wrong ? wrongUse : 1 }))
        )
      )
  ).pipe(
    Command.withDescription(
      "Write charge detail records of a running service to a file. VOLTLANE_URL is the service's address (default http://localhost:8080), VOLTLANE_API_KEY holds a v2 key with cdrs:read."
    )
  )
