/** Commands to chargers in REST v2: issued, waited for, read and listed. Parameters have OCPP 1.6's names, see `commands/`. */
import { Effect, Schema, SchemaIssue } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { commandTypes } from "../../../domain/command/Kinds.ts"
import { ChargerId, Time, Uuid, whole, wholeInQuery } from "../../Fields.ts"
import { core } from "./Core.ts"
import { profiles } from "./Profiles.ts"
import { security } from "./Security.ts"
import { Conflict409, NotFound404, TooMany429 } from "../requests/Failures.ts"
import { Progress } from "../files/FilesApi.ts"
import { graveOperationIf, operation, Staged } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { commandStatuses } from "../../../domain/command/Command.ts"

export const commandRows = { ...core, ...profiles, ...security } as const

/** How long a command may wait for its charger: a week, since no one remembers its reason after that. */
const longestWaitSeconds = 604_800

/** How long a request may wait: proxies and scripts rarely wait longer than a minute. */
const longestHoldSeconds = 60

export const expiresIn = {
  expiresIn: Schema.optionalKey(
    whole(1, longestWaitSeconds).annotate({
      description:
        "Seconds that it may wait for the charger to connect; without it, the command fails at once if the charger is not connected"
    })
  )
}

type RowSchemas = { readonly [Type in keyof typeof commandRows]: (typeof commandRows)[Type]["schema"] }

/** The schema of each row, with the field that limits how long the command may wait. */
const members = Object.values(commandRows).map(({ schema }) => Schema.Struct({ ...schema.fields, ...expiresIn }))

export type NewCommandBody = RowSchemas[keyof RowSchemas]["Type"] & { readonly expiresIn?: number }

const typeUnknown = `Must be one of ${commandTypes.join(", ")}`

/** If no member of the union has this type, the error is about `type` and not about the whole body. */
const aboutType = (issue: SchemaIssue.Issue): SchemaIssue.Issue =>
  issue._tag === "AnyOf" && issue.issues.length === 0
    ? new SchemaIssue.Pointer(["type"], new SchemaIssue.InvalidValue({ message: typeUnknown }))
    : issue

export const NewCommand = (
  Schema.Union(members) as unknown as Schema.Codec<NewCommandBody, Readonly<Record<string, unknown>>>
)
  .annotate({ identifier: "NewCommand" })
  .pipe(Schema.catchDecoding((issue) => Effect.fail(aboutType(issue))))

const Document = Schema.Record(Schema.String, Schema.Unknown)

export const Command = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(commandTypes),
  chargerId: Schema.String,
  status: Schema.Literals(commandStatuses),
  createdAt: Time,
  sentAt: Schema.NullOr(Time),
  completedAt: Schema.NullOr(Time),
  expiresAt: Schema.NullOr(Time).annotate({ description: "Until when it may wait for the charger to connect" }),
  result: Schema.NullOr(Document).annotate({
    description: "The charger's answer as received, or { errorCode, errorDescription }"
  }),
  sessionId: Schema.NullOr(Schema.String).annotate({
    description: "The session that followed a RemoteStart, or that a RemoteStop ends"
  }),
  effect: Schema.NullOr(Schema.Literals(["SessionStarted", "SessionEnded"])).annotate({
    description: "The observed outcome"
  }),
  fileId: Schema.NullOr(Schema.String).annotate({
    description: "The file of this service that the charger was asked to upload or to download"
  }),
  progress: Schema.NullOr(Progress).annotate({
    description: "The charger's last status of the upload, the download or the installation"
  }),
  parameters: Document.annotate({
    description: "As given, with secrets masked, and with what the service chose: numbers, a version, a file"
  }),
  issuedBy: Schema.String
}).annotate({ identifier: "Command" })

const CommandOnce = Schema.Struct({
  ...Command.fields,
  password: Schema.optionalKey(
    Schema.String.annotate({ description: "The charger's new password, if it was generated; shown only once" })
  )
}).annotate({ identifier: "CommandWithPassword" })

/** How long a request waits for the charger's answer, in seconds. */
const Wait = wholeInQuery(0, longestHoldSeconds, `Seconds to wait for the charger's answer, 0 to ${longestHoldSeconds}`)

const filter = { status: Schema.optionalKey(Schema.Literals(commandStatuses)) }

export class CommandsApi extends HttpApiGroup.make("commands").add(
  HttpApiEndpoint.post("issue", "/v2/chargers/:chargerId/commands", {
    params: { chargerId: ChargerId },
    query: { wait: Schema.optionalKey(Wait) },
    headers: IdempotencyHeader,
    payload: NewCommand,
    success: createdAt(CommandOnce.pipe(HttpApiSchema.status(202))),
    error: [NotFound404, Conflict409, TooMany429]
  })
    .annotateMerge(
      graveOperationIf("if it changes the charger's password", "Send a command to a charger", "commands:write")
    )
    .annotate(Staged, true),
  HttpApiEndpoint.get("listOfCharger", "/v2/chargers/:chargerId/commands", {
    params: { chargerId: ChargerId },
    query: { ...PageQuery, ...filter },
    success: listOf(Command),
    error: NotFound404
  }).annotateMerge(operation("List a charger's commands, newest first", "commands:read")),
  HttpApiEndpoint.get("list", "/v2/commands", {
    query: { ...PageQuery, ...filter, chargerId: Schema.optionalKey(ChargerId), fileId: Schema.optionalKey(Uuid) },
    success: listOf(Command)
  }).annotateMerge(operation("List commands, newest first", "commands:read")),
  HttpApiEndpoint.get("get", "/v2/commands/:id", {
    params: { id: Uuid },
    query: { wait: Schema.optionalKey(Wait) },
    success: Command,
    error: NotFound404
  }).annotateMerge(operation("Read a command", "commands:read"))
) {}
