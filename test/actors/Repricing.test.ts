/** The reader of the journal that prices sessions and issues their records: again after a crash, and even if one session is broken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import type { NewCdr } from "../../src/domain/cdr/Cdr.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import type { ConnectorMeter } from "../../src/domain/session/ConnectorMeter.ts"
import { Ledgers, type Priced } from "../../src/domain/session/Ledgers.ts"
import type { PlainlyEnded } from "../../src/domain/session/Course.ts"
import { type Doubted, SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import type { ChargingSession } from "../../src/domain/session/ChargingSession.ts"
import { type Ledger, type Observed, readingsPricedAtOnce } from "../../src/domain/session/Ledger.ts"

const start = Date.UTC(2026, 4, 20, 10)

const ledger = (id: string, more: Partial<ChargingSession> = {}): Ledger => ({
  session: {
    id,
    organisationId: "o",
    status: "COMPLETED",
    startedAt: start,
    endedAt: start + 3_600_000,
    meterStartWh: 0,
    meterStopWh: 10_000,
    energyWh: 10_000,
    updatedAt: start,
    authorization: { status: "Accepted", source: "LocalToken" },
    ...more
  } as ChargingSession,
  timeZone: "UTC",
  tariff: {
    id: "t",
    organisationId: "o",
    version: 1,
    body: { currency: "EUR", elements: [{ priceComponents: [{ type: "ENERGY", price: 1, stepSize: 1 }] }] },
    createdAt: start,
    updatedAt: start
  },
  readings: [],
  surroundings: { maxPowerW: undefined, before: undefined }
})

const aSample = { phase: undefined, location: "Outlet", context: "Sample.Periodic", format: "Raw" } as const

/** What was stored, and a journal that was read up to a position. */
class World {
  readonly known = new Map<string, Observed | Ledger>()
  readonly records: Array<NewCdr> = []
  readonly doubted: Array<Doubted> = []
  readonly prices: Array<Priced> = []
  readonly meters: Array<ConnectorMeter> = []
  /** Ids whose row causes a defect in storage. */
  readonly broken = new Set<string>()
  readonly metered: Array<string> = []
  readonly plainlyEnded: Array<PlainlyEnded> = []
  /** Known sessions whose only change is that they are among `plainlyEnded`. */
  readonly doubtful = new Map<string, Observed>()
  /** The number of facts read in the first round. */
  facts = 2_000
  position = 0
  failKeep = false

  readonly layer = Layer.mergeAll(
    Layer.succeed(
      Ledgers,
      Ledgers.of({
        ofSession: () => Effect.undefined,
        read: (ids) =>
          Effect.suspend(() =>
            ids.some((id) => this.broken.has(id))
              ? Effect.die(new Error("no such row"))
              : Effect.succeed(ids.flatMap((id) => this.known.get(id) ?? this.doubtful.get(id) ?? []))
          ),
        changed: () =>
          Effect.sync(() =>
            this.position === 0
              ? {
                  sessionIds: [...this.known.keys(), ...this.broken],
                  metered: this.metered,
                  plainlyEnded: this.plainlyEnded,
                  upTo: 7,
                  facts: this.facts
                }
              : { sessionIds: [], metered: [], plainlyEnded: [], upTo: undefined, facts: 0 }
          ),
        keep: (prices, meters, upTo) =>
          Effect.suspend(() => {
            if (this.failKeep) return Effect.fail(new StorageUnavailable({ reason: "down", message: "away" }))
            this.prices.push(...prices)
            this.meters.push(...meters)
            if (upTo !== undefined) this.position = upTo
            return Effect.void
          })
      })
    ),
    Layer.succeed(
      Cdrs,
      Cdrs.of({
        issue: (records) => Effect.sync(() => void this.records.push(...records)),
        get: () => Effect.die("not asked"),
        list: () => Effect.die("not asked"),
        credit: () => Effect.die("not asked")
      })
    ),
    Layer.succeed(
      SessionReviews,
      SessionReviews.of({
        hold: (doubted) => Effect.sync(() => void this.doubted.push(...doubted)),
        release: () => Effect.die("not asked"),
        correct: () => Effect.die("not asked")
      })
    )
  )

  readonly round = Effect.provide(repricing(defaultPriceOptions), this.layer)
}

describe("the background loop that prices sessions", () => {
  it.effect(
    "keeps what the later of two sessions shows of the connector's meter, in whatever order they are read",
    () =>
      Effect.gen(function* () {
        const world = new World()
        const readings = Array.from({ length: 10 }, (_, n) => ({
          at: start + n * 60_000,
          registerWh: 1000 + n * 1000,
          samples: []
        }))
        const power = { samples: [{ ...aSample, value: "10", measurand: "Power.Active.Import", unit: "kW" }] }
        world.known.set("2", { ...ledger("2"), readings: readings.map((reading) => ({ ...reading, ...power })) })
        world.known.set("1", { ...ledger("1"), readings })
        yield* world.round
        assert.deepStrictEqual(
          world.meters.map(({ reportsPower }) => reportsPower),
          [false, true]
        )
      })
  )

  it.effect.each([
    [2_000, true],
    [200, "much"],
    [199, false]
  ] as const)("decides how soon to run again after reading %i facts: %s", ([facts, found]) =>
    Effect.gen(function* () {
      const world = new World()
      world.facts = facts
      assert.strictEqual(yield* world.round, found)
    })
  )

  it.effect("prices changed sessions, bills ended ones, and holds implausible ones", () =>
    Effect.gen(function* () {
      const world = new World()
      world.known.set("done", ledger("done"))
      world.known.set("running", ledger("running", { endedAt: undefined, status: "ACTIVE" }))
      world.known.set("held", ledger("held", { heldReason: "ClockImplausible" }))
      world.known.set("phantom", ledger("phantom", { energyWh: 60_000_000, meterStopWh: 60_000_000 }))
      world.known.set("released", ledger("released", { energyWh: 60_000_000, meterStopWh: 60_000_000, reviewed: true }))
      assert.strictEqual(yield* world.round, true)
      assert.deepStrictEqual(
        world.prices.map(({ price, sessionId }) => [sessionId, price.exclVat]),
        [
          ["done", 10],
          ["held", 10],
          ["phantom", 60_000],
          ["released", 60_000],
          ["running", 0]
        ]
      )
      assert.deepStrictEqual(
        world.records.map(({ sessionId }) => sessionId),
        ["done", "released"]
      )
      assert.deepStrictEqual(world.doubted, [
        { sessionId: "phantom", organisationId: "o", reason: "EnergyImplausible" }
      ])
      assert.isFalse(yield* world.round)
    })
  )

  it.effect("does not read a session that ended normally in consistent surroundings, but every other one", () =>
    Effect.gen(function* () {
      const world = new World()
      const { tariff: _, ...phantom } = ledger("", { energyWh: 60_000_000, meterStopWh: 60_000_000 })
      const plain = { powerW: 11_000, meter: { stepWh: 1, reportsPower: true } }
      const one = { plain, meterStartWh: 5_000, maxPowerW: undefined, before: undefined, meter: plain.meter }
      const ends: Readonly<Record<string, Partial<PlainlyEnded>>> = {
        settled: { maxPowerW: 11_000, before: { isSuperseded: false, meterStopWh: 5_010 } },
        overlapping: { before: { isSuperseded: false, meterStopWh: 5_011 } },
        following: { before: { isSuperseded: true, meterStopWh: 5_000 } },
        weak: { maxPowerW: 10_999 },
        "of a new meter": { meter: undefined },
        "of another meter": { meter: { stepWh: 10, reportsPower: true } }
      }
      for (const [sessionId, more] of Object.entries(ends)) {
        world.plainlyEnded.push({ ...one, sessionId, ...more })
        // Every session that is read is found doubtful, which shows that it was read.
        world.doubtful.set(sessionId, { ...phantom, session: { ...phantom.session, id: sessionId } })
      }
      yield* world.round
      assert.deepStrictEqual(
        world.doubted.map(({ sessionId }) => sessionId),
        Object.keys(ends).slice(1).toSorted()
      )
    })
  )

  it.effect("holds implausible sessions even without a tariff, and bills none without a tariff", () =>
    Effect.gen(function* () {
      const world = new World()
      const { tariff: _, ...free } = ledger("free")
      const { tariff: __, ...phantom } = ledger("phantom", { energyWh: 60_000_000, meterStopWh: 60_000_000 })
      world.known.set("free", free)
      world.known.set("phantom", phantom)
      yield* world.round
      assert.deepStrictEqual([world.prices, world.records], [[], []])
      assert.deepStrictEqual(
        world.doubted.map(({ sessionId }) => sessionId),
        ["phantom"]
      )
    })
  )

  it.effect("moves its position only when everything is stored", () =>
    Effect.gen(function* () {
      const world = new World()
      world.known.set("done", ledger("done"))
      world.failKeep = true
      const error = yield* Effect.flip(world.round)
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.strictEqual(world.position, 0)
      world.failKeep = false
      yield* world.round
      assert.strictEqual(world.position, 7)
    })
  )

  it.effect("marks the prices that partners wait for: those of running roaming sessions with many readings", () =>
    Effect.gen(function* () {
      const world = new World()
      const readings = (count: number) =>
        Array.from({ length: count }, (_, n) => ({ at: start + n, registerWh: n, samples: undefined }))
      const roaming = { partnerId: "p" } as NonNullable<ChargingSession["roaming"]>
      const running = { endedAt: undefined, status: "ACTIVE", roaming } as const
      const many = readings(readingsPricedAtOnce + 1)
      world.known.set("many", { ...ledger("many", running), readings: many })
      world.known.set("few", { ...ledger("few", running), readings: readings(readingsPricedAtOnce) })
      world.known.set("own", { ...ledger("own", { ...running, roaming: undefined as never }), readings: many })
      world.known.set("over", { ...ledger("over", { roaming }), readings: many })
      yield* world.round
      assert.deepStrictEqual(
        world.prices.filter(({ isAwaited }) => isAwaited).map(({ sessionId }) => sessionId),
        ["many"]
      )
    })
  )

  it.effect("skips a session that cannot be read or priced", () =>
    Effect.gen(function* () {
      const world = new World()
      world.known.set("one", ledger("one"))
      const unsound = ledger("unsound")
      world.known.set("unsound", { ...unsound, tariff: { ...unsound.tariff, body: undefined as never } })
      world.known.set("two", ledger("two"))
      world.broken.add("broken")
      yield* world.round
      assert.deepStrictEqual(
        world.records.map(({ sessionId }) => sessionId),
        ["one", "two"]
      )
      assert.strictEqual(world.position, 7)
    })
  )
})
