/** Webhooks that are changed while something is on its way to them, on both databases: what the old URL takes or says counts for nothing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { forEachDriver } from "../support/databases.ts"
import { Receiver } from "../support/receiver.ts"
import type { Json } from "../support/restApp.ts"
import { aWhile, engine, ports, until, world } from "../support/webhookWorld.ts"

/** Calls to one webhook that are open at a time, as the engine has it. */
const callsAtOnce = 16

/** A world in which all that is posted to the webhook's first URL is left open, and a place that it may move to. */
const held = Effect.gen(function* () {
  const here = yield* world({ allowPrivate: true, timeoutMillis: 10_000, maxResponseBytes: 10_000 })
  const next = yield* Effect.acquireRelease(
    Effect.promise(() => Receiver.open()),
    (one) => Effect.promise(() => one.close())
  )
  const { id } = yield* here.hook({ types: ["session.started"] })
  yield* engine({ allowPrivate: true, timeoutMillis: 10_000, maxResponseBytes: 10_000 })
  const open: Array<ServerResponse> = []
  here.receiver.answer = (response) => void open.push(response)
  return {
    ...here,
    id,
    next,
    /** Answers all that was left open, and what comes later. */
    answerAll: (status: number): void => {
      for (const response of open) response.writeHead(status).end()
      here.receiver.answer = (response) => void response.writeHead(status).end()
    },
    shown: () => Effect.runPromise(here.asked("GET", `webhooks/${id}`)),
    deliveries: () =>
      Effect.runPromise(here.asked("GET", `webhooks/${id}/deliveries?limit=100`)).then(
        ({ items }) => items as ReadonlyArray<Json>
      )
  }
})

/** What waits for its turn is taken anew as well, and may come twice, under one id. */
const subjects = ({ received }: Receiver) => [...new Set(received.map(({ event }) => event.subject))].toSorted()

forEachDriver("Webhooks that are changed meanwhile", ports, (it) => {
  it.effect("are posted again what the URL before took, and all that had waited for its turn", () =>
    Effect.gen(function* () {
      const { answerAll, asked, deliveries, id, next, receiver, session, start } = yield* held
      const txs = Array.from({ length: callsAtOnce + 4 }, session)
      for (const tx of txs) yield* start(tx)
      yield* until(() => receiver.received.length === callsAtOnce, "as many as may are on their way")
      yield* asked("PATCH", `webhooks/${id}`, { url: next.url })
      answerAll(204)
      const all = txs.map(({ sessionId }) => `session:${sessionId}`).toSorted()
      yield* until(() => subjects(next).length === all.length, "all came to the new URL")
      yield* until(async () => (await deliveries()).every(({ status }) => status === "Delivered"), "it was noted")
      assert.deepStrictEqual(subjects(next), all)
      // What waited has never gone to the old one.
      assert.strictEqual(receiver.received.length, callsAtOnce)
      assert.strictEqual((yield* Effect.promise(deliveries)).length, all.length)
    })
  )

  it.effect("are not listed as delivered what only the URL before has taken", () =>
    Effect.gen(function* () {
      const { answerAll, asked, deliveries, id, next, receiver, session, start } = yield* held
      next.answer = () => undefined
      yield* start(session())
      yield* until(() => receiver.received.length === 1, "it is on its way")
      yield* asked("PATCH", `webhooks/${id}`, { url: next.url })
      answerAll(204)
      yield* until(() => next.received.length === 1, "it came to the new URL as well")
      yield* aWhile
      assert.deepStrictEqual(
        (yield* Effect.promise(deliveries)).map(({ status }) => status),
        ["Pending"]
      )
    })
  )

  it.effect("stay on when the URL before answers 410 Gone, and are posted again what it was answered to", () =>
    Effect.gen(function* () {
      const { answerAll, asked, id, next, receiver, session, shown, start } = yield* held
      yield* start(session())
      yield* until(() => receiver.received.length === 1, "it is on its way")
      yield* asked("PATCH", `webhooks/${id}`, { url: next.url })
      answerAll(410)
      yield* until(() => next.received.length === 1, "it came to the new URL")
      yield* start(session())
      yield* until(() => next.received.length === 2, "what happened later came as well")
      yield* aWhile
      assert.isTrue((yield* Effect.promise(shown)).active)
    })
  )

  it.effect("stay on when they were switched on after the post that is answered 410 Gone", () =>
    Effect.gen(function* () {
      const { answerAll, asked, id, receiver, session, shown, start } = yield* held
      yield* start(session())
      yield* until(() => receiver.received.length === 1, "it is on its way")
      for (const active of [false, true]) yield* asked("PATCH", `webhooks/${id}`, { active })
      answerAll(410)
      receiver.answer = (response) => void response.writeHead(204).end()
      yield* aWhile
      assert.isTrue((yield* Effect.promise(shown)).active)
      yield* start(session())
      yield* until(() => receiver.received.length >= 2, "what happened later came")
    })
  )
})
