/**
 * Commands, answers, reconnects, timeouts and failures of the database in any order: no command is left hanging, none goes out twice, and
 * the charger never has more than one of our calls to answer. Each history's seed is printed when it fails.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { ChargerCommand, CommandResult } from "../../src/domain/command/ChargerCommand.ts"
import { isTerminal } from "../../src/domain/command/Command.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { ChargerInbox, type ChargerMailbox } from "../../src/domain/charger/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import {
  actorsOn,
  fakeLine,
  type FakeLine,
  makeWorld,
  opening,
  organisationId,
  type World,
  settle
} from "../support/actorWorld.ts"
import { Random } from "../support/random.ts"

const histories = process.env["PROPERTY"] === "full" ? 10_000 : 200
const stepsOfOne = 60
const firstSeed = Number(process.env["SEED"] ?? 1)

/** Each command is different, so that one that is sent twice is noticed. */
const commandOf = (data: string): ChargerCommand => ({ _tag: "DataTransfer", vendorId: "test", data })

interface Socket {
  readonly line: FakeLine
  readonly mailbox: ChargerMailbox
  open: boolean
  answered: number
}

const results: ReadonlyArray<CommandResult> = [
  { _tag: "Answered", status: "Accepted", answer: { status: "Accepted" }, content: undefined },
  { _tag: "Answered", status: "Rejected", answer: { status: "Rejected" }, content: undefined },
  { _tag: "CallError", code: "NotSupported", description: "" },
  { _tag: "Unreadable", problem: "no status", answer: {} }
]

/** What must be true at every moment. */
const invariants = (world: World, sockets: ReadonlyArray<Socket>, log: ReadonlyArray<string>): void => {
  const story = log.join(" ")
  const calls = sockets.flatMap(({ line }) => line.calls)
  const sent = calls.flatMap(([, command]) => (command._tag === "DataTransfer" ? [command.data] : []))
  const handedOut = new Set(world.commands.rows.flatMap(({ epoch, id }) => (epoch === undefined ? [] : [id])))
  assert.strictEqual(sent.length, new Set(sent).size, `a command went out twice: ${story}`)
  for (const id of sent) assert.isTrue(handedOut.has(id ?? ""), `${id} went out and was never handed out: ${story}`)
  const outstanding = world.commands.rows.filter(({ status }) => status === "Sent").length
  assert.isAtMost(outstanding, 1, `two calls are outstanding: ${story}`)
}

const history = (seed: number) =>
  Effect.gen(function* () {
    const dice = new Random(seed)
    const random = () => dice.next()
    const upTo = (n: number) => Math.floor(random() * n)
    const world = makeWorld()
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(actorsOn(world), scope)
    const sockets: Array<Socket> = []
    const log: Array<string> = [`seed ${seed}:`]
    let issued = 0
    const act = (name: string, effect: Effect.Effect<unknown, never, ChargerInbox | ChargerLink>) =>
      Effect.suspend(() => {
        log.push(name)
        return effect
      })
    const connect = Effect.gen(function* () {
      const inbox = yield* ChargerInbox
      const admission = yield* inbox.admit(opening("CP-1"))
      if (admission._tag !== "Admitted") return
      for (const socket of sockets) socket.open = false
      const line = fakeLine()
      sockets.push({ line, mailbox: admission.attach(line), open: true, answered: 0 })
    })
    const current = () => sockets.findLast(({ open }) => open)
    const issue = (expires: boolean) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const id = `c${++issued}`
        world.commands.issue(id, "CP-1", commandOf(id), expires ? now + 1000 * (1 + upTo(120)) : undefined)
        yield* (yield* ChargerLink).wake("CP-1")
      })
    /** Stored while the actor reserves the connection, sooner or later or not at all. Its caller may hang up, and its answer may be lost. */
    const issueDirectly = Effect.gen(function* () {
      const id = `c${++issued}`
      const command = commandOf(id)
      const [takes, fate] = [upTo(3) * 100, upTo(6)]
      const link = yield* ChargerLink
      const sending = link.sending(organisationId, "CP-1", (epoch) =>
        Effect.gen(function* () {
          yield* Effect.sleep(takes)
          if (fate === 0) return yield* Effect.fail("refused")
          const lost = new StorageUnavailable({ reason: "unknown", message: "its answer was lost" })
          const late = Effect.sync(() => world.commands.issue(id, "CP-1", command, undefined, epoch))
          if (fate === 3) yield* Effect.forkDetach(Effect.delay(late, 1000 * upTo(30)))
          if (fate === 3) return yield* lost
          const { status } = world.commands.issue(id, "CP-1", command, undefined, epoch)
          if (fate === 1) return yield* lost
          return { result: undefined, sent: status === "Sent" ? { id, command } : undefined }
        })
      )
      yield* Effect.forkChild(Effect.ignore(fate === 2 ? Effect.timeout(sending, 100) : sending))
    })
    const answer = Effect.sync(() => {
      const socket = current()
      const call = socket?.line.calls[socket.answered]
      if (socket === undefined || call === undefined) return
      socket.answered++
      socket.mailbox.answered(call[0], () => results[upTo(results.length)]!)
    })
    const close = Effect.sync(() => {
      const socket = current()
      if (socket === undefined) return
      socket.open = false
      socket.mailbox.closed("cut")
    })
    const fail = Effect.sync(() => {
      const reason = random() < 0.5 ? "unknown" : "down"
      world.failures.push({
        error: new StorageUnavailable({ reason, message: reason }),
        stored: random() < 0.5 && reason === "unknown"
      })
    })
    const toggle = Effect.sync(() => void (world.away = !world.away))
    const wait = Effect.suspend(() => TestClock.adjust([100, 5_000, 61_000][upTo(3)]!))
    const steps = [
      act("issue", issue(false)),
      act("issue-waiting", issue(true)),
      act("issue-directly", issueDirectly),
      act("issue-directly", issueDirectly),
      act("answer", answer),
      act("answer", answer),
      // It waits for the older connection to end, which may wait for the database.
      act("connect", Effect.asVoid(Effect.forkChild(connect))),
      act("cut", close),
      act("wait", wait),
      act("fail", fail),
      act("away", toggle)
    ]
    const story = Effect.gen(function* () {
      yield* connect
      for (let n = 0; n < stepsOfOne; n++) {
        yield* steps[upTo(steps.length)]!
        if (random() < 0.7) yield* settle
        invariants(world, sockets, log)
      }
      // Everything comes to rest: the database is back, the charger too, and it answers nothing more.
      world.away = false
      world.failures.length = 0
      for (let n = 0; n < 3; n++) {
        yield* settle
        yield* TestClock.adjust("1 hours")
      }
      yield* settle
      yield* close
      yield* settle
      world.commands.expire(Number.MAX_SAFE_INTEGER)
      const stuck = world.commands.rows.filter(({ status }) => !isTerminal(status))
      assert.deepStrictEqual(stuck, [], `commands hang: ${log.join(" ")}`)
      invariants(world, sockets, log)
    })
    yield* Effect.provide(story, context)
    yield* Scope.close(scope, Exit.void)
  })

describe("commands to a charger, whatever happens", () => {
  it.effect(
    `end, and are sent at most once and one at a time, in ${histories} random histories`,
    () =>
      Effect.gen(function* () {
        for (let n = 0; n < histories; n++) yield* history(firstSeed + n)
      }),
    600_000
  )
})
