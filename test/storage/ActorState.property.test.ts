/**
 * Whatever chargers send, the state that an actor keeps in memory is the state that a load from the database gives: a reconnect, a lost
 * commit or a restart changes no decision. The real `decide` and `evolve` run on the real journal. What the journal answers to each commit,
 * and what it stores for it, equals what the model journal answers.
 *
 * What may differ, and why:
 * - `bootedHere`: what happened on this connection is known to its actor alone.
 * - `course` and `follows`, which decide on nothing that is answered.
 * - `supersededAt` of an ended session: its end has replaced it in the table, and decisions look at the end first.
 * - the order of connectors, which are found by their place.
 * - sessions and orphans that were dropped from memory because there were too many may come back once there is room again.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ChargerEvent, ChargerTime } from "../../src/domain/charger/ChargerEvent.ts"
import type { ChargerState, KnownSession } from "../../src/domain/charger/ChargerState.ts"
import { askConfiguration } from "../../src/domain/decide/FollowUps.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import {
  at,
  boot,
  ended,
  energy,
  evse,
  in1970,
  metered,
  minute,
  noTime,
  reading,
  started,
  status
} from "../support/events.ts"
import { doubled, type Message, messagesOf, shuffled, type Transaction, transactions } from "../support/history.ts"
import { seedChargers, type Seeded } from "../support/journalFacts.ts"
import { ModelJournal, type SessionRow } from "../support/modelJournal.ts"
import { Random, seeds } from "../support/random.ts"
import { type Said, StoredCharger } from "../support/storedCharger.ts"

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

const tokens = ["ANNA", "BERT", "CARLA"]

/** The parts of a session that decisions depend on. */
const lookedAt = ({ course: _, follows: __, supersededAt, ...session }: KnownSession) => ({
  ...session,
  endedAt: session.endedAt,
  supersededAt: session.status === "Ended" ? undefined : supersededAt
})

/** The parts of a state that decisions depend on, without what was dropped from memory. */
const seen = (
  { bootedHere: _, templating: __, connectors, orphans, sessions, ...rest }: ChargerState,
  fallen: ReadonlySet<string>
) => ({
  ...rest,
  configured: rest.configured === true,
  connectors: connectors
    .map((connector) => ({ ...connector, byOwnClock: connector.byOwnClock === true }))
    .toSorted((a, b) => a.evseId - b.evseId || a.connectorId - b.connectorId),
  sessions: sessions.filter(({ sessionId }) => !fallen.has(sessionId)).map(lookedAt),
  orphans: orphans.filter(({ orphanId }) => !fallen.has(orphanId))
})

/** The state in memory is the one in the database. */
const expectSame = (charger: StoredCharger) =>
  Effect.map(charger.stored, (stored) => {
    assert.deepStrictEqual(seen(stored, charger.fallen), seen(charger.state, charger.fallen))
  })

/** The journal answered a commit as the model does. */
const expectAsModelled = ({ expected, outcome }: Said): void => {
  assert.deepStrictEqual(outcome.recorded, expected.recorded)
  assert.deepStrictEqual(
    outcome.existing && lookedAt(outcome.existing),
    expected.existing && lookedAt(expected.existing)
  )
}

const Millis = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

/** Up to this energy (Wh), a session whose card was refused counts as having taken none. */
const nextToNothing = 10

/** Why a session is held, if it is, and the status that it has therefore. */
const judged = ({ end, registerWh, start, status, unheardEnd }: SessionRow) => {
  const isHeld = end === undefined && unheardEnd === undefined && status === "Superseded"
  const doubt = end?.body.heldReason === "NotAuthorized" ? undefined : end?.body.heldReason
  const held = doubt ?? (isHeld ? "StopMissing" : null)
  if (status === "Open") return { held, status: "ACTIVE" }
  if (start.body.authorization.status === "Accepted" || held !== null) return { held, status: "COMPLETED" }
  const { meterStartWh } = start.body
  const energy = end === undefined ? (registerWh ?? meterStartWh) - meterStartWh : (end.body.energyWh ?? 0)
  return energy <= nextToNothing ? { held: null, status: "INVALID" } : { held: "NotAuthorized", status: "COMPLETED" }
}

/** The expected row of a session: when it ended, with which energy, and why it is held. */
const expectedRow = (row: SessionRow) => ({ ...figuresOf(row), ...judged(row) })

const figuresOf = ({ end, registerAt, registerWh, start, status, supersededAt, unheardEnd }: SessionRow) => ({
  id: start.body.sessionId,
  started: start.at,
  ended: end?.at ?? supersededAt ?? null,
  superseded: status === "Superseded",
  register: registerWh ?? null,
  registerAt: registerAt ?? null,
  energy:
    end === undefined
      ? Math.max(0, (registerWh ?? start.body.meterStartWh) - start.body.meterStartWh)
      : end.body.energyWh,
  stop: end === undefined ? (status === "Superseded" ? (registerWh ?? null) : null) : (end.body.meterStopWh ?? null),
  reason: (end ?? unheardEnd)?.body.reason ?? (status === "Superseded" ? "Superseded" : null)
})

const expectSameRows = (model: ModelJournal, charger: StoredCharger) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql.unsafe<Record<string, unknown>>(
      `SELECT id, ${Millis("started_at")} AS started, ${Millis("ended_at")} AS ended, superseded, register_wh::float8 AS register,
        ${Millis("register_at")} AS "registerAt", energy_wh::float8 AS energy, meter_stop_wh::float8 AS stop, stop_reason AS reason,
        held_reason AS held, status
      FROM session WHERE charger_id = $1 ORDER BY id`,
      [charger.chargerId]
    )
    const expected = model.sessions.filter(({ start }) => start.chargerId === charger.chargerId).map(expectedRow)
    // Where the energy cannot be determined, the table has the energy at the end of the session.
    assert.deepStrictEqual(
      rows.map((row, n) => (expected[n]?.energy === undefined ? { ...row, energy: undefined } : row)),
      expected
    )
    const orphans = yield* sql.unsafe<{ id: string; session: string | null }>(
      `SELECT id, session_id AS session FROM orphan WHERE charger_id = $1 ORDER BY id`,
      [charger.chargerId]
    )
    assert.deepStrictEqual(
      orphans.map(({ id, session }) => [id, session ?? undefined]),
      model.orphans.filter((one) => one.chargerId === charger.chargerId).map((one) => [one.orphanId, one.sessionId])
    )
  })

/** Occasionally a connection ends, the outcome of a commit is lost, or the actor is loaded again. */
const trouble = (charger: StoredCharger, random: Random) =>
  Effect.gen(function* () {
    charger.loseNextOutcome = random.chance(0.05)
    if (random.chance(0.05)) yield* charger.forget
    if (random.chance(0.05)) yield* charger.reconnect
    charger.now += random.pick([0, 0, 1000, 60_000, 600_000])
  })

/** Compares memory and database every few steps. */
const check = (charger: StoredCharger, random: Random, said: Said) =>
  Effect.gen(function* () {
    expectAsModelled(said)
    if (random.chance(0.4)) yield* expectSame(charger)
  })

const anyTime = (random: Random): ChargerTime =>
  random.pick([
    at(minute(random.between(-10, 20))),
    at(minute(random.between(-10, 20))),
    in1970(random.between(0, 3)),
    at(minute(1000)),
    at(minute(100_000)),
    { at: undefined, raw: "yesterday" },
    noTime
  ])

/** Anything a charger may send, sensible or not, from a small set of values so that they collide. */
const anything = (random: Random, known: ReadonlyArray<number>): ChargerEvent => {
  const time = anyTime(random)
  const place = evse(random.between(0, 2))
  const tokenUid = random.pick(tokens)
  const wh = random.pick([undefined, 0, 1000, 2000, 3000])
  const transactionId = random.pick([undefined, undefined, 1, 2_000_000_000, ...known])
  const readings = Array.from({ length: random.between(0, 2) }, () =>
    reading(random.chance(0.5) ? time : anyTime(random), energy(random.pick([wh ?? "", 1500, 2500])))
  )
  switch (random.between(0, 9)) {
    case 0:
    case 1:
    case 2:
      return started({ place, tokenUid, time, meterStartWh: wh })
    case 3:
    case 4:
      return ended(transactionId, {
        rawTransactionId:
          transactionId === undefined ? random.pick(["-1", "0", '"abc"', "null"]) : String(transactionId),
        tokenUid: random.pick([tokenUid, tokenUid, undefined]),
        time,
        meterStopWh: wh,
        readings
      })
    case 5:
    case 6:
      return metered(transactionId, readings, { place })
    case 7:
      return status({
        place,
        status: random.pick(["Available", "Charging", "Faulted"]),
        time,
        info: random.pick([undefined, "x"])
      })
    case 8:
      return random.pick<ChargerEvent>([
        boot({ firmwareVersion: random.pick([undefined, "1", "2"]) }),
        { _tag: "AuthorizationAsked", tokenUid },
        { _tag: "DataReceived", vendorId: "V", messageId: undefined, data: "x" }
      ])
    default:
      return {
        _tag: "UnreadableTransactionMessage",
        action: random.pick(["StartTransaction", "StopTransaction", "MeterValues"]),
        problem: "unreadable"
      }
  }
}

/** Sends random messages, and sometimes repeats one. */
const babble = (charger: StoredCharger, model: ModelJournal, random: Random, steps: number) =>
  Effect.gen(function* () {
    const said: Array<ChargerEvent> = []
    for (let n = 0; n < steps; n++) {
      yield* trouble(charger, random)
      const known = model.sessions.map(({ start }) => start.body.transactionId)
      const event = said.length > 0 && random.chance(0.2) ? random.pick(said) : anything(random, known.slice(-40))
      said.push(event)
      yield* check(charger, random, yield* charger.say(event))
      if (random.chance(0.03)) {
        const keys = [{ key: "HeartbeatInterval", value: "300", readonly: false }]
        const content = { _tag: "Configuration", keys, unknown: [] } as const
        const result = { _tag: "Answered", status: undefined, answer: {}, content } as const
        expectAsModelled(yield* charger.answer(askConfiguration, result))
      }
    }
    yield* expectSame(charger)
  })

/** Reports what really happened, with duplicates, in the given order. */
const report = (charger: StoredCharger, order: ReadonlyArray<Message>, random: Random) =>
  Effect.gen(function* () {
    const answers = new Map<Transaction, number>()
    for (const { event, transaction } of order) {
      yield* trouble(charger, random)
      const said = yield* charger.say(event(answers.get(transaction)))
      if (said.reply?._tag === "StartAnswered") {
        assert.strictEqual(said.reply.transactionId, answers.get(transaction) ?? said.reply.transactionId)
        answers.set(transaction, said.reply.transactionId)
      }
      yield* check(charger, random, said)
    }
    yield* expectSame(charger)
  })

const historyOf = (random: Random): ReadonlyArray<Message> => {
  const options = {
    connectors: random.between(1, 3),
    transactions: random.between(2, 8),
    tokens,
    ownTokens: random.chance(0.5),
    blind: true,
    clocks1970: true
  }
  const reports = doubled(messagesOf(transactions(random, options), random), random)
  return random.chance(0.5) ? reports : shuffled(reports, random)
}

/** Enough for ten times the cases on a busy machine. */
const limitMillis = 600_000

let made = 0

/** Several chargers at the same time, so that their commits share transactions. */
const chargersOf = (seeded: Seeded, ids: ReadonlyArray<string>, model: ModelJournal) =>
  Effect.forEach(ids, (id) => StoredCharger.connect(id, seeded.organisationId, model))

const inEachHistory = <R>(
  count: number,
  property: (charger: StoredCharger, model: ModelJournal, random: Random) => Effect.Effect<void, unknown, R>
) =>
  Effect.forEach(
    seeds(count, 80),
    (seed) =>
      Effect.gen(function* () {
        const ids = ["A", "B", "C"].map((name) => `STATE-${++made}-${name}`)
        const seeded = yield* seedChargers(ids)
        const model = new ModelJournal()
        const chargers = yield* chargersOf(seeded, ids, model)
        yield* Effect.forEach(
          chargers,
          (charger, n) => {
            charger.now = minute(60)
            return property(charger, model, new Random(seed + n * 7919))
          },
          { concurrency: "unbounded", discard: true }
        )
        for (const charger of chargers) yield* expectSameRows(model, charger)
      }).pipe(
        Effect.tapCause(() => Effect.sync(() => console.log(`broken by PROPERTY_SEED=${seed}`))),
        Effect.orDie
      ),
    { discard: true }
  )

forEachDriver("the state of an actor", ports, (it) => {
  it.effect(
    "is the same in memory and in the database, whatever chargers send",
    () => inEachHistory(4, (charger, model, random) => babble(charger, model, random, random.between(10, 60))),
    limitMillis
  )

  it.effect(
    "is the same in memory and in the database when reports are duplicated and shuffled",
    () => inEachHistory(5, (charger, _, random) => report(charger, historyOf(random), random)),
    limitMillis
  )
})
