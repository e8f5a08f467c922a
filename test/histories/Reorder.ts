/**
 * Sends the messages of a history in other orders: those that a charger, a network and a killed service can produce. Transaction messages of one
 * connector keep their order (OCPP 1.6 §3.7 queues them). Connectors do not wait for one another, readings outside the queue may come at any time,
 * and any message may be repeated.
 */
import { Effect } from "effect"
import type { Random } from "../support/random.ts"
import { isMessage, type Message, type Step, type Story } from "./Story.ts"
import { type HistoryRun, keep, keepAndDie } from "./World.ts"

const minute = 60_000

/** How the order may differ from what happened. */
export interface Ways {
  /** `late`: readings may come after their stop, and after the record. `kept`: no message overtakes another. */
  readonly readings: "kept" | "loose" | "late"
}

/** A reading without a transaction id is in no queue. */
const isLoose = ({ action, payload }: Message): boolean =>
  action === "MeterValues" && (payload["transactionId"] === null || payload["transactionId"] === 0)

const connectorOf = (steps: ReadonlyArray<Step>): ReadonlyMap<string, unknown> =>
  new Map(
    steps
      .filter(isMessage)
      .filter(({ action }) => action === "StartTransaction")
      .map(({ of, payload }) => [of, payload["connectorId"]])
  )

/** Merges several queues in a random order; each queue keeps its own order. */
const merged = (random: Random, queues: ReadonlyArray<ReadonlyArray<Step>>): ReadonlyArray<Step> => {
  const left = queues.map((queue) => [...queue]).filter((queue) => queue.length > 0)
  const result: Array<Step> = []
  while (left.length > 0) {
    const n = random.between(0, left.length - 1)
    result.push(left[n]!.shift()!)
    if (left[n]!.length === 0) left.splice(n, 1)
  }
  return result
}

/** Whether a stop has no transaction id: it is then matched by the sessions that are open when it comes. */
const namesNone = (step: Step): boolean =>
  isMessage(step) && step.action === "StopTransaction" && "transactionId" in step.payload

/** Another order of the same messages. */
const reordered = (random: Random, steps: ReadonlyArray<Step>, { readings }: Ways): ReadonlyArray<Step> => {
  if (readings === "kept") return steps
  const connectors = connectorOf(steps)
  const isMeter = (step: Step) => isMessage(step) && step.action === "MeterValues"
  const loose = steps.filter((step) => isMessage(step) && (isLoose(step) || (readings === "late" && isMeter(step))))
  const queued = steps.filter((step) => !loose.includes(step))
  // What happens between messages has its place among all messages, so there is a single queue then.
  const isOne = queued.some((step) => !isMessage(step) || namesNone(step))
  const places = [...new Set(connectors.values())]
  const queueOf = (step: Step) => (isMessage(step) ? connectors.get(step.of) : undefined)
  const queues = isOne
    ? [queued]
    : [...places, undefined].map((place) => queued.filter((step) => queueOf(step) === place))
  const order = [...merged(random, queues)]
  for (const step of random.shuffled(loose)) {
    // A reading with a transaction id waits for the answer to the start.
    const from =
      isMessage(step) && !isLoose(step)
        ? order.findIndex((one) => isMessage(one) && one.action === "StartTransaction" && one.of === step.of) + 1
        : 0
    order.splice(random.between(from, order.length), 0, step)
  }
  return order
}

/** Each message once or several times; repeats may be anywhere after the first. */
const doubled = (random: Random, order: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const result = [...order]
  for (const step of order.filter(isMessage)) {
    for (let n = random.pick([0, 0, 1, 2]); n > 0; n--) {
      result.splice(random.between(result.indexOf(step) + 1, result.length), 0, step)
    }
  }
  return result
}

const delays = [0, 0, 0, 0, 5 * minute, 6 * 60 * minute, 3 * 24 * 60 * minute]

/** Faults that may happen before any message. */
const trouble = (run: HistoryRun, random: Random) =>
  Effect.gen(function* () {
    if (random.chance(0.1)) yield* run.charger.reconnect
    if (random.chance(0.1)) yield* run.charger.forget
    if (random.chance(0.1)) yield* keepAndDie
    if (random.chance(0.15)) yield* keep
    // Two nodes, each with a background loop.
    if (random.chance(0.05)) yield* Effect.all([keep, keep], { concurrency: 2, discard: true })
    run.charger.loseNextOutcome = random.chance(0.1)
  })

/** Sends a history in another order. `watch` runs after each message. */
export const sendReordered = <E, R>(
  run: HistoryRun,
  story: Story,
  random: Random,
  ways: Ways,
  watch: Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const order = doubled(random, reordered(random, story.steps, ways))
    let messages = 0
    const ids = new Map<Step, string>()
    for (const step of order) {
      yield* trouble(run, random)
      if (!isMessage(step)) yield* run.step(step)
      else {
        // A repeat has the id of the first message, or a new one.
        const messageId = random.chance(0.5) ? (ids.get(step) ?? `m${messages++}`) : `m${messages++}`
        ids.set(step, messageId)
        yield* run.say(step, run.heardAt(step) + random.pick(delays), messageId)
      }
      yield* watch
    }
    run.charger.loseNextOutcome = false
    yield* keep
  })
