/**
 * Whether this process is alive (`/livez`) and whether it should receive requests (`/readyz`). These need no authentication and show no
 * data of any organisation. They are for supervisors, load balancers and the person who has just started the service.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { ready, ReadyAnswers } from "../Ready.ts"
import { ChargerLink } from "../../domain/charger/ChargerLink.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"

export interface HealthOptions {
  readonly version: string
  readonly environment: string
  readonly nodeId: string
  /** True once the service has begun to stop. */
  readonly isDraining: () => boolean
}

const noStore = { "cache-control": "no-store" }

/** Routes `/livez`, `/healthz` and `/readyz`. */
export const routes = (options: HealthOptions) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const health = yield* StorageHealth
      const link = yield* ChargerLink
      const live = HttpServerResponse.jsonUnsafe({ status: "alive" }, { headers: noStore })
      const offer = yield* ReadyAnswers
      for (const path of ["/livez", "/healthz"]) offer(path, ready(`{"status":"alive"}`, "application/json", noStore))
      yield* router.add("GET", "/livez", live)
      yield* router.add("GET", "/healthz", live)
      yield* router.add(
        "GET",
        "/readyz",
        Effect.map(health.check, (report) => {
          const draining = options.isDraining()
          const ready = report.ok && !draining
          return HttpServerResponse.jsonUnsafe(
            {
              status: draining ? "draining" : report.ok ? "ready" : "unavailable",
              version: options.version,
              environment: options.environment,
              nodeId: options.nodeId,
              chargersConnected: link.connectedCount(),
              database: { kind: health.kind, durability: health.durability, ...report }
            },
            { status: ready ? 200 : 503, headers: ready ? noStore : { ...noStore, "retry-after": "5" } }
          )
        })
      )
    })
  )
