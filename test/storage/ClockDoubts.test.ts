/** What is stored about a charger's clock in a session: whether the clock jumped, and how far it was ahead. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { at, ended, noTime, started, status } from "../support/events.ts"
import { seedChargers } from "../support/journalFacts.ts"
import { ModelJournal } from "../support/modelJournal.ts"
import { StoredCharger } from "../support/storedCharger.ts"

const ports = Layer.mergeAll(
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 10_000 }),
  ChargerDirectoryStorage.layer({
    nodeId: "test",
    maxBatch: 100,
    maxQueue: 1000,
    maxCards: 1000,
    maxCardBytes: 1_000_000
  })
)

const minutes = 60_000

/** `say` lets a second pass before the message is received. */
const sayingMillis = 1000

const said = (charger: StoredCharger, aheadMillis: number | undefined) =>
  aheadMillis === undefined ? noTime : at(charger.now + sayingMillis + aheadMillis)

const found = (charger: StoredCharger) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly jumped: boolean; readonly ahead: number }>`
      SELECT clock_jumped AS jumped, clock_ahead_ms AS ahead FROM session WHERE charger_id = ${charger.chargerId}`
    return rows.map(({ ahead, jumped }) => [jumped, ahead])
  })

interface Course {
  /** How far the charger's clock is ahead of ours at the start, and at the stop; undefined: its message has no time. */
  readonly start: number
  readonly stop: number | undefined
  readonly reconnects?: "before" | "within" | undefined
}

const session = (chargerId: string, { reconnects, start, stop }: Course) =>
  Effect.gen(function* () {
    const { organisationId } = yield* seedChargers([chargerId])
    const charger = yield* StoredCharger.connect(chargerId, organisationId, new ModelJournal())
    charger.now += 60 * minutes
    if (reconnects === "before") yield* charger.reconnect
    const { reply } = yield* charger.say(started({ time: said(charger, start) }))
    if (reply?._tag !== "StartAnswered") return assert.fail("the start has no answer")
    charger.now += 60 * minutes
    if (reconnects === "within") yield* charger.reconnect
    yield* charger.say(ended(reply.transactionId, { time: said(charger, stop) }))
    return yield* found(charger)
  })

const courses: ReadonlyArray<readonly [name: string, course: Course, jumped: boolean, ahead: number]> = [
  ["does not jump with a correct clock", { start: 0, stop: 0 }, false, 0],
  ["does not jump with messages that arrive late", { start: -90 * minutes, stop: -30 * minutes }, false, 0],
  ["is not ahead at a difference of five minutes", { start: 5 * minutes, stop: 5 * minutes }, false, 0],
  [
    "is ahead at a difference of more than five minutes",
    { start: 5 * minutes + 1, stop: 5 * minutes + 1 },
    false,
    300_001
  ],
  [
    "is ahead when only the stop differs by more than five minutes",
    { start: 5 * minutes, stop: 5 * minutes + 1 },
    false,
    300_001
  ],
  ["does not jump when it is corrected by five minutes", { start: 10 * minutes, stop: 5 * minutes }, false, 600_000],
  [
    "jumps when it is corrected by more than five minutes",
    { start: 10 * minutes, stop: 5 * minutes - 1 },
    true,
    600_000
  ],
  ["jumps when it goes ahead by more than five minutes", { start: 0, stop: 6 * minutes }, true, 360_000],
  ["does not jump with a stop without a time on the connection of the start", { start: 0, stop: undefined }, false, 0],
  [
    "does not jump with a stop without a time when the reconnection was before the start",
    { start: 0, stop: undefined, reconnects: "before" },
    false,
    0
  ],
  [
    "may have jumped with a stop without a time when the charger reconnected since the start",
    { start: 0, stop: undefined, reconnects: "within" },
    true,
    0
  ],
  [
    "may have jumped with a stop without a time when the start was sent after a reconnection",
    { start: -90 * minutes, stop: undefined, reconnects: "before" },
    true,
    0
  ],
  [
    "does not jump with messages that arrive late after a reconnection and have times",
    { start: -90 * minutes, stop: -80 * minutes, reconnects: "before" },
    false,
    0
  ],
  [
    "does not jump with a stop that has a time when the charger reconnected since the start",
    { start: 0, stop: 0, reconnects: "within" },
    false,
    0
  ]
]

forEachDriver("the clock within a session", ports, (it) => {
  for (const [n, [name, course, jumped, ahead]] of courses.entries()) {
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* session(`CLOCK-${n}`, course), [[jumped, ahead]])
      })
    )
  }

  for (const [name, stopTime, jumped] of [
    ["may have jumped with a stop without a time that arrives before its start", noTime, true],
    ["does not jump with a stop that has a time and arrives before its start", at(0), false]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const chargerId = `CLOCK-first-${String(jumped)}`
        const { organisationId } = yield* seedChargers([chargerId])
        const charger = yield* StoredCharger.connect(chargerId, organisationId, new ModelJournal())
        const time = stopTime === noTime ? noTime : at(charger.now - 30 * minutes)
        yield* charger.say(ended(undefined, { time }))
        yield* charger.forget
        yield* charger.say(started({ time: at(charger.now - 90 * minutes) }))
        assert.deepStrictEqual(yield* found(charger), [[jumped, 0]])
      })
    )
  }

  it.effect("is judged by a status that ends the session, and again by a later stop", () =>
    Effect.gen(function* () {
      const { organisationId } = yield* seedChargers(["CLOCK-unheard"])
      const charger = yield* StoredCharger.connect("CLOCK-unheard", organisationId, new ModelJournal())
      // The card is unknown: it is refused.
      const { reply } = yield* charger.say(started({ time: said(charger, 10 * minutes) }))
      if (reply?._tag !== "StartAnswered") return assert.fail("the start has no answer")
      charger.now += 60 * minutes
      yield* charger.say(status({ time: said(charger, 0) }))
      assert.deepStrictEqual(yield* found(charger), [[true, 600_000]])
      yield* charger.say(ended(reply.transactionId, { time: said(charger, 10 * minutes) }))
      assert.deepStrictEqual(yield* found(charger), [[false, 600_000]])
    })
  )
})
