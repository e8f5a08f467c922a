/**
 * What happens to a due object and its subscriber after a try (contract §6). Tries follow after 1 s, 2 s, 4 s and so on, for days. An object that is
 * refused several times is parked for an operator. A subscriber that does not answer gets no more deliveries; it is probed once a minute. An object
 * that fails alone, while its subscriber answers, delays no other.
 */
import type { DueItem, Outcome, Subscription, PushedObject } from "./Subscription.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export interface SettlingOptions {
  /** The delay before the second try; it doubles before each further one. */
  readonly firstDelayMillis: number
  /** The longest delay between tries. It matters for single objects that fail, since a silent subscriber is probed. */
  readonly maxDelayMillis: number
  /** The same for an object younger than `aloneMillis` that fails alone. No probe releases it, and it should be delivered soon after an outage of an hour. */
  readonly aloneDelayMillis: number
  readonly aloneMillis: number
  /** Refusals in a row after which an object is parked. One may be a race with another object; five are not. */
  readonly maxRefusals: number
  /** The age, since it became due, at which it is parked. */
  readonly maxAgeMillis: number
  /** Deliveries in a row without an answer, after which nothing more is sent. */
  readonly maxFailures: number
  /** The time between probes. */
  readonly probeEveryMillis: number
  /** The longest wait that a subscriber may ask for. */
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

/** What is stored of an object that was taken. `Untried`: it was not sent, and is not taken again before `at`. */
export type Settlement = Tried | { readonly _tag: "Untried"; readonly at: number }

export interface Settled {
  readonly item: DueItem
  readonly settlement: Settlement
}

/** How long to wait after that many tries. */
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

/** Whether a subscriber answers, as far as is known. */
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
    // It says nothing about whether the subscriber answers.
    if (outcome._tag === "Waits") continue
    if (outcome._tag === "Failed" && outcome.isAlone === true) continue
    if (outcome._tag === "Delivered" && outcome.isSilent === true) continue
    if (outcome._tag === "Delivered" || outcome._tag === "Refused") {
      next = { failures: 0, openedAt: undefined, notBefore: next.notBefore }
    } else if (outcome._tag === "Failed" && outcome.retryAfterMillis !== undefined) {
      // It answers, and says when to try again: nothing is sent until then.
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

/** After a probe was answered, everything may be sent again; the first failure opens the circuit anew. */
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
 * Which pages are read next: one for the subscriptions that are furthest, and one from the position of the last. So a subscriber that has much to
 * catch up with, for example after a suspension, delays no other.
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
