/** Command batches in REST v2: the same command for many chargers, issued at a limited rate. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { maxTargets } from "../../../domain/rollout/Rollout.ts"
import { text } from "../../Fields.ts"
import { NewCommand } from "../commands/CommandsApi.ts"
import { Conflict409, TooMany429 } from "../requests/Failures.ts"
import { graveOperation } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader } from "../requests/Paging.ts"
import { CommandBatch, rolloutEndpoints, targetFields } from "./RolloutSchema.ts"

export const rolloutNameMax = 100

const NewCommandBatch = Schema.Struct({
  name: Schema.optionalKey(text(rolloutNameMax).annotate({ description: "Default: the command's type" })),
  command: NewCommand,
  ...targetFields
}).annotate({ identifier: "NewCommandBatch" })

const shared = rolloutEndpoints("/v2/command-batches", CommandBatch, { one: "command batch", many: "command batches" })

export class CommandBatchesApi extends HttpApiGroup.make("command-batches").add(
  HttpApiEndpoint.post("create", "/v2/command-batches", {
    headers: IdempotencyHeader,
    payload: NewCommandBatch,
    success: createdAt(CommandBatch.pipe(HttpApiSchema.status(201))),
    error: [Conflict409, TooMany429]
  }).annotateMerge(
    graveOperation(`Send a command to up to ${maxTargets} chargers, one after the other`, "commands:write")
  ),
  shared.list,
  shared.get,
  shared.targets,
  shared.pause,
  shared.resume,
  shared.cancel
) {}
