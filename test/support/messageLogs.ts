/** For tests of the message log with storage: a log without timed writes, and frames for it. */
import { Context, Effect, Layer, Metric } from "effect"
import { type LoggedFrame, MessageLog } from "../../src/domain/charger/MessageLog.ts"
import * as MessageLogStorage from "../../src/storage/charging/MessageLog.ts"
import { freshId, noon } from "./journalFacts.ts"

/** Nothing is flushed by a timer here, so that the test decides when. */
const never = 3_600_000

const options = {
  maxWaitingChars: 100_000,
  maxBatch: 100,
  maxBatchBytes: 1_000_000,
  maxFrameBytes: 1000,
  chargerBytesPerDay: 1_000_000,
  organisationBytesPerDay: 10_000_000,
  flushEveryMillis: never,
  useEveryMillis: never
}
export const log = MessageLogStorage.layer(options)

export const organisationId = freshId()

export const frame = (more: Partial<LoggedFrame> = {}): LoggedFrame => ({
  organisationId,
  chargerId: "L-1",
  at: noon,
  direction: "in",
  kind: "CALL",
  action: "Heartbeat",
  messageId: "m",
  frame: "[2]",
  ...more
})

/** The number of dropped frames, as `/metrics` counts them. */
export const droppedFrames = (registry: Metric.MetricRegistry, reason?: string): number =>
  Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
    .filter(({ attributes, id }) => {
      return id === "message_log_dropped_total" && (reason ?? attributes?.["reason"]) === attributes?.["reason"]
    })
    .reduce((sum, { state }) => sum + Number("count" in state ? state.count : 0), 0)

/** A log for one test, closed when `use` ends. */
export const ownLog = <A, E, R>(
  more: Partial<MessageLogStorage.MessageLogOptions>,
  use: (log: MessageLog["Service"]) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(MessageLogStorage.layer({ ...options, ...more }))
    return yield* Effect.provide(Effect.flatMap(MessageLog, use), context)
  }).pipe(Effect.scoped)
