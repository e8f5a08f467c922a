/**
 * `/metrics` in the Prometheus text format, and the metrics that belong to no other part: the process itself, and the duration of HTTP
 * requests. They are never labelled by charger, organisation or path parameter.
 */
import { Effect, Metric } from "effect"
import { HttpRouter } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { type Ready, ReadyAnswers, respond } from "../Ready.ts"

/** How long a text is sent again, ms. Scrapers ask every few seconds; making the text takes milliseconds. */
const freshMillis = 1_000

const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory of this process" })
const started = Metric.gauge("process_start_time_seconds", {
  description: "When this process started, seconds since 1970"
})

const requestDuration = Metric.histogram("http_server_request_duration_seconds", {
  description: "Time from an HTTP request's arrival to the end of its answer",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** The interface that a path belongs to: few enough values for a label. */
const faceOf = (path: string): string =>
  path.startsWith("/cpo/") ? "v2" : path.startsWith("/api/") ? "v1" : path.startsWith("/ocpi/") ? "ocpi" : "other"

const requests = (face: string, method: string, status: string) =>
  Metric.withAttributes(requestDuration, { face, method, status })

/** The series that most requests belong to and alarms use. They exist from the start; others appear with their first request. */
export const httpMetrics = [
  memory,
  started,
  ...["v1", "v2", "ocpi", "other"].flatMap((face) =>
    ["GET", "POST"].flatMap((method) => ["2xx", "4xx", "5xx"].map((status) => requests(face, method, status)))
  )
]

/** Records one answered request; `seconds` is from its arrival to the last byte of the answer. */
export const recordRequest = (method: string, path: string, status: number, seconds: number): Effect.Effect<void> =>
  Metric.update(requests(faceOf(path), method, `${Math.floor(status / 100)}xx`), seconds)

/** Route `/metrics`. */
export const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const offer = yield* ReadyAnswers
    let made: Ready | undefined
    let until = 0
    yield* Metric.update(started, Math.round((Date.now() - performance.now()) / 1000))
    yield* router.add(
      "GET",
      "/metrics",
      Effect.gen(function* () {
        const now = performance.now()
        if (made === undefined || now >= until) {
          yield* Metric.update(memory, process.memoryUsage.rss())
          const plain = Buffer.from(yield* PrometheusMetrics.format())
          const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" }
          made = { headers, etag: undefined, plain, br: undefined, gzip: undefined }
          until = now + freshMillis
          offer("/metrics", made, until)
        }
        return yield* respond(made)
      })
    )
  })
)
