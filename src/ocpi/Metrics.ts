/** What partners ask and how it ends, as a metric: by module and by the status in the envelope, never by partner or path. */
import { type Effect, Metric } from "effect"
import type { Target } from "./Matching.ts"
import type { StatusCode } from "./Status.ts"

/** The module that was asked, as logs and metrics name it. */
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

/** Counts one answered request. */
export const countRequest = (target: Target, status: StatusCode): Effect.Effect<void> =>
  Metric.update(
    Metric.counter("ocpi_requests_total", {
      description: "Requests of roaming partners, by version, module and the status code of their answer",
      incremental: true,
      attributes: {
        version: "facts" in target ? target.facts.version : "none",
        module: moduleOf(target),
        status: String(status)
      }
    }),
    1
  )
