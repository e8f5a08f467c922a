/** A wrong OpenTelemetry variable ends the start with one line that names it, like any other setting. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { observability } from "../../src/main/Observability.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }

describe("the OpenTelemetry variables", () => {
  it.effect.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" }],
    ["OTEL_METRIC_EXPORT_INTERVAL", { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: "often" }]
  ] as const)("end the start if %s is wrong, and name it", ([variable, otel]) =>
    Effect.gen(function* () {
      const problem = yield* Effect.flip(Effect.scoped(Layer.build(observability(otel, "1.0.0"))))
      expect(problem).toMatchObject({ _tag: "ConfigProblem", variable, message: expect.stringMatching(/^expected a /) })
    })
  )
})
