/**
 * Logs as one JSON object per line. Traces, metrics and logs also go to an OpenTelemetry collector if the usual
 * `OTEL_*` variables name one. Without a collector nothing is traced, so that unused spans cost nothing.
 */
import { Cause, Config, ConfigProvider, Effect, Layer, Logger, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { ConfigProblem } from "../config/ConfigProblem.ts"
import { shownAddresses } from "../domain/values/SecretAddresses.ts"

const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"
]

/** OpenTelemetry's own defaults, which Effect's reader lacks: an endpoint alone turns on all three signals. */
const exporters = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" }

/** The data with the secrets in its addresses masked. Keys are our own and names of OpenTelemetry. */
const withoutSecrets = <A>(data: A): A => {
  if (typeof data === "string") return shownAddresses(data) as A
  if (Array.isArray(data)) return data.map(withoutSecrets) as A
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data)) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, withoutSecrets(value)])) as A
}

/**
 * Spans of requests contain the URL, and with it the keys of one-time files; errors and log lines quote addresses with passwords. All of it is
 * masked in one place, before it leaves the service.
 */
const masking = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
    logs: (data: Parameters<typeof logs>[0]) => logs(withoutSecrets(data)),
    metrics,
    traces: (data: Parameters<typeof traces>[0]) => traces(withoutSecrets(data))
  }))
)

const serializationOf = (otel: Readonly<Record<string, string>>) =>
  Layer.provide(
    masking,
    otel["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
  )

/** Characters that a terminal may interpret as a command, or that reverse the direction of text, and that JSON does not escape. */
const orders = /[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Logs one JSON object per line, without secrets in addresses, and with these characters escaped: lines may quote text that chargers sent (CWE-117). */
const jsonLines = Logger.withConsoleLog(
  Logger.map(Logger.formatJson, (line) => shownAddresses(line).replace(orders, escaped))
)

/**
 * Converts Effect's error for a wrong value. Its message has what was expected in the first line and the variable's
 * name after that.
 */
const problemOf = ({ cause }: Config.ConfigError): ConfigProblem => {
  const [expected = "", ...where] = cause.message.split("\n")
  const variable = /OTEL_\w+/.exec(where.join(" "))?.[0] ?? "OTEL_*"
  return new ConfigProblem({ variable, message: expected.trim().replace(/^E/, "e") })
}

/** `otel`: the `OTEL_*` variables as they were given. */
export const observability = (otel: Readonly<Record<string, string>>, version: string) => {
  const logs = Logger.layer([jsonLines])
  if (!endpoints.some((name) => otel[name] !== undefined)) {
    return Layer.merge(logs, Layer.succeed(References.TracerEnabled, false))
  }
  const otlp = Otlp.layerFromConfig({
    resource: { serviceName: otel["OTEL_SERVICE_NAME"] ?? "voltlane", serviceVersion: version }
  }).pipe(
    Layer.provide([FetchHttpClient.layer, serializationOf(otel)]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...exporters, ...otel }))),
    Layer.catchCause((cause) => {
      const defect = Cause.squash(cause)
      return Layer.effectDiscard(
        defect instanceof Config.ConfigError ? Effect.fail(problemOf(defect)) : Effect.failCause(cause)
      )
    })
  )
  // The collector's logger joins the existing one, instead of the runtime's own.
  return Layer.provideMerge(otlp, logs)
}
