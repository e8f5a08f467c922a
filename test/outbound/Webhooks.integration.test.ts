/** Webhooks from the request that creates one to the delivered post, on both databases: signed, in order, retained for three days. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createServer } from "node:net"
import type { CallOptions } from "../../src/outbound/HttpCall.ts"
import { closedUrls } from "../support/closedUrls.ts"
import { forEachDriver } from "../support/databases.ts"
import { Receiver, signaturesBy } from "../support/receiver.ts"
import type { Json } from "../support/restApp.ts"
import { aWhile, engine, ports, until, world } from "../support/webhookWorld.ts"

const hour = 3_600_000
forEachDriver("Webhooks", ports, (it) => {
  it.effect(
    "are posted the same events as the feed, signed, in the order of each subject, and list the deliveries",
    () =>
      Effect.gen(function* () {
        const { asked, end, hook, read, receiver, session, start } = yield* world()
        const { id, secret } = yield* hook()
        assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        yield* engine()
        const [one, other] = [session(), session()]
        for (const tx of [one, other]) yield* start(tx)
        for (let n = 0; n < 10; n++) yield* Effect.all([read(one, n), read(other, n)])
        for (const tx of [one, other]) yield* end(tx)
        const { items: feed } = yield* asked(
          "GET",
          "events?type=session.started,session.updated,session.ended&limit=100"
        )
        yield* until(
          () => receiver.received.filter(({ event }) => event.type.startsWith("session")).length >= 24,
          "all came"
        )
        const of = (tx: { readonly sessionId: string }, events: ReadonlyArray<Json>) =>
          events.filter(({ subject }) => subject === `session:${tx.sessionId}`)
        for (const tx of [one, other]) {
          assert.deepStrictEqual(
            of(
              tx,
              receiver.received.map(({ event }) => event)
            ),
            of(tx, feed)
          )
        }
        for (const message of receiver.received) {
          assert.strictEqual(message.headers["webhook-id"], `evt_${message.event.id}`)
          assert.strictEqual(message.headers["content-type"], "application/json")
          assert.isBelow(Math.abs(Number(message.headers["webhook-timestamp"]) - Date.now() / 1000), 60)
          assert.strictEqual(yield* Effect.promise(() => signaturesBy(secret, message)), 1)
        }
        const delivered = () => asked("GET", `webhooks/${id}/deliveries?status=Delivered&limit=100`)
        yield* until(
          async () => (await Effect.runPromise(delivered())).items.length === receiver.received.length,
          "all are listed"
        )
        const { items } = yield* delivered()
        assert.deepStrictEqual(
          new Set(items.map(({ httpStatus, status, tries }: Json) => `${status} ${tries} ${httpStatus}`)),
          new Set(["Delivered 1 204"])
        )
        for (const { eventId, type } of items) {
          const event = yield* asked("GET", `events/${eventId}`)
          const posted = receiver.received.find((message) => message.event.id === eventId)?.event
          assert.deepStrictEqual([event, event.type], [posted, type])
        }
        // Each event is found by its id, and no unknown or malformed id finds one.
        for (const unknown of ["0", "999999999", `${items[0].eventId}.99`, "x"]) {
          assert.match(String(yield* Effect.exit(asked("GET", `events/${unknown}`))), /not_found/)
        }
        const page = yield* asked("GET", `webhooks/${id}/deliveries?limit=5`)
        const next = yield* asked("GET", `webhooks/${id}/deliveries?limit=5&cursor=${page.nextCursor}`)
        assert.deepStrictEqual(
          [...page.items, ...next.items].map((item: Json) => item.id),
          items.slice(0, 10).map((item: Json) => item.id)
        )
      })
  )

  it.effect("are posted only the types and sites they ask for, of their own organisation", () =>
    Effect.gen(function* () {
      const mine = yield* world()
      const theirs = yield* world()
      const { id: elsewhere } = yield* mine.asked("POST", "sites", { name: "Elsewhere" })
      yield* mine.hook({ types: ["session.started", "site.changed"], siteIds: [mine.siteId] })
      const siteReceiver = yield* Effect.promise(() => Receiver.open())
      yield* mine.hook({ url: siteReceiver.url, siteIds: [elsewhere] })
      yield* engine()
      const [tx, other] = [mine.session(), theirs.session()]
      yield* theirs.start(other)
      yield* mine.start(tx)
      yield* mine.end(tx)
      yield* mine.asked("PATCH", `sites/${elsewhere}`, { name: "Elsewhere else" })
      yield* mine.asked("POST", "tokens", { uid: "CARD" })
      yield* until(
        () => mine.receiver.received.length >= 1 && siteReceiver.received.length >= 1,
        "both received an event"
      )
      yield* aWhile
      const posted = ({ received }: Receiver) => received.map(({ event }) => [event.type, event.subject])
      assert.deepStrictEqual(posted(mine.receiver), [["session.started", `session:${tx.sessionId}`]])
      assert.deepStrictEqual(posted(siteReceiver), [["site.changed", `site:${elsewhere}`]])
      assert.deepStrictEqual(posted(theirs.receiver), [])
      yield* Effect.promise(() => siteReceiver.close())
    })
  )

  it.effect("sign with both secrets for a day after a rotation, and then with the new one alone", () =>
    Effect.gen(function* () {
      const { asked, hook, receiver, session, start } = yield* world()
      const { id, secret } = yield* hook({ types: ["session.started"] })
      const { forward } = yield* engine()
      const rotated = yield* asked("POST", `webhooks/${id}/rotate-secret`)
      assert.notStrictEqual(rotated.secret, secret)
      const signed = Effect.fnUntraced(function* (n: number) {
        yield* start(session())
        yield* until(() => receiver.received.length >= n, "it came")
        const message = receiver.received[n - 1]!
        return yield* Effect.promise(() =>
          Promise.all([secret, rotated.secret].map((one) => signaturesBy(one, message)))
        )
      })
      assert.deepStrictEqual(yield* signed(1), [1, 1])
      forward(23.9 * hour)
      assert.deepStrictEqual(yield* signed(2), [1, 1])
      forward(0.2 * hour)
      assert.deepStrictEqual(yield* signed(3), [0, 1])
      assert.strictEqual(String(receiver.received[2]?.headers["webhook-signature"]).split(" ").length, 1)
      const shown = yield* asked("GET", `webhooks/${id}`)
      assert.notInclude(JSON.stringify(shown), "whsec")
    })
  )

  it.effect("are retried with the same message until it is accepted", () =>
    Effect.gen(function* () {
      const { asked, end, hook, receiver, session, start } = yield* world()
      const { id, secret } = yield* hook({ types: ["session.started", "session.ended"] })
      const { forward } = yield* engine()
      let refusals = 0
      receiver.answer = (response) => {
        if (refusals++ === 1) return
        response.writeHead(refusals <= 4 ? 500 : 200).end()
      }
      const tx = session()
      yield* start(tx)
      yield* end(tx)
      for (let n = 1; n <= 4; n++) {
        yield* until(() => receiver.received.length >= n, `try ${n} came`)
        if (n === 2) yield* Effect.sleep(600)
        yield* until(async () => {
          const { items } = await Effect.runPromise(asked("GET", `webhooks/${id}/deliveries`))
          const first = items.find(({ eventId }: Json) => eventId === receiver.received[0]?.event.id)
          return first.tries === n && first.status === "Pending" && first.problem !== null
        }, `try ${n} was noted`)
        forward(hour)
      }
      yield* until(() => receiver.received.length >= 6, "both were taken")
      const [first, ...others] = receiver.received
      assert.deepStrictEqual(
        receiver.received.map(({ event }) => event.type),
        [...Array.from({ length: 5 }, () => "session.started"), "session.ended"]
      )
      for (const one of others.slice(0, 4)) {
        assert.deepStrictEqual([one.headers["webhook-id"], one.text], [first?.headers["webhook-id"], first?.text])
      }
      assert.isAtLeast(
        Number(others[3]?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]),
        (4 * hour) / 1000
      )
      assert.strictEqual(yield* Effect.promise(() => signaturesBy(secret, others[3]!)), 1)
      yield* until(async () => {
        const { items } = await Effect.runPromise(asked("GET", `webhooks/${id}/deliveries?status=Delivered`))
        return items.length === 2 && items[1].tries === 5
      }, "it is listed as delivered at the fifth try")
    })
  )

  it.effect("are switched off by 410 Gone, and posted later events once they are switched on again", () =>
    Effect.gen(function* () {
      const { asked, hook, receiver, session, start } = yield* world()
      const { id } = yield* hook({ types: ["session.started"] })
      const { forward } = yield* engine()
      receiver.answer = (response) => void response.writeHead(410).end()
      const refused = session()
      yield* start(refused)
      yield* until(async () => !(await Effect.runPromise(asked("GET", `webhooks/${id}`))).active, "it is off")
      const [waiting] = (yield* asked("GET", `webhooks/${id}/deliveries`)).items
      assert.deepStrictEqual([waiting.status, waiting.nextTryAt], ["Pending", null])
      const off = yield* asked("GET", `webhooks/${id}`)
      assert.match(off.lastProblem.message, /410/)
      receiver.answer = (response) => void response.writeHead(204).end()
      const between = session()
      yield* start(between)
      forward(24 * hour)
      yield* aWhile
      assert.strictEqual(receiver.received.length, 1)
      yield* asked("PATCH", `webhooks/${id}`, { active: true })
      const last = session()
      yield* start(last)
      yield* until(
        () => receiver.received.some(({ event }) => event.subject === `session:${last.sessionId}`),
        "it came"
      )
      const postsOf = (subject: string) => receiver.received.filter(({ event }) => event.subject === subject).length
      assert.strictEqual(postsOf(`session:${between.sessionId}`), 0)
      // The event that was answered with 410 is not sent again automatically.
      assert.strictEqual(postsOf(`session:${refused.sessionId}`), 1)
      const parked = yield* asked("GET", `webhooks/${id}/deliveries?status=Parked`)
      assert.deepStrictEqual(
        parked.items.map((one: { readonly id: string }) => one.id),
        [waiting.id]
      )
    })
  )

  it.effect("miss nothing when they are changed while events wait to be posted", () =>
    Effect.gen(function* () {
      const { asked, hook, receiver, session, start } = yield* world()
      const { id } = yield* hook({ url: "http://127.0.0.1:1/", types: ["session.started"] })
      yield* start(session())
      yield* asked("PATCH", `webhooks/${id}`, { url: receiver.url })
      yield* engine()
      yield* until(() => receiver.received.length === 1, "it came")
    })
  )

  it.effect("notice that a receiver is back after an outage, and miss nothing", () =>
    Effect.gen(function* () {
      const { end, hook, read, receiver, session, start } = yield* world()
      yield* hook({ url: receiver.url })
      const { forward } = yield* engine()
      receiver.answer = (response) => void response.destroy()
      const txs = Array.from({ length: 12 }, session)
      for (const tx of txs) yield* start(tx)
      yield* until(() => receiver.received.length >= 3, "it was tried")
      forward(hour)
      for (const tx of txs) yield* Effect.andThen(read(tx, 1), end(tx))
      yield* aWhile
      const before = receiver.received.length
      receiver.answer = (response) => void response.writeHead(200).end()
      const taken = () => new Set(receiver.received.slice(before).map(({ event }) => event.id)).size
      for (let n = 0; n < 100 && taken() < 36; n++) {
        forward(10 * 60_000)
        yield* Effect.sleep(50)
      }
      yield* until(() => taken() >= 36, "all came")
      for (const { sessionId } of txs) {
        const posted = receiver.received.slice(before).filter(({ event }) => event.subject === `session:${sessionId}`)
        // The clock was moved past leases, so that posts under way then come twice, with the same id.
        assert.deepStrictEqual(
          [...new Set(posted.map(({ event, headers }) => `${String(headers["webhook-id"])} ${event.type}`))].map(
            (one) => one.split(" ")[1]
          ),
          ["session.started", "session.updated", "session.ended"]
        )
      }
    })
  )

  it.effect("answer a ping, and say what was wrong if it fails", () =>
    Effect.gen(function* () {
      const { asked, hook, receiver } = yield* world()
      const { id, secret } = yield* hook()
      const first = yield* asked("POST", `webhooks/${id}/ping`)
      assert.deepInclude(first, { delivered: true, httpStatus: 204, problem: null })
      const [message] = receiver.received
      assert.strictEqual(message?.event.type, "webhook.ping")
      assert.strictEqual(yield* Effect.promise(() => signaturesBy(secret, message!)), 1)
      receiver.answer = (response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end()
      assert.deepInclude(yield* asked("POST", `webhooks/${id}/ping`), { delivered: false, httpStatus: 302 })
      receiver.answer = (response) => void response.writeHead(200).end("x".repeat(100_000))
      const large = yield* asked("POST", `webhooks/${id}/ping`)
      assert.deepInclude(large, { delivered: false, httpStatus: null })
      assert.match(large.problem, /bytes/)
    })
  )

  it.effect("are never posted to a private address, whatever their URL", () =>
    Effect.gen(function* () {
      const closed: CallOptions = { allowPrivate: false, timeoutMillis: 500, maxResponseBytes: 1000 }
      const { ask, asked, key, session, start } = yield* world(closed)
      let connections = 0
      const canary = createServer((socket) => {
        connections++
        socket.destroy()
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", () => resolve())))
      const address = canary.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const urls = closedUrls(port)
      for (const url of urls) {
        const answer = yield* Effect.promise(() => ask("POST", "/cpo/v2/webhooks", { key, body: { url } }))
        assert.deepStrictEqual([url, answer.status], [url, 400])
        assert.strictEqual(answer.json.errors[0].pointer, "/url")
      }
      // A webhook that is stored with such a URL nevertheless is not posted to either.
      const { id } = yield* asked("POST", "webhooks", { url: "https://hooks.example/" })
      const sql = yield* SqlClient.SqlClient
      yield* engine(closed)
      for (const url of [`https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/`, `https://localtest.me:${port}/`]) {
        yield* sql`UPDATE webhook SET url = ${url} WHERE id = ${id}`
        yield* asked("POST", `webhooks/${id}/ping`)
      }
      yield* start(session())
      yield* until(async () => {
        const { items } = await Effect.runPromise(asked("GET", `webhooks/${id}/deliveries?status=Pending`))
        return items.some(({ tries }: Json) => tries > 0)
      }, "it was tried")
      assert.strictEqual(connections, 0)
      yield* Effect.promise(() => new Promise((resolve) => canary.close(resolve)))
    })
  )

  it.effect("set the charger's pushIntegrationEnabled while one covers it", () =>
    Effect.gen(function* () {
      const { asked, chargerId, hook, siteId } = yield* world()
      const { id: elsewhere } = yield* asked("POST", "sites", { name: "Elsewhere" })
      const enabled = Effect.map(asked("GET", `chargers/${chargerId}`), (charger) => charger.pushIntegrationEnabled)
      assert.isFalse(yield* enabled)
      const { id } = yield* hook({ siteIds: [elsewhere] })
      assert.isFalse(yield* enabled)
      yield* asked("PATCH", `webhooks/${id}`, { siteIds: [elsewhere, siteId] })
      assert.isTrue(yield* enabled)
      yield* asked("PATCH", `webhooks/${id}`, { active: false })
      assert.isFalse(yield* enabled)
      yield* asked("PATCH", `webhooks/${id}`, { active: true, siteIds: null, types: ["token.changed"] })
      assert.isTrue(yield* enabled)
      yield* asked("DELETE", `webhooks/${id}`)
      assert.isFalse(yield* enabled)
    })
  )
})
