/**
 * Counts partners' requests by module and by the status in the envelope. Partners and paths are not labels, since their number is
 * unlimited.
 */
import { type Effect, Metric } from "effect"
import { rowsOf } from "../protocol/EndpointTable.ts"
import type { Target } from "./Matching.ts"
import { type StatusCode, statusCodes } from "../protocol/Status.ts"
import { versions } from "../protocol/Version.ts"

/** The module of a request, as it is named in logs and metrics. */
export const moduleOf = (target: Target): string => {
  switch (target._tag) {
    case "Module":
      return target.row.module
    case "Versions":
    case "Details":
      return "versions"
    case "OtherMethods":
    case "Nothing":
    case "Unreadable":
      return "unknown"
  }
}

const requests = (version: string, module: string, status: StatusCode) =>
  Metric.counter("ocpi_requests_total", {
    description: "Requests of roaming partners, by version, module and status code of the answer",
    incremental: true,
    attributes: { version, module, status: String(status) }
  })

/** The series that alarms use: successes and our own failures in each module. Other status codes appear with their first request. */
export const requestMetrics = versions.flatMap(({ version }) =>
  [...new Set(rowsOf(version).map(({ module }) => module))].flatMap((module) =>
    [statusCodes.Success, statusCodes.ServerError].map((status) => requests(version, module, status))
  )
)

/** Counts one answered request. */
export const countRequest = (target: Target, status: StatusCode): Effect.Effect<void> =>
  Metric.update(requests("facts" in target ? target.facts.version : "none", moduleOf(target), status), 1)
