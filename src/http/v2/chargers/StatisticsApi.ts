/** Statistics of one organisation in REST v2. */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Statistics } from "../../ChargerStatus.ts"
import { operation } from "../requests/Middleware.ts"

export class StatisticsApi extends HttpApiGroup.make("statistics").add(
  HttpApiEndpoint.get("get", "/v2/statistics", { success: Statistics }).annotateMerge(
    operation("Counts of chargers, connectors, sessions and energy", "statistics:read")
  )
) {}
