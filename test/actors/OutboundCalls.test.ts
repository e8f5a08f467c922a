import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { OutboundCalls } from "../../src/actors/OutboundCalls.ts"
import type { ChargerCommand, CommandResult } from "../../src/domain/command/ChargerCommand.ts"

const command = (key: string): ChargerCommand => ({ _tag: "GetConfiguration", keys: [key] })
const accepted: CommandResult = {
  _tag: "Answered",
  status: "Accepted",
  answer: { status: "Accepted" },
  content: undefined
}

const make = (maxWaiting = 10) => {
  const sent: Array<readonly [string, ChargerCommand]> = []
  let n = 0
  const calls = new OutboundCalls({
    services: { options: { maxWaiting } },
    callTimeoutMillis: 60_000,
    uuid: () => `m${++n}`,
    line: { call: (id, c) => void sent.push([id, c]) }
  })
  return { calls, sent }
}

describe("our calls to a charger", () => {
  it.effect("go out one at a time, in order", () =>
    Effect.gen(function* () {
      const { calls, sent } = make()
      const first = yield* Effect.forkChild(calls.send(command("a")))
      const second = yield* Effect.forkChild(calls.send(command("b")))
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        sent.map(([id]) => id),
        ["m1"]
      )
      assert.isTrue(calls.answered("m1", () => accepted))
      assert.deepStrictEqual(yield* Fiber.join(first), accepted)
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        sent.map(([, c]) => c),
        [command("a"), command("b")]
      )
      calls.answered("m2", () => ({ _tag: "CallError", code: "NotSupported", description: "" }))
      assert.strictEqual((yield* Fiber.join(second))._tag, "CallError")
    })
  )

  it.effect("time out after a minute without an answer, and the next one is sent", () =>
    Effect.gen(function* () {
      const { calls, sent } = make()
      const first = yield* Effect.forkChild(calls.send(command("a")))
      const second = yield* Effect.forkChild(calls.send(command("b")))
      yield* Effect.yieldNow
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(sent.length, 1)
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(yield* Fiber.join(first), { _tag: "TimedOut" })
      yield* Effect.yieldNow
      assert.strictEqual(sent.length, 2)
      calls.answered("m2", () => accepted)
      assert.deepStrictEqual(yield* Fiber.join(second), accepted)
    })
  )

  it.effect("wait ten seconds for a call that no one issued, whose answer still counts", () =>
    Effect.gen(function* () {
      const { calls, sent } = make()
      const issued = { id: "c-1", command: command("issued"), hasNext: false }
      const first = yield* Effect.forkChild(calls.send(command("a")))
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(calls.sendNext(Effect.succeed(issued)))
      const third = yield* Effect.forkChild(calls.send(command("b")))
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(sent.length, 1)
      assert.isFalse(calls.isFree)
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(sent[1]?.[1], issued.command)
      calls.answered("m2", () => accepted)
      assert.deepStrictEqual((yield* Fiber.join(second))?.result, accepted)
      yield* TestClock.adjust("40 seconds")
      // Such calls still wait for each other.
      assert.strictEqual(sent.length, 2)
      assert.isTrue(calls.answered("m1", () => accepted))
      assert.deepStrictEqual(yield* Fiber.join(first), accepted)
      yield* Effect.yieldNow
      assert.deepStrictEqual(sent[2]?.[1], command("b"))
      calls.end()
      assert.deepStrictEqual(yield* Fiber.join(third), { _tag: "ConnectionLost" })
    })
  )

  it.effect("that are overdue end with the connection, and leave the line free until then", () =>
    Effect.gen(function* () {
      const { calls } = make()
      const first = yield* Effect.forkChild(calls.send(command("a")))
      yield* Effect.yieldNow
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(calls.isFree)
      calls.end()
      assert.deepStrictEqual(yield* Fiber.join(first), { _tag: "ConnectionLost" })
      assert.isFalse(calls.answered("m1", () => accepted))
    })
  )

  it.effect("accept no answer that is late, guessed or for another call", () =>
    Effect.gen(function* () {
      const { calls } = make()
      let read = 0
      const reading = () => {
        read++
        return accepted
      }
      assert.isFalse(calls.answered("m1", reading))
      const first = yield* Effect.forkChild(calls.send(command("a")))
      yield* Effect.yieldNow
      for (let i = 0; i < 1000; i++) assert.isFalse(calls.answered(`guess-${i}`, reading))
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* Fiber.join(first), { _tag: "TimedOut" })
      assert.isFalse(calls.answered("m1", reading))
      assert.strictEqual(read, 0)
    })
  )

  it.effect("all end when the connection is lost", () =>
    Effect.gen(function* () {
      const { calls, sent } = make()
      const all = yield* Effect.forkChild(
        Effect.all([calls.send(command("a")), calls.send(command("b"))], { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow
      calls.end()
      assert.deepStrictEqual(yield* Fiber.join(all), [{ _tag: "ConnectionLost" }, { _tag: "ConnectionLost" }])
      assert.strictEqual(sent.length, 1)
      assert.deepStrictEqual(yield* calls.send(command("c")), { _tag: "ConnectionLost" })
    })
  )

  it.effect("are refused if too many are waiting", () =>
    Effect.gen(function* () {
      const { calls } = make(2)
      yield* Effect.forkChild(calls.send(command("a")))
      yield* Effect.forkChild(calls.send(command("b")))
      yield* Effect.yieldNow
      const third = yield* calls.send(command("c"))
      assert.strictEqual(third._tag, "Crowded")
    })
  )
})
