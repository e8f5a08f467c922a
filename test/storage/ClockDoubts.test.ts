/** What a charger's clock leaves doubtful of a session, from its messages to the row: whether the clock jumped, and how far it is ahead. */
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

/** `say` lets a second pass before the message is heard. */
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
  ["a clock that is right", { start: 0, stop: 0 }, false, 0],
  ["messages that come late", { start: -90 * minutes, stop: -30 * minutes }, false, 0],
  ["a clock that is five minutes ahead", { start: 5 * minutes, stop: 5 * minutes }, false, 0],
  ["a clock that is more than that ahead", { start: 5 * minutes + 1, stop: 5 * minutes + 1 }, false, 300_001],
  ["one that is at the stop alone", { start: 5 * minutes, stop: 5 * minutes + 1 }, false, 300_001],
  ["one that was put right by five minutes", { start: 10 * minutes, stop: 5 * minutes }, false, 600_000],
  ["one that was put right by more", { start: 10 * minutes, stop: 5 * minutes - 1 }, true, 600_000],
  ["one that went ahead by more", { start: 0, stop: 6 * minutes }, true, 360_000],
  ["a stop without a time on the connection of the start", { start: 0, stop: undefined }, false, 0],
  [
    "a stop without a time after the charger was away before",
    { start: 0, stop: undefined, reconnects: "before" },
    false,
    0
  ],
  [
    "a stop without a time after the charger was away since",
    { start: 0, stop: undefined, reconnects: "within" },
    true,
    0
  ],
  ["a stop with a time after the charger was away", { start: 0, stop: 0, reconnects: "within" }, false, 0]
]

forEachDriver("the clock within a session", ports, (it) => {
  for (const [n, [name, course, jumped, ahead]] of courses.entries()) {
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* session(`CLOCK-${n}`, course), [[jumped, ahead]])
      })
    )
  }

  it.effect("counts as well where no stop reported the end, and a stop of later adds to it", () =>
    Effect.gen(function* () {
      const { organisationId } = yield* seedChargers(["CLOCK-unheard"])
      const charger = yield* StoredCharger.connect("CLOCK-unheard", organisationId, new ModelJournal())
      // Nobody knows the card: it is refused.
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
