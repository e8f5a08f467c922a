/**
 * What happens to a due object and its subscriber after a try (contract §6). Failed objects are tried again after 1 s, 2 s, 4 s and so on, for days.
 * An object that is refused several times is parked for an operator. A subscriber that does not answer gets no more deliveries and is probed once a
 * minute. An object that fails while its subscriber accepts others does not delay them.
 */
import type { DueItem, Outcome, Subscription, PushedObject } from "./Subscription.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export interface SettlingOptions {
  /** The delay before the second try; it doubles before each further one. */
  readonly firstDelayMillis: number
  /** The longest delay between tries. It matters only for single objects that fail, since a silent subscriber is probed instead. */
  readonly maxDelayMillis: number
  /**
   * The longest delay for an object that fails alone and is younger than `aloneMillis`. No probe makes it due again, and it should be delivered soon
   * after an outage of an hour.
   */
  readonly aloneDelayMillis: number
  readonly aloneMillis: number
  /** Refusals in a row after which an object is parked. A single refusal may be caused by a race with another object. */
  readonly maxRefusals: number
  /** The time after an object became due at which it is parked. */
  readonly maxAgeMillis: number
  /** Deliveries in a row without an answer after which the subscriber counts as silent, and is only probed. */
  readonly maxFailures: number
  /** The time between probes. */
  readonly probeEveryMillis: number
  /** The longest wait that a subscriber may request. */
  readonly maxRetryAfterMillis: number
}

export const defaultSettling: SettlingOptions = {
  firstDelayMillis: second,
  maxDelayMillis: hour / 4,
  aloneDelayMillis: minute,
  aloneMillis: 2 * hour,
  maxRefusals: 5,
  maxAgeMillis: 72 * hour,
  maxFailures: 3,
  probeEveryMillis: 60 * second,
  maxRetryAfterMillis: hour
}

/** What is stored after a try. */
export type Tried =
  | {
      readonly _tag: "Done"
      readonly hash: Uint8Array | undefined
      readonly reference: string | undefined
      readonly named?: ReadonlyArray<string> | undefined
      readonly also?: ReadonlyArray<PushedObject> | undefined
      readonly isSilent?: boolean | undefined
    }
  | { readonly _tag: "Again"; readonly at: number; readonly refusals: number; readonly problem: string }
  | { readonly _tag: "Parked"; readonly problem: string }

/** What is stored for an object that was taken for delivery. `Untried`: it was not sent, and is not taken again before `at`. */
export type Settlement = Tried | { readonly _tag: "Untried"; readonly at: number }

export interface Settled {
  readonly item: DueItem
  readonly settlement: Settlement
}

/** The delay before the next try, after this number of tries. */
export const delayAfter = (
  tries: number,
  { firstDelayMillis, maxDelayMillis }: Pick<SettlingOptions, "firstDelayMillis" | "maxDelayMillis">
): number => Math.min(maxDelayMillis, firstDelayMillis * 2 ** Math.min(Math.max(tries - 1, 0), 30))

/** What happens to an object after a try. */
export const settlementOf = (
  item: Pick<DueItem, "tries" | "refusals" | "dueAt">,
  outcome: Outcome,
  now: number,
  options: SettlingOptions
): Settlement => {
  switch (outcome._tag) {
    case "Delivered":
      return {
        _tag: "Done",
        hash: outcome.hash,
        reference: outcome.reference,
        named: outcome.named,
        also: outcome.also,
        isSilent: outcome.isSilent
      }
    case "Waits": {
      const wait = Math.min(Math.max(now - item.dueAt, options.firstDelayMillis), options.aloneDelayMillis)
      return { _tag: "Untried", at: now + wait }
    }
    case "Gone":
    case "Failed": {
      const problem = outcome.message
      const age = now - item.dueAt
      if (age >= options.maxAgeMillis) return { _tag: "Parked", problem }
      const isYoungAlone = outcome._tag === "Failed" && outcome.isAlone === true && age < options.aloneMillis
      const maxDelayMillis = isYoungAlone ? options.aloneDelayMillis : options.maxDelayMillis
      const at = now + delayAfter(item.tries + 1, { ...options, maxDelayMillis })
      return { _tag: "Again", at, refusals: item.refusals, problem }
    }
    case "Refused": {
      const refusals = item.refusals + 1
      const problem = outcome.message
      if (refusals >= options.maxRefusals || now - item.dueAt >= options.maxAgeMillis)
        return { _tag: "Parked", problem }
      return { _tag: "Again", at: now + delayAfter(item.tries + 1, options), refusals, problem }
    }
  }
}

/** The circuit breaker of a subscriber: whether it answers. */
export interface Circuit {
  readonly failures: number
  readonly openedAt: number | undefined
  readonly notBefore: number | undefined
}

/** The subscriber's circuit after these outcomes, or undefined if nothing changes. A refusal is an answer too. */
export const circuitAfter = (
  { failures, notBefore, openedAt }: Pick<Subscription, "failures" | "openedAt" | "notBefore">,
  outcomes: ReadonlyArray<Outcome>,
  now: number,
  options: SettlingOptions
): Circuit | undefined => {
  let next: Circuit = { failures, openedAt, notBefore }
  for (const outcome of outcomes) {
    // Nothing was sent, so this does not show whether the subscriber answers.
    if (outcome._tag === "Waits") continue
    if (outcome._tag === "Failed" && outcome.isAlone === true) continue
    if (outcome._tag === "Delivered" && outcome.isSilent === true) continue
    if (outcome._tag === "Delivered" || outcome._tag === "Refused") {
      next = { failures: 0, openedAt: undefined, notBefore: next.notBefore }
    } else if (outcome._tag === "Failed" && outcome.retryAfterMillis !== undefined) {
      // The subscriber answered and asked for a wait: nothing is sent until then.
      const wait = Math.min(Math.max(outcome.retryAfterMillis, second), options.maxRetryAfterMillis)
      next = { ...next, notBefore: Math.max(next.notBefore ?? 0, now + wait) }
    } else {
      const count = Math.min(next.failures + 1, options.maxFailures)
      next = { ...next, failures: count, openedAt: next.openedAt ?? (count >= options.maxFailures ? now : undefined) }
    }
  }
  const isSame = next.failures === failures && next.openedAt === openedAt && next.notBefore === notBefore
  return isSame ? undefined : next
}

/** The circuit after an answered probe: everything may be sent again, but the first failure opens the circuit again. */
export const circuitReleased = ({ maxFailures }: SettlingOptions): Circuit => ({
  failures: maxFailures - 1,
  openedAt: undefined,
  notBefore: undefined
})

/** A page of facts that is read for subscriptions at or near one position. */
export interface Reading {
  readonly after: number
  readonly subscriptions: ReadonlyArray<Subscription>
}

/**
 * The pages to read next: one for the subscriptions with the newest position, and one from the oldest position for the others. A subscriber that is
 * far behind, for example after a suspension, then does not delay those that are up to date.
 */
export const readingsOf = (subscriptions: ReadonlyArray<Subscription>): ReadonlyArray<Reading> => {
  if (subscriptions.length === 0) return []
  const newest = Math.max(...subscriptions.map(({ position }) => position))
  const oldest = Math.min(...subscriptions.map(({ position }) => position))
  const front = subscriptions.filter(({ position }) => position === newest)
  const behind = subscriptions.filter(({ position }) => position < newest)
  return [
    { after: newest, subscriptions: front },
    ...(behind.length === 0 ? [] : [{ after: oldest, subscriptions: behind }])
  ]
}
