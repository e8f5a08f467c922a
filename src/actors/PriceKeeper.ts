/**
 * Keeps the prices of sessions for everybody who reads many of them, and issues their records: follows the journal, and prices what has
 * changed anew, from the whole ledger, with the same function as everybody else. It acknowledges nothing, and nobody waits for it; when it was killed in the middle it
 * does the same again.
 */
import { Clock, Effect, Layer, Metric } from "effect"
import { cdrOf, isBillable, type NewCdr } from "../domain/cdr/Cdr.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { Cdrs } from "../domain/ports/Cdrs.ts"
import { Ledgers, type Priced } from "../domain/ports/Ledgers.ts"
import { type Doubted, SessionReviews } from "../domain/ports/SessionReviews.ts"
import { type Ledger, priceOf, toSessionPrice } from "../domain/session/Ledger.ts"
import { doubtOf } from "../domain/session/Plausibility.ts"

export interface PriceKeeperOptions {
  readonly everyMillis: number
  /** Facts of the journal in one round. */
  readonly factsPerRound: number
  /** Ledgers that are held at one time. */
  readonly ledgersAtOnce: number
}

export const defaultPriceOptions: PriceKeeperOptions = { everyMillis: 1_000, factsPerRound: 2_000, ledgersAtOnce: 50 }

const unpriced = Metric.counter("sessions_unpriced_total", {
  description: "Sessions that could not be priced for a defect: look at the log",
  incremental: true
})

interface Round {
  readonly doubted: Array<Doubted>
  readonly prices: Array<Priced>
  readonly records: Array<NewCdr>
}

const take = ({ doubted, prices, records }: Round, ledger: Ledger): void => {
  const { id, organisationId, updatedAt } = ledger.session
  const priced = priceOf(ledger)
  prices.push({ sessionId: id, organisationId, basedOn: updatedAt, price: toSessionPrice(ledger, priced) })
  if (!isBillable(ledger.session)) return
  // Whoever has a record, or was looked at by an operator, is doubted no more.
  const settled = ledger.session.reviewed === true || ledger.session.billed !== undefined
  const reason = settled ? undefined : doubtOf(ledger)
  if (reason === undefined) records.push(cdrOf(ledger, priced))
  else doubted.push({ sessionId: id, organisationId, reason })
}

/**
 * Takes the ledgers of some sessions. One that cannot be read or priced is a defect of ours: it is told and counted, left without a price and a
 * record, and keeps nobody else from theirs.
 */
const takeAll = (round: Round, sessionIds: ReadonlyArray<string>): Effect.Effect<void, StorageUnavailable, Ledgers> =>
  Effect.gen(function* () {
    const ledgers = yield* Ledgers
    const part: Round = { doubted: [], prices: [], records: [] }
    for (const ledger of yield* ledgers.read(sessionIds)) {
      take(part, ledger)
      // Others have their turn between two long sessions.
      yield* Effect.yieldNow
    }
    round.doubted.push(...part.doubted)
    round.prices.push(...part.prices)
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

/** One round; true when there may be more to do at once. */
export const keepPrices = (options: PriceKeeperOptions) =>
  Effect.gen(function* () {
    const ledgers = yield* Ledgers
    const cdrs = yield* Cdrs
    const reviews = yield* SessionReviews
    const { sessionIds, upTo } = yield* ledgers.changed(options.factsPerRound)
    if (upTo === undefined) return false
    const round: Round = { doubted: [], prices: [], records: [] }
    for (let i = 0; i < sessionIds.length; i += options.ledgersAtOnce) {
      yield* takeAll(round, sessionIds.slice(i, i + options.ledgersAtOnce))
    }
    // Before the journal counts as read: whoever dies between the two issues them again, which changes nothing.
    const now = yield* Clock.currentTimeMillis
    yield* reviews.hold(round.doubted, now)
    yield* cdrs.issue(round.records, now)
    yield* ledgers.keep(round.prices, upTo)
    return true
  })

/** Rounds until the scope closes. A database that is away is said once, and waited for. */
export const layer = (
  options: PriceKeeperOptions = defaultPriceOptions
): Layer.Layer<never, never, Ledgers | Cdrs | SessionReviews> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      let away = false
      const round = Effect.gen(function* () {
        while (yield* keepPrices(options)) away = false
        away = false
      }).pipe(
        Effect.catchTag("StorageUnavailable", (error) => {
          const isNew = !away
          away = true
          return isNew ? Effect.logWarning("prices: wait for the database", error) : Effect.void
        }),
        Effect.catchCause((cause) => Effect.logError("prices: a round went wrong", cause))
      )
      const context = yield* Effect.context<Ledgers | Cdrs | SessionReviews>()
      yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.provide(round, context), options.everyMillis)))
    })
  )
