/** The end of a connection: its time is decided once, where it is noticed, and is the same in storage and in memory, however long storing takes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import { actorsOn, deliver, fakeLine, makeWorld, opening, settle } from "../support/actorWorld.ts"
import { started } from "../support/events.ts"

const connect = (chargerId: string) =>
  Effect.gen(function* () {
    const admission = yield* (yield* ChargerInbox).admit(opening(chargerId))
    if (admission._tag !== "Admitted") return assert.fail(`not admitted: ${admission._tag}`)
    const line = fakeLine()
    const mailbox = admission.attach(line)
    yield* settle
    return { line, mailbox, answers: [] as Array<Reply> }
  })

/** Lets time pass for everything that waits for it. */
const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)

type World = ReturnType<typeof makeWorld>

/** The times at which a world's connections ended, in storage and in memory. */
const times = (world: World) => ({ stored: world.closings.map(({ at }) => at), shown: world.ends.map(({ at }) => at) })

describe("the end of a connection", () => {
  it.effect("has the time when the socket closed, however long its last message takes to be stored", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      world.hold = []
      deliver(mailbox, started(), answers)
      yield* pass(1000)
      mailbox.closed("the line broke off")
      yield* pass(163)
      const [release] = world.hold
      world.hold = undefined
      release!()
      yield* settle
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
      assert.deepStrictEqual([world.closings[0]?.reason, world.ends[0]?.reason], Array(2).fill("the line broke off"))
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("is in memory before it is stored, with the same time, and removed from memory only after that", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { mailbox } = yield* connect("A")
      world.holdEnds = []
      yield* pass(1000)
      mailbox.closed("bye")
      yield* pass(500)
      assert.deepStrictEqual(times(world), { stored: [], shown: [1000] })
      assert.deepStrictEqual(world.presence, ["+A", "-A"])
      world.holdEnds[0]!()
      yield* settle
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
      assert.deepStrictEqual(world.presence, ["+A", "-A", ".A"])
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("has the time of its replacement by a newer connection, and is stored before that one", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const old = yield* connect("A")
      yield* pass(1000)
      world.hold = []
      deliver(old.mailbox, started(), old.answers)
      yield* settle
      world.holdEnds = []
      const newer = yield* Effect.forkChild(inbox.admit(opening("A")))
      yield* pass(70)
      world.hold[0]!()
      yield* pass(70)
      // The close of its socket comes later.
      old.mailbox.closed("late")
      assert.deepStrictEqual([world.epochs.get("A"), times(world)], [1, { stored: [], shown: [1000] }])
      world.holdEnds[0]!()
      assert.strictEqual((yield* Fiber.join(newer))._tag, "Admitted")
      assert.strictEqual(world.epochs.get("A"), 2)
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
      assert.strictEqual(world.closings[0]?.reason, "replaced by a newer connection")
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("is stored before a newer connection if it closed by itself a moment before", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const old = yield* connect("A")
      world.holdEnds = []
      yield* pass(1000)
      old.mailbox.closed("bye")
      yield* settle
      const newer = yield* Effect.forkChild(inbox.admit(opening("A")))
      yield* pass(70)
      assert.strictEqual(world.epochs.get("A"), 1)
      world.holdEnds[0]!()
      assert.strictEqual((yield* Fiber.join(newer))._tag, "Admitted")
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("has the time of the defect that ended it", () => {
    const world = makeWorld()
    const actors = actorsOn(world, (state, input, now, ids) => {
      if (input._tag === "Event" && input.event._tag === "TransactionStarted") throw new Error("boom")
      return decide(state, input, now, ids)
    })
    return Effect.gen(function* () {
      const { answers, mailbox } = yield* connect("A")
      yield* pass(1000)
      world.holdEnds = []
      deliver(mailbox, started(), answers)
      yield* pass(70)
      mailbox.closed("late")
      world.holdEnds[0]!()
      yield* settle
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
      assert.strictEqual(world.closings[0]?.reason, "internal error")
    }).pipe(Effect.provide(Layer.merge(actors, Logger.layer([]))))
  })

  it.effect("has the time when the service closed it to stop, and is stored before the service stops", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      yield* connect("A")
      yield* pass(1000)
      world.holdEnds = []
      const draining = yield* Effect.forkChild((yield* ChargerInbox).drain)
      yield* pass(500)
      assert.isUndefined(draining.pollUnsafe())
      world.holdEnds[0]!()
      yield* Fiber.join(draining)
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("keeps its time while the database is away, and is stored when that is back", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { mailbox } = yield* connect("A")
      yield* pass(1000)
      world.away = true
      mailbox.closed("bye")
      yield* pass(60_000)
      assert.deepStrictEqual(times(world), { stored: [], shown: [1000] })
      world.away = false
      yield* pass(2000)
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
      yield* pass(60_000)
      assert.lengthOf(world.closings, 1)
    }).pipe(Effect.provide(Layer.merge(actorsOn(world), Logger.layer([]))))
  })

  it.effect("is stored before a newer connection even if the database was away", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const { mailbox } = yield* connect("A")
      yield* pass(1000)
      world.away = true
      mailbox.closed("bye")
      yield* pass(100)
      assert.strictEqual((yield* inbox.admit(opening("A")))._tag, "Unavailable")
      world.away = false
      assert.strictEqual((yield* inbox.admit(opening("A")))._tag, "Admitted")
      assert.deepStrictEqual(times(world), { stored: [1000], shown: [1000] })
      assert.strictEqual(world.epochs.get("A"), 2)
    }).pipe(Effect.provide(Layer.merge(actorsOn(world), Logger.layer([]))))
  })
})
