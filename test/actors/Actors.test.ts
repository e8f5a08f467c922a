import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import { evolve } from "../../src/domain/decide/Evolve.ts"
import { FactRefused, StorageUnavailable } from "../../src/domain/Errors.ts"
import { actorsOn, connect, deliver, makeWorld, settle, start } from "../support/actorWorld.ts"
import { at, energy, metered, minute, reading } from "../support/events.ts"

const heartbeat: ChargerEvent = { _tag: "HeartbeatReceived" }
const data = (text: string): ChargerEvent => ({ _tag: "DataReceived", vendorId: "V", messageId: undefined, data: text })

const down = new StorageUnavailable({ reason: "down", message: "away" })
const unknown = new StorageUnavailable({ reason: "unknown", message: "perhaps" })

describe("a charger's actor", () => {
  it.effect("answers only after its facts are stored", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      world.hold = []
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.deepStrictEqual(answers, [])
      assert.strictEqual(world.hold.length, 1)
      world.hold[0]!()
      yield* settle
      assert.strictEqual(answers[0]?._tag, "StartAnswered")
      assert.strictEqual(world.facts[0]?.type, "SessionStarted")
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("answers a heartbeat at once if nothing waits, and otherwise after the waiting messages", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      deliver(mailbox, heartbeat, answers)
      assert.strictEqual(answers[0]?._tag, "HeartbeatAnswered")
      world.hold = []
      deliver(mailbox, start(100), answers)
      yield* settle
      deliver(mailbox, heartbeat, answers)
      yield* settle
      assert.strictEqual(answers.length, 1)
      world.hold[0]!()
      yield* settle
      assert.deepStrictEqual(
        answers.map((a) => a._tag),
        ["HeartbeatAnswered", "StartAnswered", "HeartbeatAnswered"]
      )
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect(
    "answers messages that exceed the daily budget without recording them, counted over all connections",
    () => {
      const world = makeWorld()
      return Effect.gen(function* () {
        const talk = Array.from({ length: 5_003 }, (_, n) => n)
        let answered = 0
        for (let connection = 0; connection < 2; connection++) {
          const { answers, mailbox } = yield* connect("A")
          for (const n of talk) {
            deliver(mailbox, data(String(n)), answers)
            while (answers.length <= n) yield* Effect.yieldNow
          }
          answered += answers.filter(({ _tag }) => _tag === "DataAnswered").length
        }
        const recorded = world.facts.filter(({ type }) => type === "DataTransferred").length
        assert.deepStrictEqual([answered, recorded], [10_006, 10_000])
        const { answers, mailbox } = yield* connect("A")
        deliver(mailbox, start(100), answers)
        yield* settle
        assert.strictEqual(world.facts.at(-1)?.type, "SessionStarted")
      }).pipe(Effect.provide(actorsOn(world)))
    }
  )

  it.effect("finds by the business key that a commit in doubt has happened, and answers as stored", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      world.failures.push({ error: unknown, stored: true })
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.strictEqual(world.reloads, 1)
      assert.strictEqual(world.facts.filter((f) => f.type === "SessionStarted").length, 1)
      const [answer] = answers
      assert.strictEqual(answer?._tag, "StartAnswered")
      const [fact] = world.facts
      if (answer?._tag === "StartAnswered" && fact?.type === "SessionStarted") {
        assert.strictEqual(answer.transactionId, fact.body.transactionId)
      }
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("answers InternalError when the database is away for too long, and works again after it", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, line, mailbox } = yield* connect("A")
      world.failures.push({ error: down, stored: false })
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.strictEqual(answers[0]?._tag, "Refused")
      assert.strictEqual(world.facts.length, 0)
      assert.deepStrictEqual(line.closes, [])
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.strictEqual(answers[1]?._tag, "StartAnswered")
      assert.strictEqual(world.facts.length, 1)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("waits for a query while the database is away for a moment", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      world.away = true
      deliver(mailbox, start(100), answers)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(answers, [])
      world.away = false
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(answers[0]?._tag, "StartAnswered")
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("measures a message's time limit from its arrival, whatever it waited behind", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      world.away = true
      deliver(mailbox, start(100), answers)
      deliver(mailbox, start(200), answers)
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(answers, [])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(
        answers.map((answer) => answer._tag),
        ["Refused", "Refused"]
      )
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("answers within ten seconds although a commit hangs, and stores a repeated message once", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      const hold = (world.hold = [] as Array<() => void>)
      deliver(mailbox, start(100), answers)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(
        answers.map((answer) => (answer._tag === "Refused" ? answer.reason : answer._tag)),
        ["InternalError"]
      )
      deliver(mailbox, start(100), answers)
      yield* TestClock.adjust("5 seconds")
      world.hold = undefined
      for (const release of hold) release()
      yield* settle
      assert.deepStrictEqual(
        answers.map((answer) => answer._tag),
        ["Refused", "StartAnswered"]
      )
      assert.strictEqual(world.facts.filter(({ type }) => type === "SessionStarted").length, 1)
      const [fact] = world.facts
      const [, answer] = answers
      if (answer?._tag !== "StartAnswered" || fact?.type !== "SessionStarted") return assert.fail("no start")
      assert.strictEqual(answer.transactionId, fact.body.transactionId)
      assert.deepStrictEqual(world.hold, undefined)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("answers within ten seconds altogether if first a query and then the commit waits", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      world.away = true
      world.hold = []
      deliver(mailbox, start(100), answers)
      deliver(mailbox, data("behind it"), answers)
      yield* TestClock.adjust("8 seconds")
      world.away = false
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(world.hold.length, 1)
      assert.deepStrictEqual(
        answers.map((answer) => answer._tag),
        ["Refused", "Refused"]
      )
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("does not start messages that it has already refused, so that a long wait leaves no work behind", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      const hold = (world.hold = [] as Array<() => void>)
      for (const text of ["begun", "refused", "refused too"]) deliver(mailbox, data(text), answers)
      yield* TestClock.adjust("15 seconds")
      deliver(mailbox, data("after"), answers)
      world.hold = undefined
      for (const release of hold) release()
      yield* settle
      assert.deepStrictEqual(
        answers.map((answer) => answer._tag),
        ["Refused", "Refused", "Refused", "DataAnswered"]
      )
      const stored = world.facts.map(({ body }) => ("data" in body ? body.data : ""))
      assert.deepStrictEqual(stored, ["begun", "after"])
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("stores a transaction message as an orphan if its facts cannot be stored, and answers it", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      world.failures.push({ error: new FactRefused({ message: "odd" }), stored: false })
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.strictEqual(answers[0]?._tag, "StartAnswered")
      assert.deepStrictEqual(
        world.facts.map((f) => f.type),
        ["OrphanRecorded"]
      )
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("stores readings as an orphan if their facts cannot be stored, and does not retry them", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      world.failures.push({ error: new FactRefused({ message: "odd" }), stored: false })
      deliver(mailbox, metered(undefined, [reading(at(minute(1)), energy(100))]), answers)
      yield* settle
      assert.strictEqual(answers[0]?._tag, "Acknowledged")
      assert.deepStrictEqual(
        world.facts.map((f) => f.type),
        ["OrphanRecorded"]
      )
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("decides a start again if another start took its reservation's session first", () => {
    const world = makeWorld()
    const reservation = {
      commandId: "01990000-0000-7000-8000-0000000000aa",
      reservationId: 7,
      evseId: 0,
      tokenUid: "CARD",
      parentUid: undefined,
      expiresAt: Date.UTC(2100, 0, 1),
      status: "Active" as const,
      sessionId: "01990000-0000-7000-8000-0000000000aa",
      createdAt: Date.UTC(2026, 0, 1)
    }
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      world.failures.push({ error: new FactRefused({ message: "taken" }), stored: false })
      world.reservations.push([reservation])
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.strictEqual(answers[0]?._tag, "StartAnswered")
      const [fact, ...others] = world.facts
      assert.deepStrictEqual(others, [])
      if (fact?.type !== "SessionStarted") return assert.fail("the start is stored as a start")
      assert.notStrictEqual(fact.body.sessionId, reservation.sessionId)
      assert.isUndefined(fact.body.reserved)
      // No other start competes with the next one: it goes on under the reservation's id.
      world.reservations.push([reservation])
      deliver(mailbox, start(200), answers)
      yield* settle
      assert.deepInclude(world.facts[1]?.body, { sessionId: reservation.sessionId, reserved: true })
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("ends alone after a defect: its socket closes with 1011, and another charger is not affected", () => {
    const world = makeWorld()
    const actors = actorsOn(world, (state, input, now, ids) => {
      if (input._tag === "Event" && input.event._tag === "DataReceived") throw new Error("boom")
      return decide(state, input, now, ids)
    })
    return Effect.gen(function* () {
      const a = yield* connect("A")
      const b = yield* connect("B")
      yield* settle
      deliver(a.mailbox, data("x"), a.answers)
      yield* settle
      assert.strictEqual(a.line.closes[0]?.[0], 1011)
      assert.deepInclude(world.closings[0], { chargerId: "A", reason: "internal error" })
      deliver(b.mailbox, start(5), b.answers)
      yield* settle
      assert.strictEqual(b.answers[0]?._tag, "StartAnswered")
      assert.deepStrictEqual(b.line.closes, [])
    }).pipe(Effect.provide(Layer.merge(actors, Logger.layer([]))))
  })

  it.effect("ends after a defect that follows the commit, too", () => {
    const world = makeWorld()
    const actors = actorsOn(world, decide, (state, facts, outcome) => {
      if (facts.some(({ type }) => type === "DataTransferred")) throw new Error("boom")
      return evolve(state, facts, outcome)
    })
    return Effect.gen(function* () {
      const { answers, line, mailbox } = yield* connect("A")
      yield* settle
      deliver(mailbox, data("x"), answers)
      deliver(mailbox, heartbeat, answers)
      yield* settle
      assert.strictEqual(line.closes[0]?.[0], 1011)
      assert.deepInclude(world.closings[0], { chargerId: "A", reason: "internal error" })
      assert.deepStrictEqual(answers, [])
    }).pipe(Effect.provide(Layer.merge(actors, Logger.layer([]))))
  })

  it.effect("commits one message after the other, and answers in their order", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      world.hold = []
      deliver(mailbox, data("one"), answers)
      deliver(mailbox, heartbeat, answers)
      // A message that needs a query is decided by the fiber, and the others wait for it as well.
      deliver(mailbox, start(100), answers)
      deliver(mailbox, data("two"), answers)
      for (let commits = 1; commits <= 3; commits++) {
        yield* settle
        assert.strictEqual(world.hold.length, commits)
        world.hold[commits - 1]!()
      }
      yield* settle
      assert.deepStrictEqual(
        answers.map(({ _tag }) => _tag),
        ["DataAnswered", "HeartbeatAnswered", "StartAnswered", "DataAnswered"]
      )
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("completes a running commit when its connection ends, and then stores the end", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* settle
      world.hold = []
      deliver(mailbox, data("one"), answers)
      mailbox.closed("gone")
      yield* settle
      assert.deepStrictEqual([world.facts, world.closings], [[], []])
      world.hold[0]!()
      yield* settle
      assert.strictEqual(world.facts[0]?.type, "DataTransferred")
      assert.deepInclude(world.closings[0], { chargerId: "A", reason: "gone" })
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("loads its state again after a commit in doubt, even if its charger was answered long before", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, line, mailbox } = yield* connect("A")
      yield* settle
      world.hold = []
      world.failures.push({ error: unknown, stored: false })
      deliver(mailbox, data("one"), answers)
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(answers[0]?._tag, "Refused")
      world.hold[0]!()
      yield* settle
      // The load shows it: the charger no longer exists.
      world.removed.add("A")
      deliver(mailbox, data("two"), answers)
      yield* settle
      assert.strictEqual(line.closes[0]?.[0], 1008)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("pauses its socket while too much waits, and resumes it", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, line, mailbox } = yield* connect("A")
      yield* settle
      world.hold = []
      for (let i = 0; i < 6; i++) deliver(mailbox, data(String(i)), answers)
      yield* settle
      assert.deepStrictEqual(line.log, ["pause"])
      const held = world.hold
      world.hold = undefined
      for (const release of held) release()
      yield* settle
      assert.deepStrictEqual(line.log, ["pause", "resume"])
      assert.strictEqual(answers.length, 6)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("closes the socket of a removed charger", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, line, mailbox } = yield* connect("A")
      world.removed.add("A")
      world.failures.push({ error: unknown, stored: false })
      deliver(mailbox, start(100), answers)
      yield* settle
      assert.strictEqual(line.closes[0]?.[0], 1008)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("triggers a heartbeat from a silent charger, and closes nothing", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { line, mailbox } = yield* connect("A")
      mailbox.doubted()
      yield* Effect.andThen(settle, Effect.andThen(TestClock.adjust(1), settle))
      assert.deepStrictEqual(
        line.calls.map(([, command]) => command),
        [{ _tag: "TriggerMessage", requestedMessage: "Heartbeat" }]
      )
      assert.deepStrictEqual(line.closes, [])
    }).pipe(Effect.provide(actorsOn(world)))
  })
})
