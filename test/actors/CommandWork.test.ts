/**
 * How often a charger's actor looks for commands: once for each, and once when it is woken and finds none; and commands that it does not need to look
 * for.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import { actorsOn, fakeLine, makeWorld, opening, organisationId, settle } from "../support/actorWorld.ts"
import { everyCommand } from "../support/everyCommand.ts"

/** A connected charger, and how it accepts its last call. */
const connected = Effect.gen(function* () {
  const admission = yield* (yield* ChargerInbox).admit(opening("CP-1"))
  if (admission._tag !== "Admitted") return assert.fail(admission._tag)
  const line = fakeLine()
  const mailbox = admission.attach(line)
  const answer = Effect.gen(function* () {
    const [messageId] = line.calls.at(-1)!
    mailbox.answered(messageId, () => ({
      _tag: "Answered",
      status: "Accepted",
      answer: { status: "Accepted" },
      content: undefined
    }))
    yield* settle
  })
  return { answer, line }
})

/** A world that counts how often the database is asked for a command. */
const countedWorld = () => {
  const world = makeWorld()
  const counted = { world, looks: 0 }
  const { take } = world.commands
  world.commands.take = (...asked) => {
    counted.looks++
    return take.apply(world.commands, asked)
  }
  return counted
}

describe("the commands that wait for a charger", () => {
  it.effect("are looked for once each, and all of them are sent", () => {
    const counted = countedWorld()
    const { world } = counted
    return Effect.gen(function* () {
      const { answer, line } = yield* connected
      const { wake } = yield* ChargerLink
      yield* settle
      yield* TestClock.adjust("1 minute")
      yield* settle
      const before = counted.looks
      const called = line.calls.length
      for (const id of ["c-1", "c-2", "c-3"]) world.commands.issue(id, "CP-1", everyCommand.Reset.command, undefined)
      yield* wake("CP-1")
      yield* settle
      for (let n = 0; n < 3; n++) yield* answer
      assert.deepStrictEqual([counted.looks - before, line.calls.length - called], [3, 3])
      // A command that is issued while another one is being answered is found because its issue wakes the actor.
      world.commands.issue("c-4", "CP-1", everyCommand.Reset.command, undefined)
      yield* wake("CP-1")
      yield* settle
      world.commands.issue("c-5", "CP-1", everyCommand.Reset.command, undefined)
      yield* wake("CP-1")
      yield* answer
      yield* answer
      assert.deepStrictEqual([counted.looks - before, line.calls.length - called], [5, 5])
      assert.deepStrictEqual(
        world.commands.rows.map(({ status }) => status),
        ["Accepted", "Accepted", "Accepted", "Accepted", "Accepted"]
      )
    }).pipe(Effect.provide(actorsOn(world)), Effect.scoped)
  })

  it.effect("are sent at once if no call is outstanding: stored as sent, and sent without looking for them", () => {
    const counted = countedWorld()
    const { world } = counted
    const { command } = everyCommand.ClearCache
    return Effect.gen(function* () {
      const { answer, line } = yield* connected
      const { sending, wake } = yield* ChargerLink
      yield* settle
      const epochs: Array<number | undefined> = []
      const issue = (id: string, millis: number) =>
        sending(organisationId, "CP-1", (epoch) =>
          Effect.gen(function* () {
            epochs.push(epoch)
            yield* Effect.sleep(millis)
            const { status } = world.commands.issue(id, "CP-1", command, undefined, epoch)
            return { result: status, sent: status === "Sent" ? { id, command } : undefined }
          })
        )
      const sent = () => line.calls.filter(([, { _tag }]) => _tag === "ClearCache").length
      yield* TestClock.adjust("1 minute")
      yield* settle
      const foreign = yield* sending("another organisation", "CP-1", (epoch) =>
        Effect.succeed({ result: epoch, sent: undefined })
      )
      assert.isUndefined(foreign)
      yield* settle
      const before = [counted.looks, sent()] as const
      const first = yield* Effect.forkChild(issue("c-1", 100))
      yield* settle
      // A command issued meanwhile waits for its turn, and so does one that another node announces.
      const second = yield* Effect.forkChild(issue("c-2", 200))
      yield* wake("CP-1")
      yield* settle
      assert.deepStrictEqual([counted.looks - before[0], sent() - before[1]], [0, 0])
      yield* TestClock.adjust(100)
      yield* settle
      assert.deepStrictEqual([counted.looks - before[0], sent() - before[1]], [0, 1])
      yield* TestClock.adjust(100)
      yield* settle
      assert.deepStrictEqual([counted.looks - before[0], sent() - before[1]], [0, 1])
      yield* answer
      assert.deepStrictEqual([counted.looks - before[0], sent() - before[1]], [1, 2])
      yield* answer
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["Sent", "Pending"])
      assert.deepStrictEqual(epochs, [1, undefined])
      assert.isTrue(world.commands.rows.every(({ status }) => status === "Accepted"))
    }).pipe(Effect.provide(actorsOn(world)), Effect.scoped)
  })

  it.effect("are sent even if their caller hangs up or the database's answer about storing them is lost", () => {
    const world = makeWorld()
    const { command } = everyCommand.ClearCache
    return Effect.gen(function* () {
      const { answer, line } = yield* connected
      const { sending } = yield* ChargerLink
      yield* TestClock.adjust("1 minute")
      yield* settle
      const before = line.calls.length
      const stores = (id: string, epoch: number | undefined) =>
        Effect.map(
          Effect.delay(
            Effect.sync(() => world.commands.issue(id, "CP-1", command, undefined, epoch)),
            20_000
          ),
          () => ({ result: undefined, sent: { id, command } })
        )
      const left = yield* Effect.forkChild(sending(organisationId, "CP-1", (epoch) => stores("c-1", epoch)))
      yield* settle
      yield* Effect.forkChild(Fiber.interrupt(left))
      yield* TestClock.adjust("20 seconds")
      yield* settle
      assert.strictEqual(line.calls.length - before, 1)
      yield* answer
      const lost = new StorageUnavailable({ reason: "unknown", message: "its answer was lost" })
      const storedLate = sending(organisationId, "CP-1", (epoch) =>
        Effect.andThen(Effect.forkDetach(stores("c-2", epoch)), lost)
      )
      assert.strictEqual(yield* Effect.flip(storedLate), lost)
      yield* TestClock.adjust("34 seconds")
      yield* settle
      assert.strictEqual(line.calls.length - before, 1)
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.strictEqual(line.calls.length - before, 2)
      yield* answer
      assert.deepStrictEqual(
        world.commands.rows.map(({ status }) => status),
        ["Accepted", "Accepted"]
      )
    }).pipe(Effect.provide(actorsOn(world)), Effect.scoped)
  })
})
