/** Webhooks that are changed while a post is under way, on both databases: what the old URL accepts or answers does not count. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { forEachDriver } from "../support/databases.ts"
import { Receiver } from "../support/receiver.ts"
import type { Json } from "../support/restApp.ts"
import { aWhile, engine, ports, until, world } from "../support/webhookWorld.ts"

/** The engine's limit of simultaneous calls to one webhook. */
const callsAtOnce = 16

/** A world in which posts to the webhook's first URL remain unanswered, and a second receiver to which it may move. */
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
    /** Answers all open requests, and those that come later. */
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

/** Waiting events are taken again as well, and may come twice, with the same id. */
const subjects = ({ received }: Receiver) => [...new Set(received.map(({ event }) => event.subject))].toSorted()

forEachDriver("Webhooks that are changed meanwhile", ports, (it) => {
  it.effect("are posted again what the old URL accepted, and everything that was waiting", () =>
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
      // The waiting events were never sent to the old URL.
      assert.strictEqual(receiver.received.length, callsAtOnce)
      assert.strictEqual((yield* Effect.promise(deliveries)).length, all.length)
    })
  )

  it.effect("do not list as delivered what only the old URL has accepted", () =>
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

  it.effect("stay active when the old URL answers 410 Gone, and are posted those events again", () =>
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

  it.effect("stay active when they were switched on after a post that is answered 410 Gone", () =>
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
