/** Server-sent events over real HTTP, on both databases: resumed without gaps or duplicates, limited, and ended in time. */
import { NodeHttpServer } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type ClientRequest, get, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import { Events } from "../../../src/domain/event/Events.ts"
import { Journal } from "../../../src/domain/charger/Journal.ts"
import { v2Routes } from "../../../src/http/v2/Routes.ts"
import { open } from "../../../src/main/Listeners.ts"
import * as CommandsStorage from "../../../src/storage/commands/Commands.ts"
import { MessageLog } from "../../../src/domain/charger/MessageLog.ts"
import * as MessageLogStorage from "../../../src/storage/charging/MessageLog.ts"
import * as JournalStorage from "../../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../../support/databases.ts"
import { beside } from "../../support/fakePorts.ts"
import { FakeWorld } from "../../support/fakeRecords.ts"
import { freshId, metered, noon, started } from "../../support/journalFacts.ts"
import { repositories } from "../../support/repositories.ts"
import { makeOrganisation, publicUrl, withCharger } from "../../support/restApp.ts"

const ports = Layer.mergeAll(
  JournalStorage.layer({ maxBatchFacts: 100, maxWaiting: 10_000, patienceMillis: 10_000 }),
  CommandsStorage.layer({
    nodeId: "node-1",
    maxWaiting: 10,
    chargersPerMinute: 10,
    tls: true,
    clientCertificates: true
  }),
  MessageLogStorage.layer({
    maxWaitingChars: 100_000,
    maxBatch: 40,
    maxBatchBytes: 1_000_000,
    maxFrameBytes: 1_000,
    chargerBytesPerDay: 1_000_000,
    organisationBytesPerDay: 10_000_000,
    flushEveryMillis: 50,
    useEveryMillis: 60_000
  })
).pipe(Layer.provideMerge(repositories))

const options = {
  host: "127.0.0.1",
  port: 0,
  tls: undefined,
  headersTimeoutMillis: 10_000,
  requestTimeoutMillis: 10_000,
  transferTimeoutMillis: 60_000,
  unreadAnswerMillis: 60_000,
  slowestReaderBytesPerSecond: 8192
}

/** The REST interface on its own port, and a function that ends its streams. */
const listening = Effect.gen(function* () {
  const context = yield* Effect.context<Layer.Success<typeof ports>>()
  const ending = yield* Deferred.make<void>()
  const events = yield* Events
  const read = { pages: 0 }
  const counted = Events.of({
    ...events,
    page: (organisationId, request) => {
      read.pages++
      return events.page(organisationId, request)
    }
  })
  const routes = v2Routes({ publicUrl, streams: { ending: Deferred.await(ending), keepAliveMillis: 200 } }).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeedContext(context),
        Layer.succeed(Events, counted),
        beside(new FakeWorld()),
        Layer.succeed(MessageLog, yield* MessageLog)
      )
    )
  )
  const [listener] = yield* open(options, routes).pipe(Effect.provide(NodeHttpServer.layerHttpServices))
  const url = `http://127.0.0.1:${listener?.port ?? 0}`
  const ask = async (method: string, path: string, asked: { readonly key?: string; readonly body?: unknown } = {}) => {
    const headers = { "x-api-key": asked.key ?? "", "content-type": "application/json" }
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === "" ? undefined : JSON.parse(text)
    }
  }
  return { url, ask, read, end: Deferred.succeed(ending, undefined) }
})

interface ReceivedEvent {
  readonly id: string
  readonly event: string
  readonly data: { readonly id: string; readonly type: string; readonly subject: string }
}

/** A reader that behaves as HTML §9.2 describes: it records every id and dispatches events that have data. */
class Reader {
  readonly received: Array<ReceivedEvent> = []
  lastEventId: string | undefined
  comments = 0
  private request: ClientRequest | undefined
  private text = ""
  private constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId
  }

  static async open(url: string, key: string, lastEventId?: string, query = "", path = "/events"): Promise<Reader> {
    const reader = new Reader(lastEventId)
    const headers = {
      "x-api-key": key,
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
    }
    // Without `fetch`: after an aborted request, fetch opens a connection that stays unused, and the listener's shutdown would wait for it.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      reader.request = get(`${url}/cpo/v2${path}${query}`, { headers, agent: false }, resolve).on("error", reject)
    })
    reader.status = response.statusCode ?? 0
    if (response.statusCode !== 200) {
      reader.problem = await json(response)
      return reader
    }
    assert.match(response.headers["content-type"] ?? "", /^text\/event-stream/)
    reader.over = reader.read(response)
    return reader
  }

  status = 0
  /** True if the server ended the stream, false if it was cut off. */
  isWhole = false
  problem: unknown
  over: Promise<void> = Promise.resolve()

  private async read(response: IncomingMessage): Promise<void> {
    try {
      const decoder = new TextDecoder()
      for await (const chunk of response) this.take(decoder.decode(chunk, { stream: true }))
      this.isWhole = true
    } catch {
      // Cut off by the test. Everything that arrived completely has been recorded.
    }
  }

  private take(chunk: string): void {
    this.text += chunk
    const blocks = this.text.split("\n\n")
    this.text = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = new Map<string, string>()
      for (const line of block.split("\n")) {
        const [, name = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? []
        if (name === "") this.comments++
        else fields.set(name, value)
      }
      const id = fields.get("id")
      if (id !== undefined) this.lastEventId = id
      const data = fields.get("data")
      if (data !== undefined)
        this.received.push({ id: id ?? "", event: fields.get("event") ?? "", data: JSON.parse(data) })
    }
  }

  cut(): Promise<void> {
    this.request?.destroy()
    return this.over
  }
}

const codeOf = ({ problem }: Reader): unknown =>
  typeof problem === "object" && problem !== null && "code" in problem ? problem.code : undefined

const until = async (holds: () => boolean, what: string): Promise<void> => {
  const since = Date.now()
  while (!holds()) {
    if (Date.now() - since > 20_000) throw new Error(`waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

let made = 0

/** An organisation with a charger, and a function that writes `n` meter readings. */
const charging = (ask: Awaited<Effect.Success<typeof listening>>["ask"]) =>
  Effect.gen(function* () {
    const organisation = yield* makeOrganisation()
    const journal = yield* Journal
    const chargerId = `SSE-${made++}`
    const { siteId } = yield* Effect.promise(() => withCharger(ask as never, organisation.key, chargerId))
    const seeded = { organisationId: organisation.organisationId, siteId }
    const tx = { chargerId, sessionId: freshId(), transactionId: 1 }
    yield* journal.commit([started(seeded, tx)])
    let at = noon
    const write = (n: number) =>
      Effect.forEach(Array.from({ length: n }), () => journal.commit([metered(seeded, tx, (at += 1000), at - noon)]), {
        discard: true
      })
    return { ...organisation, chargerId, siteId, write }
  })

type Page = { readonly items: ReadonlyArray<{ readonly id: string }>; readonly nextCursor: string }

forEachDriver("Server-sent events", ports, (it) => {
  it.effect("are resumed without gaps or duplicates while facts are written", () =>
    Effect.gen(function* () {
      const { ask, url } = yield* listening
      const { key, write } = yield* charging(ask)
      const context = yield* Effect.context<Events | Journal>()
      const all: Array<ReceivedEvent> = []
      yield* Effect.promise(async () => {
        const writing = { isOver: false }
        const written = Effect.runPromiseWith(context)(write(300)).then(() => void (writing.isOver = true))
        let reader = await Reader.open(url, key, "0")
        for (let cuts = 0; !writing.isOver; cuts++) {
          const enough = 5 + ((cuts * 7) % 23)
          await until(() => writing.isOver || reader.received.length >= enough, "some events came")
          await reader.cut()
          all.push(...reader.received)
          reader = await Reader.open(url, key, reader.lastEventId)
          assert.strictEqual(reader.status, 200)
        }
        await written
        const fed: Array<string> = []
        let cursor = "0"
        for (;;) {
          const { json } = await ask("GET", `/cpo/v2/events?limit=500&cursor=${cursor}`, { key })
          const page: Page = json
          fed.push(...page.items.map(({ id }) => id))
          if (page.nextCursor === cursor) break
          cursor = page.nextCursor
        }
        await until(() => all.length + reader.received.length >= fed.length, "all had come")
        await reader.cut()
        all.push(...reader.received)
        assert.deepStrictEqual(
          all.map(({ id }) => id),
          fed
        )
        // The site, the charger, the start of the session and its readings.
        assert.strictEqual(fed.length, 303)
        for (const one of all) assert.deepStrictEqual([one.data.id, one.data.type], [one.id, one.event])
      })
    })
  )

  it.effect("start now without a cursor, are filtered, and cover one organisation only", () =>
    Effect.gen(function* () {
      const { ask, url } = yield* listening
      const one = yield* charging(ask)
      const other = yield* charging(ask)
      const [plain, sites, elsewhere] = yield* Effect.promise(() =>
        Promise.all([
          Reader.open(url, one.key),
          Reader.open(url, one.key, undefined, "?type=site.changed,token.changed"),
          Reader.open(url, one.key, undefined, `?siteId=${other.siteId}`)
        ])
      )
      yield* Effect.promise(() => until(() => plain.comments > 0 && sites.comments > 0, "both were greeted"))
      yield* one.write(2)
      yield* other.write(2)
      yield* Effect.promise(async () => {
        await ask("POST", "/cpo/v2/sites", { key: one.key, body: { name: "Another" } })
        await until(() => plain.received.length >= 3 && sites.received.length >= 1, "all had come")
        assert.deepStrictEqual(
          plain.received.map(({ event }) => event),
          ["session.updated", "session.updated", "site.changed"]
        )
        assert.deepStrictEqual(
          sites.received.map(({ event }) => event),
          ["site.changed"]
        )
        assert.deepStrictEqual(elsewhere.received, [])
        await Promise.all([plain.cut(), sites.cut(), elsewhere.cut()])
      })
    })
  )

  it.effect("are refused for an invalid cursor and for one ahead of all events", () =>
    Effect.gen(function* () {
      const { ask, url } = yield* listening
      const { key } = yield* charging(ask)
      yield* Effect.promise(async () => {
        const bad = await Reader.open(url, key, "yesterday")
        assert.deepStrictEqual([bad.status, codeOf(bad)], [400, "invalid_input"])
        const ahead = await Reader.open(url, key, "999999999")
        assert.deepStrictEqual([ahead.status, codeOf(ahead)], [409, "cursor_unknown"])
      })
    })
  )

  it.effect("read a page once for all waiting readers, who each get every event once", () =>
    Effect.gen(function* () {
      const { ask, read, url } = yield* listening
      const one = yield* charging(ask)
      yield* Effect.promise(async () => {
        const readers = await Promise.all(Array.from({ length: 20 }, () => Reader.open(url, one.key)))
        await until(() => readers.every(({ comments }) => comments > 0), "all were greeted")
        const before = read.pages
        for (let n = 1; n <= 5; n++) {
          await ask("POST", "/cpo/v2/sites", { key: one.key, body: { name: `Site ${n}` } })
          await until(() => readers.every(({ received }) => received.length >= n), "all had it")
        }
        for (const { received } of readers) {
          assert.deepStrictEqual(
            received.map(({ event }) => event),
            Array.from({ length: 5 }, () => "site.changed")
          )
        }
        // Twenty readers that each read for themselves would have read at least a hundred pages.
        assert.isBelow(read.pages - before, 60)
        await Promise.all(readers.map((reader) => reader.cut()))
      })
    })
  )

  it.effect("are limited to twenty per key, and one more may start when one ends", () =>
    Effect.gen(function* () {
      const { ask, url } = yield* listening
      const [{ key }, other] = [yield* charging(ask), yield* charging(ask)]
      yield* Effect.promise(async () => {
        const readers = await Promise.all(Array.from({ length: 20 }, () => Reader.open(url, key)))
        await until(() => readers.every(({ comments }) => comments > 0), "all were greeted")
        const more = await Reader.open(url, key)
        assert.deepStrictEqual([more.status, codeOf(more)], [429, "too_many_streams"])
        const others = await Reader.open(url, other.key)
        assert.strictEqual(others.status, 200)
        await readers[0]!.cut()
        let again = await Reader.open(url, key)
        for (let n = 0; n < 100 && again.status === 429; n++) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          again = await Reader.open(url, key)
        }
        assert.strictEqual(again.status, 200)
        await Promise.all([...readers, again, others].map((reader) => reader.cut()))
      })
    })
  )

  it.effect("wait for a slow reader with one page in memory and then send the remaining events", () =>
    Effect.gen(function* () {
      const { ask, read, url } = yield* listening
      const { key, organisationId } = yield* charging(ask)
      const sql = yield* SqlClient.SqlClient
      const [{ position } = { position: 0 }] = yield* sql<{ readonly position: number }>`
        SELECT max(position)::int AS position FROM journal`
      // 24 MB of events, far more than sockets and pages hold.
      const count = 12_000
      yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
        SELECT sha256(convert_to(${organisationId} || n, 'UTF8')), ${organisationId}::uuid, 'SiteCreated', 'site:' || ${organisationId}, now(), now(),
          json_build_object('after', json_build_object('id', ${organisationId}::text, 'name', repeat('x', 2000))) FROM generate_series(1, ${count}) n`
      yield* Effect.promise(async () => {
        const headers = { "x-api-key": key, accept: "text/event-stream" }
        const response = await new Promise<IncomingMessage>((resolve) => {
          get(`${url}/cpo/v2/events?type=site.changed&cursor=${position}`, { headers }, resolve)
        })
        // The server reads as much as the sockets hold, and then stops before it has read all 120 pages.
        let pages = -1
        while (pages !== read.pages) {
          pages = read.pages
          await new Promise((resolve) => setTimeout(resolve, 500))
        }
        assert.isBelow(pages, 90)
        let received = 0
        let last = 0
        let rest = ""
        for await (const chunk of response) {
          const lines = (rest + String(chunk)).split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) {
            if (line.startsWith("data: ")) received++
            if (!line.startsWith("id: ")) continue
            const id = Number(line.slice(4))
            assert.isAtLeast(id, last)
            last = id
          }
          if (received >= count) break
        }
        assert.deepStrictEqual([received, last], [count, position + count])
      })
    })
  )

  it.effect(
    "follow a charger's message log from now on without duplicates, also after a reconnect, for its organisation only",
    () =>
      Effect.gen(function* () {
        const { ask, url } = yield* listening
        const one = yield* charging(ask)
        const stranger = yield* charging(ask)
        const log = yield* MessageLog
        const chargerId = one.chargerId
        const append = (n: number) =>
          log.append({
            organisationId: one.organisationId,
            chargerId,
            at: Date.now(),
            direction: "in",
            kind: "CALL",
            action: "Heartbeat",
            messageId: `m${n}`,
            frame: `[2,"m${n}","Heartbeat",{}]`
          })
        const path = `/chargers/${chargerId}/messages`
        yield* Effect.promise(async () => {
          const refused = await Reader.open(url, stranger.key, undefined, "", path)
          assert.strictEqual(refused.status, 404)
          const wrong = await Reader.open(url, one.key, "yesterday", "", path)
          assert.deepStrictEqual([wrong.status, codeOf(wrong)], [400, "invalid_input"])
          const first = await Reader.open(url, one.key, undefined, "", path)
          await until(() => first.comments > 0, "it was greeted")
          for (let n = 0; n < 250; n++) append(n)
          await until(() => first.received.length >= 120, "the first frames came")
          await first.cut()
          for (let n = 250; n < 300; n++) append(n)
          const second = await Reader.open(url, one.key, first.lastEventId, "", path)
          await until(() => first.received.length + second.received.length >= 300, "all frames came")
          append(300)
          await until(() => first.received.length + second.received.length >= 301, "a frame of later came")
          const ids = [...first.received, ...second.received].map(
            ({ data }) => (data as unknown as { messageId: string }).messageId
          )
          assert.deepStrictEqual(
            ids,
            Array.from({ length: 301 }, (_, n) => `m${n}`)
          )
          await second.cut()
        })
      })
  )

  it.effect("end when the service drains", () =>
    Effect.gen(function* () {
      const { ask, end, url } = yield* listening
      const { key } = yield* charging(ask)
      const reader = yield* Effect.promise(() => Reader.open(url, key))
      yield* Effect.promise(() => until(() => reader.comments > 0, "it was greeted"))
      yield* end
      yield* Effect.promise(() => reader.over)
      const late = yield* Effect.promise(() => Reader.open(url, key))
      yield* Effect.promise(() => late.over)
      assert.deepStrictEqual([reader.received, late.received, late.status], [[], [], 200])
      assert.deepStrictEqual([reader.isWhole, late.isWhole], [true, true])
    })
  )

  it.effect("end within seconds after their key is revoked", () =>
    Effect.gen(function* () {
      const { ask, url } = yield* listening
      const { key } = yield* charging(ask)
      const made = yield* Effect.promise(() => ask("POST", "/cpo/v2/api-keys", { key, body: { name: "short" } }))
      const reader = yield* Effect.promise(() => Reader.open(url, made.json.key))
      yield* Effect.promise(() => until(() => reader.comments > 2, "it was kept alive"))
      yield* Effect.promise(() => ask("DELETE", `/cpo/v2/api-keys/${made.json.id}`, { key }))
      yield* Effect.promise(() => reader.over)
      assert.strictEqual(reader.status, 200)
    })
  )
})
