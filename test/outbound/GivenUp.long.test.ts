/**
 * A webhook whose receiver refuses everything for three days, on both databases. A file of its own, since each of about seventy tries is really made
 * and stored, whatever the clock says.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { forEachDriver } from "../support/databases.ts"
import { makeOrganisation } from "../support/restApp.ts"
import { aWhile, engine, ports, until, world } from "../support/webhookWorld.ts"

const hour = 3_600_000

forEachDriver("Webhooks that are never accepted", ports, (it) => {
  it.effect("are given up after three days, and replayed when an operator asks for it", () =>
    Effect.gen(function* () {
      const { asked, hook, receiver, session, start } = yield* world()
      const { id } = yield* hook({ types: ["session.started"] })
      const clock = yield* engine()
      receiver.answer = (response) => void response.writeHead(503).end("busy")
      const began = clock.now()
      yield* start(session())
      const delivery = () =>
        Effect.runPromise(asked("GET", `webhooks/${id}/deliveries`)).then(({ items: [first] }) => first)
      const times: Array<number> = []
      let parkedTries = 0
      // The pause of the whole webhook is stored a moment after the try.
      const toNextTry = async () => {
        const { nextTryAt } = await delivery()
        const wait = nextTryAt === null ? 0 : Date.parse(nextTryAt) - clock.now()
        if (wait > 0) clock.forward(wait + 5 * 60_000)
      }
      for (let tries = 1; ; tries++) {
        yield* until(async () => {
          if (receiver.received.length < tries && tries > 1) await toNextTry()
          return receiver.received.length >= tries
        }, `try ${tries} came`)
        times.push(clock.now() - began)
        yield* until(async () => (await delivery()).tries >= tries, `try ${tries} was noted`)
        const now = yield* Effect.promise(delivery)
        // On a busy machine the clock may be moved while a request is under way, which ends it: it is then noted together with the next try.
        tries = now.tries
        parkedTries = now.tries
        if (now.status === "Parked") break
        assert.isBelow(clock.now() - began, 75 * hour)
      }
      assert.isAtLeast(times.at(-1)!, 72 * hour)
      assert.isAtLeast(parkedTries, 60)
      // The wait doubles after each try, up to an hour.
      assert.isAtMost(times[1]! - times[0]!, 6 * 60_000)
      assert.isAtMost(times.at(-1)! - times.at(-2)!, 66 * 60_000)
      const parked = yield* Effect.promise(delivery)
      assert.match(parked.problem, /503/)
      assert.isNull(parked.nextTryAt)
      const received = receiver.received.length
      clock.forward(24 * hour)
      yield* aWhile
      assert.strictEqual(receiver.received.length, received)
      receiver.answer = (response) => void response.writeHead(200).end()
      const stranger = yield* makeOrganisation()
      const { ask } = yield* world()
      const path = `/cpo/v2/webhooks/${id}/deliveries/${parked.id}/replay`
      assert.strictEqual((yield* Effect.promise(() => ask("POST", path, { key: stranger.key }))).status, 404)
      const replayed = yield* asked("POST", `webhooks/${id}/deliveries/${parked.id}/replay`)
      assert.deepStrictEqual(replayed, { id: parked.id, status: "Pending" })
      yield* until(async () => (await delivery()).status === "Delivered", "it came through")
      assert.strictEqual(receiver.received.at(-1)?.event.id, parked.eventId)
    })
  )
})
