/**
 * Keeps the prices of sessions for everybody who reads many of them, and issues their records: follows the journal, and prices what has
 * changed anew, from the whole ledger, with the one function for prices. It acknowledges nothing, and nothing waits for it; when it was killed in the middle it
 * does the same again.
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
  /** How often is looked without a word of new facts, and with no session that waits for its price: a word may get lost. */
  readonly quietMillis: number
  /** Facts of the journal in one round. */
  readonly factsPerRound: number
  /** Ledgers that are held at one time. */
  readonly ledgersAtOnce: number
}

export const defaultPriceOptions: RepricingOptions = {
  everyMillis: 1_000,
  quietMillis: 30_000,
  factsPerRound: 2_000,
  ledgersAtOnce: 50
}

const unpriced = Metric.counter("sessions_unpriced_total", {
  description: "Sessions that could not be priced for a defect: look at the log",
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

/** Whether it can be believed; a session with a record, or one that an operator has looked at, is doubted no more. */
const doubtedFor = (ledger: Observed) => {
  const { billed, reviewed } = ledger.session
  return !isBillable(ledger.session) || reviewed === true || billed !== undefined ? undefined : doubtOf(ledger)
}

/** Of a partner's driver, and sent with the price that is kept; what has ended is sent with its final price. */
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
 * Takes the ledgers of some sessions. One that cannot be read or priced is a defect of ours: it is logged and counted, left without a price and a
 * record, and holds up no other session.
 */
const takeAll = (round: Round, sessionIds: ReadonlyArray<string>): Effect.Effect<void, StorageUnavailable, Ledgers> =>
  Effect.gen(function* () {
    const ledgers = yield* Ledgers
    const part = empty()
    const read = yield* ledgers.read(sessionIds)
    for (const ledger of read.toSorted((one, other) => (one.session.id < other.session.id ? -1 : 1))) {
      take(part, ledger)
      // Others have their turn between two long sessions.
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
            Effect.annotateLogs(Effect.logError("a session cannot be priced", defect), { sessionId: sessionIds[0] })
          )
    )
  )

/** So large a part of what a round may read is much: of the 2,000 facts, what 200 messages a second bring until the next. */
const muchOfRound = 0.1

/** One round. What comes in meanwhile waits for the next, and is priced once for all that it had by then. */
export const repricing = (options: RepricingOptions, backoff = new RepricingBackoff(options.everyMillis)) =>
  Effect.gen(function* () {
    const ledgers = yield* Ledgers
    const cdrs = yield* Cdrs
    const reviews = yield* SessionReviews
    const now = yield* Clock.currentTimeMillis
    const changed = yield* ledgers.changed(options.factsPerRound)
    const unsettled = changed.plainlyEnded.filter((one) => !isSettled(one)).map(({ sessionId }) => sessionId)
    // In the order of their starts, which ids begin with: of two sessions of one connector the last says what its meter is.
    const sessionIds = backoff.due({ ...changed, sessionIds: [...changed.sessionIds, ...unsettled] }, now).toSorted()
    if (changed.upTo === undefined && sessionIds.length === 0) return false
    const round = empty()
    for (let i = 0; i < sessionIds.length; i += options.ledgersAtOnce) {
      yield* takeAll(round, sessionIds.slice(i, i + options.ledgersAtOnce))
    }
    // Before the journal counts as read: a process that dies between the two issues them again, which changes nothing.
    yield* reviews.hold(round.doubted, now)
    // Numbers go up with the time of the end, as far as one round knows.
    yield* cdrs.issue(
      round.records.toSorted((one, other) => one.endedAt - other.endedAt),
      now
    )
    yield* ledgers.keep(round.prices, round.meters, changed.upTo, now)
    backoff.priced(round.looked, now)
    if (changed.facts >= options.factsPerRound) return true
    return changed.facts >= options.factsPerRound * muchOfRound ? ("much" as const) : false
  })

/** Rounds until the scope closes. */
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
        word: { words: committed, otherwiseEveryMillis: options.quietMillis, untilDue },
        round: repricing(options, backoff)
      })
    })
  )
