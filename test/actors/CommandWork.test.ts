/** How often a charger's actor looks for commands: once for each, and once when it is woken for nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import { actorsOn, fakeLine, makeWorld, opening, settle } from "../support/actorWorld.ts"
import { everyCommand } from "../support/everyCommand.ts"

describe("the commands that wait for a charger", () => {
  it.effect("are looked for once each where nothing wakes the actor, and all of them are sent", () => {
    const world = makeWorld()
    let looks = 0
    const { take } = world.commands
    world.commands.take = (...asked) => {
      looks++
      return take.apply(world.commands, asked)
    }
    return Effect.gen(function* () {
      const admission = yield* (yield* ChargerInbox).admit(opening("CP-1"))
      if (admission._tag !== "Admitted") return assert.fail(admission._tag)
      const line = fakeLine()
      const mailbox = admission.attach(line)
      const { wake } = yield* ChargerLink
      yield* settle
      yield* TestClock.adjust("1 minute")
      yield* settle
      const before = looks
      const answers = Effect.gen(function* () {
        const [messageId] = line.calls.at(-1)!
        mailbox.answered(messageId, () => ({
          _tag: "Answered",
          status: "Accepted",
          answer: { status: "Accepted" },
          content: undefined
        }))
        yield* settle
      })
      const called = line.calls.length
      for (const id of ["c-1", "c-2", "c-3"]) world.commands.issue(id, "CP-1", everyCommand.Reset.command, undefined)
      yield* wake("CP-1")
      yield* settle
      for (let n = 0; n < 3; n++) yield* answers
      assert.deepStrictEqual([looks - before, line.calls.length - called], [3, 3])
      // One that is issued while another is being answered is found by the word of it.
      world.commands.issue("c-4", "CP-1", everyCommand.Reset.command, undefined)
      yield* wake("CP-1")
      yield* settle
      world.commands.issue("c-5", "CP-1", everyCommand.Reset.command, undefined)
      yield* wake("CP-1")
      yield* answers
      yield* answers
      assert.deepStrictEqual([looks - before, line.calls.length - called], [5, 5])
      assert.deepStrictEqual(
        world.commands.rows.map(({ status }) => status),
        ["Accepted", "Accepted", "Accepted", "Accepted", "Accepted"]
      )
    }).pipe(Effect.provide(actorsOn(world)), Effect.scoped)
  })
})
