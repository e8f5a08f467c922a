/** Which socket is the charger's when several connect and close, and how the actors end with the service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import { actorsOn, connect, deliver, fakeLine, makeWorld, opening, settle, start } from "../support/actorWorld.ts"

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

  it.effect("ignores a late close of an old connection", () => {
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

  it.effect("prefers the newest when two handshakes of one charger overlap", () => {
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

  it.effect("keeps a profile 0 admission whose socket is still to come from being replaced by another one", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      yield* inbox.admit(opening("A", 0))
      assert.strictEqual((yield* inbox.admit(opening("A", 0)))._tag, "Taken")
    }).pipe(Effect.provide(actorsOn(world)))
  })

  it.effect("keeps the newest when an older admission is abandoned", () => {
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

  it.effect("closes the epoch when the handshake is not finished", () => {
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
          // Any socket except the newest closes late.
          sockets.splice(random(sockets.length - 1), 1)[0]?.mailbox.closed("late")
        }
        if (i % 50 === 0) yield* settle
        if (sockets.length > 0) assert.strictEqual(link.connectedCount(), 1)
      }
    }).pipe(Effect.provide(actorsOn(world)))
  })
})

describe("draining", () => {
  it.effect("answers received messages, closes with 1012 and admits no charger any more", () => {
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

  it.effect("closes the others while one waits for the database, and late ones at once", () => {
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
  })
})
