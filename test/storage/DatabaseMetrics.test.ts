/** Database operations are counted once each, even when they are nested, and also when they fail. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Metric } from "effect"
import { databaseMetrics, measured } from "../../src/storage/kernel/DatabaseMetrics.ts"

const [, atIt, done, failed] = databaseMetrics

/** How many operations are running, and how many have succeeded and failed. */
const counts = Effect.map(
  Effect.all([atIt, done, failed].map((metric) => Metric.value(metric as Metric.Metric<number, unknown>))),
  (states) =>
    states.map((state) => Object.entries(state as object).find(([name]) => name === "count" || name === "value")?.[1])
)

it.effect("counts an operation with its parts as one, and as failed when it fails or is interrupted", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const part = measured(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate)))
    const fiber = yield* Effect.forkChild(measured(Effect.andThen(part, measured(Effect.void))))
    yield* Deferred.await(begun)
    expect(yield* counts).toEqual([1, 0, 0])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(fiber)
    expect(yield* counts).toEqual([0, 1, 0])
    yield* Effect.exit(measured(Effect.fail("no")))
    expect(yield* counts).toEqual([0, 1, 1])
    const waiting = yield* Effect.forkChild(measured(Effect.never), { startImmediately: true })
    expect(yield* counts).toEqual([1, 1, 1])
    yield* Fiber.interrupt(waiting)
    expect(yield* counts).toEqual([0, 1, 2])
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)
