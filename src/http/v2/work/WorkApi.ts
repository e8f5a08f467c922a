/** The work queues in REST v2: how many items wait for operators. The items themselves are in each queue's own list. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { countedMost } from "../../../domain/work/Work.ts"
import { operation } from "../requests/Middleware.ts"

const Count = Schema.NullOr(Schema.Int)

export const WorkCounts = Schema.Struct({
  heldSessions: Count,
  corrections: Count,
  parkedDeliveries: Count,
  parkedEvents: Count,
  tokenConflicts: Count,
  unknownChargers: Count,
  configurationDrifts: Count
}).annotate({ identifier: "WorkCounts" })

export class WorkApi extends HttpApiGroup.make("work").add(
  HttpApiEndpoint.get("get", "/v2/work", { success: WorkCounts }).annotateMerge(
    operation(
      `Count items that wait for operators; each queue is counted up to ${countedMost}, and is null if the caller may not read it`
    )
  )
) {}
