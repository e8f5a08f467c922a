import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import { decide } from "../../src/domain/charger/Decide.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { FactRefused, StorageUnavailable } from "../../src/domain/Errors.ts"
import { ChargerInbox } from "../../src/domain/ports/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/ports/ChargerLink.ts"
import { actorsOn, deliver, fakeLine, makeWorld, opening } from "../support/actorWorld.ts"

const start = (meterStartWh: number): ChargerEvent => ({
  _tag: "TransactionStarted",
  place: { evseId: 1, connectorId: 1 },
  tokenUid: "CARD",
  time: { at: Date.UTC(2026, 0, 1), raw: "2026-01-01T00:00:00Z" },
  meterStartWh,
  reservationId: undefined
})
const heartbeat: ChargerEvent = { _tag: "HeartbeatReceived" }
const data = (text: string): ChargerEvent => ({ _tag: "DataReceived", vendorId: "V", messageId: undefined, data: text })

/** Lets every fiber go on until it waits. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

const connect = (chargerId: string, profile: 0 | 1 = 1) =>
  Effect.gen(function* () {
    const inbox = yield* ChargerInbox
    const admission = yield* inbox.admit(opening(chargerId, profile))
    if (admission._tag !== "Admitted") return assert.fail(`not admitted: ${admission._tag}`)
    const line = fakeLine()
    return { line, mailbox: admission.attach(line), answers: [] as Array<Reply> }
  })

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

  it.effect("answers a heartbeat in its turn while nothing waits, and behind what waits otherwise", () => {
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

  it.effect("answers what it records no more of today, over all connections of its charger", () => {
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
  })

  it.effect("finds by its business key that a commit in doubt has happened, and answers what stands", () => {
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

  it.effect("waits for what it must know while the database is away for a moment", () => {
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

  it.effect("counts a message's patience from its arrival, whatever it waited behind", () => {
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

  it.effect("answers within ten seconds although a commit hangs, and stores what is repeated once", () => {
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

  it.effect("answers within ten seconds in all where a question waited first and then its commit", () => {
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

  it.effect("does not begin with what it has refused already, so that a long wait leaves no work behind", () => {
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

  it.effect("keeps a transaction message raw whose facts cannot be stored, and answers it", () => {
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

  it.effect("decides a start anew whose reservation's session another start was quicker to take", () => {
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
      // Nobody else is in the way of the next one: it goes on under the reservation's id.
      world.reservations.push([reservation])
      deliver(mailbox, start(200), answers)
      yield* settle
      assert.deepInclude(world.facts[1]?.body, { sessionId: reservation.sessionId, reserved: true })
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("ends alone by a defect: its socket closes with 1011, its neighbour does not notice", () => {
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

  it.effect("closes the socket of a charger that was removed", () => {
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

  it.effect("asks a charger of which nothing is heard for a heartbeat, and closes nothing", () => {
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

describe("admission", () => {
  it.effect("lets the newest authenticated connection win, once the old one's last commit has ended", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const old = yield* connect("A")
      world.hold = []
      deliver(old.mailbox, start(100), old.answers)
      yield* settle
      const second = yield* Effect.forkChild(inbox.admit(opening("A")))
      yield* settle
      assert.strictEqual(old.line.closes[0]?.[0], 4001)
      assert.strictEqual(world.epochs.get("A"), 1, "the new epoch waits for the old commit")
      world.hold[0]!()
      world.hold = undefined
      const admission = yield* Fiber.join(second)
      assert.strictEqual(admission._tag, "Admitted")
      assert.strictEqual(world.epochs.get("A"), 2)
      assert.strictEqual(world.facts.length, 1)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("on profile 0 keeps an old connection that answers a ping, and replaces one that does not", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const old = yield* connect("A", 0)
      assert.strictEqual((yield* inbox.admit(opening("A", 0)))._tag, "Taken")
      assert.deepStrictEqual(old.line.closes, [])
      old.line.alive = false
      assert.strictEqual((yield* inbox.admit(opening("A", 0)))._tag, "Admitted")
      assert.strictEqual(old.line.closes[0]?.[0], 4001)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("lets a late close of an old connection touch nothing", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const link = yield* ChargerLink
      const old = yield* connect("A")
      const now = yield* connect("A")
      old.mailbox.closed("late")
      yield* settle
      assert.strictEqual(link.connectedCount(), 1)
      assert.strictEqual(world.closings.filter((c) => c.epoch === 2).length, 0)
      deliver(now.mailbox, start(1), now.answers)
      yield* settle
      assert.strictEqual(now.answers.length, 1)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("gives the place to the newest when two handshakes of one charger overlap", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const first = yield* inbox.admit(opening("A"))
      const second = yield* inbox.admit(opening("A"))
      if (first._tag !== "Admitted" || second._tag !== "Admitted") return assert.fail("not admitted")
      const late = fakeLine()
      const newest = fakeLine()
      second.attach(newest)
      first.attach(late)
      assert.strictEqual(late.closes.length, 1)
      assert.deepStrictEqual(newest.closes, [])
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("leaves no second socket alive when one attaches while the next is being admitted", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const link = yield* ChargerLink
      const first = yield* inbox.admit(opening("A"))
      const admitting = yield* Effect.forkChild(inbox.admit(opening("A")), { startImmediately: true })
      if (first._tag !== "Admitted") return assert.fail("not admitted")
      const late = fakeLine()
      const newest = fakeLine()
      first.attach(late)
      const second = yield* Fiber.join(admitting)
      if (second._tag !== "Admitted") return assert.fail("not admitted")
      second.attach(newest)
      yield* settle
      assert.strictEqual(late.closes.length, 1)
      assert.deepStrictEqual(newest.closes, [])
      assert.strictEqual(link.connectedCount(), 1)
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect(
    "keeps an unproven admission whose socket is on its way from being replaced by another unproven one",
    () => {
      const world = makeWorld()
      return Effect.gen(function* () {
        const inbox = yield* ChargerInbox
        yield* inbox.admit(opening("A", 0))
        assert.strictEqual((yield* inbox.admit(opening("A", 0)))._tag, "Taken")
      }).pipe(Effect.provide(actorsOn(world)))
    }
  )

  it.effect("leaves the newest its place when an older admission is abandoned", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const first = yield* inbox.admit(opening("A"))
      const second = yield* inbox.admit(opening("A"))
      if (first._tag !== "Admitted" || second._tag !== "Admitted") return assert.fail("not admitted")
      yield* first.abandon
      const newest = fakeLine()
      second.attach(newest)
      assert.deepStrictEqual(newest.closes, [])
      assert.deepStrictEqual(world.closings, [])
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("gives the epoch back when the handshake is not finished", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const admission = yield* inbox.admit(opening("A"))
      if (admission._tag !== "Admitted") return assert.fail("not admitted")
      yield* admission.abandon
      assert.deepInclude(world.closings[0], { chargerId: "A", epoch: 1 })
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("keeps exactly one owner over random connects and closes", () => {
    const world = makeWorld()
    const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
    console.log(`admission: seed ${seed}`)
    let x = seed | 1
    const random = (n: number) => {
      x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) ^ (x << 7)
      return Math.abs(x) % n
    }
    return Effect.gen(function* () {
      const link = yield* ChargerLink
      const sockets: Array<Effect.Success<ReturnType<typeof connect>>> = []
      for (let i = 0; i < 2000; i++) {
        if (random(2) === 0) sockets.push(yield* connect("A"))
        else if (sockets.length > 1) {
          // Any socket but the newest closes late.
          sockets.splice(random(sockets.length - 1), 1)[0]?.mailbox.closed("late")
        }
        if (i % 50 === 0) yield* settle
        if (sockets.length > 0) assert.strictEqual(link.connectedCount(), 1)
      }
    }).pipe(Effect.provide(actorsOn(world)))
  })
})

describe("draining", () => {
  it.effect("answers what was taken, closes with 1012 and admits nobody any more", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const a = yield* connect("A")
      yield* connect("B")
      yield* settle
      world.hold = []
      deliver(a.mailbox, start(100), a.answers)
      yield* settle
      const draining = yield* Effect.forkChild(inbox.drain)
      yield* settle
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(a.line.closes, [])
      assert.strictEqual((yield* inbox.admit(opening("C")))._tag, "Unavailable")
      world.hold[0]!()
      world.hold = undefined
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(draining)
      assert.strictEqual(a.answers[0]?._tag, "StartAnswered")
      assert.strictEqual(a.line.closes[0]?.[0], 1012)
      assert.deepStrictEqual(world.closings.map((c) => c.chargerId).sort(), ["A", "B"])
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect(
    "closes the others in their turn while one waits for the database, and whoever comes in late at once",
    () => {
      const world = makeWorld()
      return Effect.gen(function* () {
        const inbox = yield* ChargerInbox
        const a = yield* connect("A")
        const others = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, n) => `B${n}`),
          (id) => connect(id)
        )
        const late = yield* inbox.admit(opening("C"))
        if (late._tag !== "Admitted") return assert.fail("not admitted")
        yield* settle
        world.hold = []
        deliver(a.mailbox, start(100), a.answers)
        yield* settle
        yield* Effect.forkChild(inbox.drain)
        yield* settle
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(a.line.closes, [])
        assert.deepStrictEqual(
          others.map(({ line }) => line.closes[0]?.[0]),
          others.map(() => 1012)
        )
        const line = fakeLine()
        late.attach(line)
        yield* settle
        assert.strictEqual(line.closes[0]?.[0], 1012)
        assert.isTrue(world.closings.some(({ chargerId }) => chargerId === "C"))
      }).pipe(Effect.provide(actorsOn(world)))
    }
  )
})
