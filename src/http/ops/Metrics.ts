/**
 * `/metrics` in Prometheus' text format, and the two measurements that no other part owns: how far the event loop lags, and how long
 * HTTP requests take. Never labelled by charger, tenant or path parameter.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

const lag = Metric.gauge("event_loop_lag_seconds", { description: "99th percentile of the event loop's delay since the last scrape" })
const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory of this process" })
const started = Metric.gauge("process_start_time_seconds", { description: "When this process started, seconds since 1970" })

const requestDuration = Metric.histogram("http_server_request_duration_seconds", {
  description: "Time from an HTTP request's arrival to the end of its answer",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** The face a path belongs to: few enough to be a label. */
const faceOf = (path: string): string =>
  path.startsWith("/cpo/") ? "v2" : path.startsWith("/api/") ? "v1" : path.startsWith("/ocpi/") ? "ocpi" : "other"

/** Records one answered request; `seconds` from arrival to the last byte. */
export const recordRequest = (method: string, path: string, status: number, seconds: number): Effect.Effect<void> =>
  Metric.update(
    Metric.withAttributes(requestDuration, { face: faceOf(path), method, status: `${Math.floor(status / 100)}xx` }),
    seconds
  )

/** Route `/metrics`. `publish` lets counters that are kept as plain numbers be brought up to date before a scrape. */
export const routes = (options: { readonly publish: Effect.Effect<void> }) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const delay = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const histogram = monitorEventLoopDelay({ resolution: 20 })
          histogram.enable()
          return histogram
        }),
        (histogram) => Effect.sync(() => histogram.disable())
      )
      yield* Metric.update(started, Math.round(Date.now() / 1000 - performance.now() / 1000))
      yield* router.add(
        "GET",
        "/metrics",
        Effect.gen(function* () {
          // Before the first sample the histogram has no percentile.
          const p99 = delay.percentile(99) / 1e9
          yield* Metric.update(lag, Number.isFinite(p99) ? p99 : 0)
          delay.reset()
          yield* Metric.update(memory, process.memoryUsage.rss())
          yield* options.publish
          const text = yield* PrometheusMetrics.format()
          return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
        })
      )
    })
  )
