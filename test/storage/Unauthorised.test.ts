/** Sessions whose card was refused at their start, from the journal to what readers see: no energy is billed that was not authorised. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Closings } from "../../src/domain/session/Closings.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import type { MeterRead, SessionEnded } from "../../src/domain/charger/Fact.ts"
import { outcomeOf } from "../../src/domain/session/Refused.ts"
import type { SessionStatus } from "../../src/domain/session/ChargingSession.ts"
import type { AuthorizationStatus } from "../../src/domain/token/Authorization.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { ended, freshId, metered, noon, seedChargers, started, type Transaction } from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(besideRepositories, JournalRepository.layer(limits.journal))

/** The end as it is decided for a session whose card was refused. */
const refusedEnd = (end: SessionEnded, doubt?: string): SessionEnded => ({
  ...end,
  body: { ...end.body, ...outcomeOf({ authorization: "Blocked" }, end.body.energyWh, doubt) }
})

const refusedRead = (read: MeterRead): MeterRead => ({
  ...read,
  body: {
    ...read.body,
    refused: outcomeOf({ authorization: "Blocked" }, (read.body.registerWh ?? 0) - 1000, undefined)
  }
})

/** A charger with a tariff whose minimum price is 2, and a start whose card was refused. */
const refused = (chargerId: string, status: AuthorizationStatus = "Blocked") =>
  Effect.gen(function* () {
    const tariffs = yield* Tariffs
    const commit = yield* decidedCommit
    const seeded = yield* seedChargers([chargerId])
    const { organisationId } = seeded
    const principal = { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
    const writing = { by: principal, now: noon }
    const elements = [{ priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }]
    const tariff = yield* tariffs.create({ currency: "EUR", elements, minPrice: { exclVat: 2 } }, writing)
    yield* tariffs.assign(tariff.id, { scope: "organisation" }, writing)
    const tx: Transaction = { chargerId, sessionId: freshId(), transactionId: 7 }
    const start = started(seeded, tx)
    const { body } = start
    yield* commit([{ ...start, body: { ...body, authorization: { ...body.authorization, status } } }])
    return { commit, organisationId, seeded, tx, writing }
  })

const priced = Effect.gen(function* () {
  while (yield* repricing(defaultPriceOptions)) {}
})

const seen = (organisationId: string, sessionId: string) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const cdrs = yield* Cdrs
    const listed = (status: SessionStatus) =>
      Effect.map(sessions.list(organisationId, { limit: 5, status }), ({ items }) => items.map(({ id }) => id))
    const { energyWh, heldReason, status } = yield* sessions.get(organisationId, sessionId)
    const { items } = yield* cdrs.list(organisationId, { limit: 5, sessionId })
    const lists = { INVALID: yield* listed("INVALID"), COMPLETED: yield* listed("COMPLETED") }
    return { energyWh, heldReason, status, lists, bills: items.map(({ body }) => body.total.exclVat) }
  })

forEachDriver("a session whose card was refused", world, (it) => {
  for (const status of ["Blocked", "Expired", "Invalid", "ConcurrentTx"] as const) {
    it.effect(`(${status}) is invalid when no energy flowed: no record, no hold, and not in any total`, () =>
      Effect.gen(function* () {
        const { commit, organisationId, seeded, tx } = yield* refused(`U-${status}`, status)
        yield* commit([refusedEnd(ended(seeded, tx, { meterStopWh: 1010 }))])
        yield* priced
        assert.deepStrictEqual(yield* seen(organisationId, tx.sessionId), {
          energyWh: 10,
          heldReason: undefined,
          status: "INVALID",
          lists: { INVALID: [tx.sessionId], COMPLETED: [] },
          bills: []
        })
        const { price } = yield* (yield* Sessions).get(organisationId, tx.sessionId)
        assert.deepInclude(price, { exclVat: 0, inclVat: 0, periods: [] })
        const figures = yield* (yield* Chargers).statistics(organisationId, noon)
        assert.deepInclude(figures, { sessionsToday: 0, energyWhToday: 0, energyWhTotal: 0, activeSessions: 0 })
      })
    )
  }

  it.effect("is held when energy flowed, and billed once it is released", () =>
    Effect.gen(function* () {
      const reviews = yield* SessionReviews
      const { commit, organisationId, seeded, tx, writing } = yield* refused("U-held")
      yield* commit([refusedEnd(ended(seeded, tx, { meterStopWh: 1011 }))])
      yield* priced
      const held = {
        energyWh: 11,
        heldReason: "NotAuthorized",
        status: "COMPLETED" as const,
        lists: { INVALID: [], COMPLETED: [tx.sessionId] },
        bills: []
      }
      assert.deepStrictEqual(yield* seen(organisationId, tx.sessionId), held)
      yield* reviews.release(tx.sessionId, writing)
      yield* priced
      assert.deepStrictEqual(yield* seen(organisationId, tx.sessionId), { ...held, heldReason: undefined, bills: [2] })
    })
  )

  it.effect("cannot be released when it is invalid, and is billed as an operator corrects it", () =>
    Effect.gen(function* () {
      const reviews = yield* SessionReviews
      const { commit, organisationId, seeded, tx, writing } = yield* refused("U-corrected")
      yield* commit([refusedEnd(ended(seeded, tx, { meterStopWh: 1000 }))])
      const refusal = yield* Effect.flip(reviews.release(tx.sessionId, writing))
      assert.propertyVal(refusal, "code", "not_held")
      const correction = { energyWh: 7000, startedAt: undefined, endedAt: undefined, reason: "it charged" }
      yield* reviews.correct(tx.sessionId, correction, writing)
      yield* priced
      assert.deepStrictEqual(yield* seen(organisationId, tx.sessionId), {
        energyWh: 7000,
        heldReason: undefined,
        status: "COMPLETED",
        lists: { INVALID: [], COMPLETED: [tx.sessionId] },
        bills: [7]
      })
    })
  )

  it.effect("is held for doubtful figures first, since energy may have flowed", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-doubted")
      const stop = ended(seeded, tx)
      const body = {
        ...stop.body,
        meterStopWh: undefined,
        energyWh: undefined,
        heldReason: "MeterStopMissing" as const
      }
      yield* commit([refusedEnd({ ...stop, body }, body.heldReason)])
      yield* priced
      const { heldReason, status } = yield* seen(organisationId, tx.sessionId)
      assert.deepStrictEqual({ heldReason, status }, { heldReason: "MeterStopMissing", status: "COMPLETED" })
    })
  )

  /** An end without a stop, as its connector or another start shows it. */
  const unheard = (seeded: Parameters<typeof ended>[0], tx: Transaction) => {
    const stop = ended(seeded, tx, { at: noon + 60_000 })
    const body = {
      ...stop.body,
      meterStopWh: undefined,
      energyWh: undefined,
      reason: "DeAuthorized",
      status: "INVALID",
      unheard: true
    } as const
    return { ...stop, key: `unheard:${tx.sessionId}`, body }
  }

  it.effect("is invalid when it ends without a stop, until its own stop decides", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-unheard")
      yield* commit([unheard(seeded, tx)])
      yield* priced
      assert.deepStrictEqual(yield* seen(organisationId, tx.sessionId), {
        energyWh: 0,
        heldReason: undefined,
        status: "INVALID",
        lists: { INVALID: [tx.sessionId], COMPLETED: [] },
        bills: []
      })
      yield* commit([refusedEnd(ended(seeded, tx, { meterStopWh: 3000 }))])
      yield* priced
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), {
        energyWh: 2000,
        heldReason: "NotAuthorized",
        status: "COMPLETED"
      })
      yield* commit([{ ...unheard(seeded, tx), key: "late" }])
      assert.strictEqual((yield* seen(organisationId, tx.sessionId)).status, "COMPLETED", "nothing is over twice")
    })
  )

  it.effect("is held when readings that arrive after such an end show energy", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-read")
      yield* commit([unheard(seeded, tx)])
      yield* commit([refusedRead(metered(seeded, tx, noon + 30_000, 3000))])
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), {
        energyWh: 2000,
        heldReason: "NotAuthorized",
        status: "COMPLETED"
      })
    })
  )

  it.effect("is held or invalid by its newest register, whatever the order of the readings after such an end", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-order")
      const seenNow = Effect.map(seen(organisationId, tx.sessionId), ({ energyWh, heldReason, status }) => [
        energyWh,
        heldReason,
        status
      ])
      yield* commit([unheard(seeded, tx)])
      yield* commit([refusedRead(metered(seeded, tx, noon + 30_000, 3000))])
      yield* commit([refusedRead(metered(seeded, tx, noon + 20_000, 1005))])
      assert.deepStrictEqual(yield* seenNow, [2000, "NotAuthorized", "COMPLETED"], "an older reading changes nothing")
      yield* commit([refusedRead(metered(seeded, tx, noon + 40_000, 1010))])
      assert.deepStrictEqual(yield* seenNow, [10, undefined, "INVALID"])
      yield* commit([refusedRead(metered(seeded, tx, noon + 50_000, 1011))])
      assert.deepStrictEqual(yield* seenNow, [11, "NotAuthorized", "COMPLETED"])
    })
  )

  it.effect("stays held for its missing stop when another start superseded it, whatever its readings say", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-superseded")
      const next: Transaction = { ...tx, sessionId: freshId(), transactionId: 8 }
      yield* commit([started(seeded, next, { at: noon + 60_000, supersedes: [tx.sessionId] })])
      const held = { heldReason: "StopMissing", status: "COMPLETED" as const }
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), held)
      yield* commit([refusedRead(metered(seeded, tx, noon + 30_000, 1005))])
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), { ...held, energyWh: 5 })
      yield* commit([refusedRead(metered(seeded, tx, noon + 40_000, 3000))])
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), { ...held, energyWh: 2000 })
    })
  )

  it.effect("does not end without a stop when another connection stored a reading with energy before", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-raced")
      yield* commit([refusedRead(metered(seeded, tx, noon + 30_000, 3000))])
      yield* commit([unheard(seeded, tx)])
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), { status: "ACTIVE", energyWh: 2000 })
    })
  )

  it.effect("is invalid when it is closed because of silence", () =>
    Effect.gen(function* () {
      const closings = yield* Closings
      const { commit, organisationId, seeded, tx } = yield* refused("U-silent")
      const [session] = (yield* closings.quiet({ before: noon + 3_600_000, after: undefined, limit: 100 })).filter(
        ({ sessionId }) => sessionId === tx.sessionId
      )
      if (session === undefined) return assert.fail("it is not looked at")
      assert.include(session, { authorization: "Blocked", energyWh: 0 })
      const closing = { ...session, reason: "Silent", neverWas: true } as const
      assert.deepStrictEqual(yield* closings.close([closing], noon + 3_600_000), [tx.sessionId])
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), { status: "INVALID", heldReason: undefined })
      yield* commit([refusedEnd(ended(seeded, tx, { meterStopWh: 3000 }))])
      assert.deepInclude(yield* seen(organisationId, tx.sessionId), { status: "COMPLETED", energyWh: 2000 })
    })
  )

  it.effect("runs like any other until it ends", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, tx } = yield* refused("U-running")
      yield* commit([refusedRead(metered(seeded, tx, noon + 60_000, 3000))])
      yield* priced
      const { heldReason, status } = yield* seen(organisationId, tx.sessionId)
      assert.deepStrictEqual({ heldReason, status }, { heldReason: undefined, status: "ACTIVE" })
    })
  )
})
