/** Every command × every possible outcome, through the charger's actor: each ends once, in the state that the table says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { CommandResult } from "../../src/domain/command/ChargerCommand.ts"
import { commandTypes } from "../../src/domain/command/Kinds.ts"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import { actorsOn, fakeLine, makeWorld, opening, type World, settle } from "../support/actorWorld.ts"
import { everyCommand } from "../support/everyCommand.ts"

const connect = Effect.gen(function* () {
  const admission = yield* (yield* ChargerInbox).admit(opening("CP-1"))
  if (admission._tag !== "Admitted") return assert.fail(admission._tag)
  const line = fakeLine()
  return { line, mailbox: admission.attach(line) }
})

type Connection = Effect.Success<typeof connect>

interface Story {
  readonly name: string
  /** For how many seconds it may wait for a connection. */
  readonly expires?: number
  readonly connected?: false
  readonly happens: (
    world: World,
    connection: Connection
  ) => Effect.Effect<void, never, ChargerInbox | ChargerLink | Scope.Scope>
  readonly status: string
  readonly errorCode?: string
  readonly sent: number
}

const answer = ({ line, mailbox }: Connection, result: CommandResult) =>
  Effect.andThen(
    Effect.sync(() => mailbox.answered(line.calls[0]?.[0] ?? "", () => result)),
    settle
  )
const accepted: CommandResult = {
  _tag: "Answered",
  status: "Accepted",
  answer: { status: "Accepted" },
  content: undefined
}
const cut = ({ mailbox }: Connection) =>
  Effect.andThen(
    Effect.sync(() => mailbox.closed("cut")),
    settle
  )

const stories: ReadonlyArray<Story> = [
  {
    name: "a CALLERROR",
    happens: (_, connection) => answer(connection, { _tag: "CallError", code: "NotImplemented", description: "" }),
    status: "Failed",
    errorCode: "NotImplemented",
    sent: 1
  },
  {
    name: "an answer that cannot be read",
    happens: (_, connection) => answer(connection, { _tag: "Unreadable", problem: "?", answer: [] }),
    status: "Failed",
    errorCode: "UnreadableAnswer",
    sent: 1
  },
  {
    name: "no answer",
    happens: () => TestClock.adjust("60 seconds"),
    status: "TimedOut",
    errorCode: "Timeout",
    sent: 1
  },
  {
    name: "a late answer",
    happens: (_, connection) =>
      Effect.andThen(Effect.andThen(TestClock.adjust("60 seconds"), settle), answer(connection, accepted)),
    status: "TimedOut",
    errorCode: "Timeout",
    sent: 1
  },
  {
    name: "a charger that is not connected",
    connected: false,
    happens: () => Effect.void,
    status: "Failed",
    errorCode: "NotConnected",
    sent: 0
  },
  {
    name: "a charger that drops before it answers",
    happens: (_, connection) => cut(connection),
    status: "Failed",
    errorCode: "ConnectionLost",
    sent: 1
  },
  {
    name: "a charger that drops before it answers, comes back and answers then",
    happens: (_, connection) =>
      cut(connection).pipe(
        Effect.andThen(connect),
        Effect.andThen(settle),
        Effect.andThen(answer(connection, accepted))
      ),
    status: "Failed",
    errorCode: "ConnectionLost",
    sent: 1
  },
  {
    name: "a newer connection before the answer",
    happens: () => Effect.andThen(connect, settle),
    status: "Failed",
    errorCode: "ConnectionLost",
    sent: 1
  },
  {
    name: "a charger that drops after its answer",
    happens: (_, connection) => Effect.andThen(answer(connection, accepted), cut(connection)),
    status: "Accepted",
    sent: 1
  },
  {
    name: "its expiry, if the charger connects and answers only then",
    connected: false,
    expires: 600,
    happens: () =>
      Effect.gen(function* () {
        const connection = yield* connect
        yield* TestClock.adjust("1 hours")
        yield* settle
        yield* answer(connection, accepted)
      }).pipe(Effect.asVoid),
    status: "Expired",
    sent: 0
  }
]

const run = (type: (typeof commandTypes)[number], { connected, expires, happens }: Story) => {
  const world = makeWorld()
  return Effect.gen(function* () {
    const connection = connected === false ? undefined : yield* connect
    const row = world.commands.issue(
      "c-1",
      "CP-1",
      everyCommand[type].command,
      expires === undefined ? undefined : expires * 1000
    )
    yield* (yield* ChargerLink).wake("CP-1")
    yield* settle
    yield* happens(
      world,
      connection ?? {
        line: fakeLine(),
        mailbox: { deliver: () => {}, answered: () => false, doubted: () => {}, closed: () => {} }
      }
    )
    yield* settle
    world.commands.expire(Number.MAX_SAFE_INTEGER)
    return {
      row,
      sent: connection?.line.calls.length ?? 0,
      facts: world.facts.filter((fact) => fact.type === "CommandAnswered").length
    }
  }).pipe(Effect.provide(actorsOn(world)))
}

describe("the state of each command", () => {
  for (const story of stories) {
    it.effect(`is ${story.status} after ${story.name}`, () =>
      Effect.forEach(
        commandTypes,
        (type) =>
          Effect.gen(function* () {
            const { facts, row, sent } = yield* Effect.scoped(run(type, story))
            assert.strictEqual(row.status, story.status, type)
            assert.strictEqual(sent, story.sent, type)
            assert.isAtMost(facts, 1, type)
            if (story.errorCode !== undefined) assert.deepInclude(row.result, { errorCode: story.errorCode }, type)
          }),
        { discard: true }
      )
    )
  }

  const yes = new Set(["Accepted", "AcceptedCanceled", "Unlocked", "Scheduled", "RebootRequired"])
  it.effect("follows from the charger's status, for every status that its answer may have", () =>
    Effect.forEach(
      commandTypes,
      (type) =>
        Effect.forEach(
          everyCommand[type].words.length === 0 ? [undefined] : everyCommand[type].words,
          (word) =>
            Effect.gen(function* () {
              const payload = word === undefined ? { some: "answer" } : { status: word, more: true }
              const result: CommandResult = { _tag: "Answered", status: word, answer: payload, content: undefined }
              const happens: Story["happens"] = (_, connection) => answer(connection, result)
              const { row } = yield* Effect.scoped(run(type, { name: "", happens, status: "", sent: 1 }))
              assert.strictEqual(
                row.status,
                word === undefined || yes.has(word) ? "Accepted" : "Rejected",
                `${type} ${word}`
              )
              assert.deepStrictEqual(row.result, payload)
            }),
          { discard: true }
        ),
      { discard: true }
    )
  )
})
