/**
 * What becomes of a due object after a try, and of its subscriber (contract §6): tries come after 1 s, 2 s, 4 s and so on, for days; what is refused
 * again and again is parked where people see it; a subscriber that does not answer is left alone, and asked once a minute whether it is there. What
 * fails alone, while its subscriber is there, keeps nothing else waiting.
 */
import type { DueItem, Outcome, Subscription, PushedObject } from "./Subscription.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export interface SettlingOptions {
  /** Before the second try; twice as long before each further one. */
  readonly firstDelayMillis: number
  /** Between tries at most: the subscriber's silence is found out by its probe, so that this is for single objects that fail. */
  readonly maxDelayMillis: number
  /** The same for what fails alone, which no probe releases, while it is this young: what was away for an hour is served soon after. */
  readonly aloneDelayMillis: number
  readonly aloneMillis: number
  /** Refusals in a row after which an object is parked: one may be a race with another object, five are none. */
  readonly maxRefusals: number
  /** Since it became due; then it is parked. */
  readonly maxAgeMillis: number
  /** Deliveries in a row without an answer, after which nothing is sent any more. */
  readonly maxFailures: number
  /** Between the questions whether it is there again. */
  readonly probeEveryMillis: number
  /** The longest that a subscriber's own wish is followed. */
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

/** What is stored of a try. */
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

/** What is stored of an object that was taken. One that was not sent at all is as if it had not been, until `at`. */
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

/** What becomes of an object. */
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

/** What is known of whether a subscriber answers. */
export interface Circuit {
  readonly failures: number
  readonly openedAt: number | undefined
  readonly notBefore: number | undefined
}

/** What becomes of the subscriber, or undefined where nothing changes. A refusal is an answer as well. */
export const circuitAfter = (
  { failures, notBefore, openedAt }: Pick<Subscription, "failures" | "openedAt" | "notBefore">,
  outcomes: ReadonlyArray<Outcome>,
  now: number,
  options: SettlingOptions
): Circuit | undefined => {
  let next: Circuit = { failures, openedAt, notBefore }
  for (const outcome of outcomes) {
    // It says nothing about the others.
    if (outcome._tag === "Waits") continue
    if (outcome._tag === "Failed" && outcome.isAlone === true) continue
    if (outcome._tag === "Delivered" && outcome.isSilent === true) continue
    if (outcome._tag === "Delivered" || outcome._tag === "Refused") {
      next = { failures: 0, openedAt: undefined, notBefore: next.notBefore }
    } else if (outcome._tag === "Failed" && outcome.retryAfterMillis !== undefined) {
      // It answers, and says when it can: nothing is sent until then.
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

/** After a probe was answered: everything may go, and the first failure ends it. */
export const circuitReleased = ({ maxFailures }: SettlingOptions): Circuit => ({
  failures: maxFailures - 1,
  openedAt: undefined,
  notBefore: undefined
})

/** A page of facts that is read for subscriptions of one cursor or near it. */
export interface Reading {
  readonly after: number
  readonly subscriptions: ReadonlyArray<Subscription>
}

/**
 * Which pages are read next: the one of those that are furthest, and the one of those that are last, so that a subscriber that has much to catch up
 * with (it was suspended) keeps no other subscriber waiting.
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
