/**
 * Keeps stored prices of sessions, for readers of many sessions, and issues CDRs. It follows the journal and prices
 * each changed session again from its whole ledger, with the one function for prices. It acknowledges nothing and
 * nothing waits for it. If the process dies in the middle, the round is repeated after the next start.
 */
import { Clock, Effect, Layer, Metric } from "effect"
import { cdrOf, isBillable, type NewCdr } from "../../domain/cdr/Cdr.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Cdrs } from "../../domain/cdr/Cdrs.ts"
import { Events } from "../../domain/event/Events.ts"
import { Ledgers, type Priced } from "../../domain/session/Ledgers.ts"
import { type Doubted, SessionReviews } from "../../domain/session/SessionReviews.ts"
import { type ConnectorMeter, connectorMeterOf } from "../../domain/session/ConnectorMeter.ts"
import {
  isPriced,
  type Ledger,
  type Observed,
  priceOf,
  readingsPricedAtOnce,
  toSessionPrice
} from "../../domain/session/Ledger.ts"
import { isSettled } from "../../domain/session/Course.ts"
import { doubtOf } from "../../domain/session/Plausibility.ts"
import { RepricingBackoff } from "./RepricingBackoff.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface RepricingOptions {
  readonly everyMillis: number
  /**
   * The time between rounds without a notification of new facts and with no session that waits for its price: a
   * notification may get lost.
   */
  readonly quietMillis: number
  /** Maximum number of journal facts that one round reads. */
  readonly factsPerRound: number
  /** Number of ledgers in memory at one time. */
  readonly ledgersAtOnce: number
}

export const defaultPriceOptions: RepricingOptions = {
  everyMillis: 1_000,
  quietMillis: 30_000,
  factsPerRound: 2_000,
  ledgersAtOnce: 50
}

const unpriced = Metric.counter("sessions_unpriced_total", {
  description: "Sessions that could not be priced because of a defect; see the log",
  incremental: true
})

export const priceMetrics = [unpriced]

interface Round {
  readonly looked: Array<Observed>
  readonly doubted: Array<Doubted>
  readonly prices: Array<Priced>
  readonly meters: Array<ConnectorMeter>
  readonly records: Array<NewCdr>
}

/**
 * Why the session is in doubt; undefined if it is not. A session that has a CDR, or that an operator has reviewed, is
 * not doubted any more. Nor is one whose CDR was credited: storage, which knows of it, does not hold it.
 */
const doubtedFor = (ledger: Observed) => {
  const { billed, reviewed } = ledger.session
  return !isBillable(ledger.session) || reviewed === true || billed !== undefined ? undefined : doubtOf(ledger)
}

/**
 * True if a running session of a partner's driver is sent with its stored price, since it has too many readings to be
 * priced at each request. An ended session is sent with its final price.
 */
const isAwaited = ({ readings, session: { endedAt, roaming } }: Observed): boolean =>
  roaming !== undefined && endedAt === undefined && readings.length > readingsPricedAtOnce

const take = ({ doubted, looked, meters, prices, records }: Round, ledger: Observed | Ledger): void => {
  const { id, organisationId, updatedAt } = ledger.session
  const reason = doubtedFor(ledger)
  const meter = connectorMeterOf(ledger)
  looked.push(ledger)
  if (meter !== undefined) meters.push(meter)
  if (reason !== undefined) doubted.push({ sessionId: id, organisationId, reason })
  if (!isPriced(ledger)) return
  const priced = priceOf(ledger)
  const price = toSessionPrice(ledger, priced)
  prices.push({ sessionId: id, organisationId, basedOn: updatedAt, price, isAwaited: isAwaited(ledger) })
  if (reason === undefined && isBillable(ledger.session)) records.push(cdrOf(ledger, priced))
}

const empty = (): Round => ({ looked: [], doubted: [], prices: [], meters: [], records: [] })

/**
 * Adds the ledgers of some sessions to the round. A session that cannot be read or priced is a defect of this service: it is
 * logged and counted, gets no price and no CDR, and does not delay the others.
 */
const takeAll = (round: Round, sessionIds: ReadonlyArray<string>): Effect.Effect<void, StorageUnavailable, Ledgers> =>
  Effect.gen(function* () {
    const ledgers = yield* Ledgers
    const part = empty()
    const read = yield* ledgers.read(sessionIds)
    for (const ledger of read.toSorted((one, other) => (one.session.id < other.session.id ? -1 : 1))) {
      take(part, ledger)
      // Other fibers may run between two long sessions.
      yield* Effect.yieldNow
    }
    round.looked.push(...part.looked)
    round.doubted.push(...part.doubted)
    round.prices.push(...part.prices)
    round.meters.push(...part.meters)
    round.records.push(...part.records)
  }).pipe(
    Effect.catchDefect((defect) =>
      sessionIds.length > 1
        ? Effect.forEach(sessionIds, (id) => takeAll(round, [id]), { discard: true })
        : Effect.andThen(
            Metric.update(unpriced, 1),
            Effect.annotateLogs(Effect.logError("a session could not be priced", defect), { sessionId: sessionIds[0] })
          )
    )
  )

/**
 * The part of `factsPerRound` from which a round counts as "much": of 2,000 facts, those of 200 messages a second until
 * the next round.
 */
const muchOfRound = 0.1

/** One round. Facts that arrive meanwhile wait for the next round, which prices each session once for all of them. */
export const repricing = (options: RepricingOptions, backoff = new RepricingBackoff(options.everyMillis)) =>
  Effect.gen(function* () {
    const ledgers = yield* Ledgers
    const cdrs = yield* Cdrs
    const reviews = yield* SessionReviews
    const now = yield* Clock.currentTimeMillis
    const changed = yield* ledgers.changed(options.factsPerRound)
    const unsettled = changed.plainlyEnded.filter((one) => !isSettled(one)).map(({ sessionId }) => sessionId)
    // In the order of their starts, with which ids begin: of two sessions on one connector, the later one determines
    // the state of its meter.
    const sessionIds = backoff.due({ ...changed, sessionIds: [...changed.sessionIds, ...unsettled] }, now).toSorted()
    if (changed.upTo === undefined && sessionIds.length === 0) return false
    const round = empty()
    for (let i = 0; i < sessionIds.length; i += options.ledgersAtOnce) {
      yield* takeAll(round, sessionIds.slice(i, i + options.ledgersAtOnce))
    }
    // Done before the journal counts as read: a process that dies between the two does this again, which changes
    // nothing.
    yield* reviews.hold(round.doubted, now)
    // CDR numbers increase with the end time, among the sessions of one round.
    yield* cdrs.issue(
      round.records.toSorted((one, other) => one.endedAt - other.endedAt),
      now
    )
    yield* ledgers.keep(round.prices, round.meters, changed.upTo, now)
    backoff.priced(round.looked, now)
    if (changed.facts >= options.factsPerRound) return true
    return changed.facts >= options.factsPerRound * muchOfRound ? ("much" as const) : false
  })

/** Runs the loop until the scope closes. */
export const layer = (
  options: RepricingOptions = defaultPriceOptions
): Layer.Layer<never, never, Ledgers | Cdrs | SessionReviews | Events> =>
  Layer.effectDiscard(
    Effect.flatMap(Events, ({ committed }) => {
      const backoff = new RepricingBackoff(options.everyMillis)
      const untilDue = Effect.map(Clock.currentTimeMillis, (now) => {
        const { nextAt } = backoff
        return nextAt === undefined ? undefined : nextAt - now
      })
      return rounds({
        name: "prices",
        everyMillis: options.everyMillis,
        wakeups: { notifications: committed, otherwiseEveryMillis: options.quietMillis, untilDue },
        round: repricing(options, backoff)
      })
    })
  )
