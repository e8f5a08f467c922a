import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Logger, Metric, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import {
  formatTail,
  type LoggedFrame,
  MessageLog,
  type MessageSearch,
  parseTail,
  searchedFrames,
  tailBehind,
  type TailPosition
} from "../../src/domain/charger/MessageLog.ts"
import * as MessageLogStorage from "../../src/storage/charging/MessageLog.ts"
import { emptyTables, forEachDriver } from "../support/databases.ts"
import { freshId, noon } from "../support/journalFacts.ts"
import { type SentStatement, statementsOf } from "../support/statements.ts"

/** Nothing is flushed by the clock here, so that a test says what is. */
const never = 3_600_000

const options = {
  maxWaitingChars: 100_000,
  maxBatch: 100,
  maxBatchBytes: 1_000_000,
  maxFrameBytes: 1000,
  chargerBytesPerDay: 1_000_000,
  organisationBytesPerDay: 10_000_000,
  flushEveryMillis: never,
  useEveryMillis: never
}
const log = MessageLogStorage.layer(options)

const organisationId = freshId()

const frame = (more: Partial<LoggedFrame> = {}): LoggedFrame => ({
  organisationId,
  chargerId: "L-1",
  at: noon,
  direction: "in",
  kind: "CALL",
  action: "Heartbeat",
  messageId: "m",
  frame: "[2]",
  ...more
})

/** All pages of a search, each with what it holds. */
const pagesOf = (chargerId: string, wanted: Omit<MessageSearch, "cursor">) =>
  Effect.gen(function* () {
    const { search } = yield* MessageLog
    const pages: Array<ReadonlyArray<string>> = []
    let cursor: string | null | undefined
    do {
      const page = yield* search(organisationId, chargerId, { ...wanted, cursor: cursor ?? undefined })
      pages.push(page.items.map((item) => item.frame))
      cursor = page.nextCursor
    } while (cursor !== null)
    return pages
  })

const framesOf = (chargerId: string, wanted: Omit<MessageSearch, "cursor" | "limit"> = {}) =>
  Effect.map(pagesOf(chargerId, { ...wanted, limit: 500 }), (pages) => pages.flat())

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM message`
  return row!.n
})

const inserts = (sent: ReadonlyArray<SentStatement>) =>
  sent.filter(({ text }) => text.includes("INSERT INTO message ("))

/** Frames that were given up, as `/metrics` counts them. */
const droppedFrames = (registry: Metric.MetricRegistry, reason?: string): number =>
  Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
    .filter(({ attributes, id }) => {
      return id === "message_log_dropped_total" && (reason ?? attributes?.["reason"]) === attributes?.["reason"]
    })
    .reduce((sum, { state }) => sum + Number("count" in state ? state.count : 0), 0)

/** A log of its own, closed when `use` ends. */
const ownLog = <A, E, R>(
  more: Partial<MessageLogStorage.MessageLogOptions>,
  use: (log: MessageLog["Service"]) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(MessageLogStorage.layer({ ...options, ...more }))
    return yield* Effect.provide(Effect.flatMap(MessageLog, use), context)
  }).pipe(Effect.scoped)

forEachDriver("the log of messages", log, (it) => {
  it.effect("finds what went wrong: errors, what is no frame, and answers that refuse", () =>
    Effect.gen(function* () {
      const { append } = yield* MessageLog
      const troubled = [
        frame({ chargerId: "L-BAD", kind: "CALLERROR", frame: '[4,"a","InternalError","",{}]' }),
        frame({ chargerId: "L-BAD", kind: "Malformed", frame: "what" }),
        frame({ chargerId: "L-BAD", kind: "CALLRESULT", frame: '[3,"b",{"status" : "Rejected"}]' }),
        frame({ chargerId: "L-BAD", kind: "CALLRESULT", frame: '[3,"c",{"idTagInfo":{"status":"Blocked"}}]' })
      ]
      const well = [
        frame({ chargerId: "L-BAD", kind: "CALLRESULT", frame: '[3,"d",{"status":"Accepted"}]' }),
        frame({ chargerId: "L-BAD", kind: "CALL", frame: '[2,"e","StatusNotification",{"status":"Faulted"}]' })
      ]
      for (const [n, one] of [...troubled, ...well].entries()) append({ ...one, at: noon + n })
      const found = yield* framesOf("L-BAD", { isTrouble: true })
      assert.deepStrictEqual(found.toSorted(), troubled.map((one) => one.frame).toSorted())
      assert.lengthOf(yield* framesOf("L-BAD"), 6)
    })
  )

  it.effect("shows the newest first, page by page, also where many share a millisecond", () =>
    Effect.gen(function* () {
      const { append } = yield* MessageLog
      for (let n = 0; n < 7; n++) append(frame({ chargerId: "L-1", at: noon + Math.floor(n / 4), frame: `[${n}]` }))
      append(frame({ chargerId: "L-1-other", frame: "[99]" }))
      assert.deepStrictEqual(yield* pagesOf("L-1", { limit: 3 }), [
        ["[6]", "[5]", "[4]"],
        ["[3]", "[2]", "[1]"],
        ["[0]"]
      ])
      // What comes in between two pages neither repeats nor hides anything.
      const { search } = yield* MessageLog
      const first = yield* search(organisationId, "L-1", { limit: 3 })
      append(frame({ chargerId: "L-1", at: noon + 9, frame: "[new]" }))
      const second = yield* search(organisationId, "L-1", { limit: 3, cursor: first.nextCursor ?? undefined })
      assert.deepStrictEqual(
        second.items.map((item) => item.frame),
        ["[3]", "[2]", "[1]"]
      )
    })
  )

  it.effect("gives back all that a frame is known by", () =>
    Effect.gen(function* () {
      const { append, search } = yield* MessageLog
      const said = frame({
        chargerId: "L-2",
        at: noon + 123,
        direction: "out",
        kind: "CALLERROR",
        action: "BootNotification",
        messageId: "id'\"\\;--",
        frame: '[4,"id","InternalError","\u001b[31m\r\n<script>é👩‍👩‍👧","{}"]'
      })
      append(said)
      const { items, nextCursor } = yield* search(organisationId, "L-2", { limit: 10 })
      assert.isNull(nextCursor)
      const [{ id, ...rest } = { id: "" }] = items
      assert.match(id, /^\d+$/)
      assert.deepStrictEqual(rest, { ...said, cutFrom: null })
    })
  )

  it.effect("finds by time, from the first moment up to the last, and by action", () =>
    Effect.gen(function* () {
      const { append } = yield* MessageLog
      for (let n = 0; n < 5; n++) {
        const action = n % 2 === 0 ? "Authorize" : "MeterValues"
        append(frame({ chargerId: "L-3", at: noon + n * 1000, action, frame: `[${n}]` }))
      }
      assert.deepStrictEqual(yield* framesOf("L-3", { from: noon + 1000, to: noon + 3000 }), ["[2]", "[1]"])
      assert.deepStrictEqual(yield* framesOf("L-3", { from: noon + 4000 }), ["[4]"])
      assert.deepStrictEqual(yield* framesOf("L-3", { to: noon }), [])
      assert.deepStrictEqual(yield* framesOf("L-3", { actions: ["MeterValues"] }), ["[3]", "[1]"])
      assert.deepStrictEqual(yield* framesOf("L-3", { actions: ["MeterValues"], from: noon + 2000 }), ["[3]"])
      assert.deepStrictEqual(yield* framesOf("L-3", { actions: ["metervalues"] }), [])
    })
  )

  it.effect("finds by several actions, by kind, and by a part of the frame or its id", () =>
    Effect.gen(function* () {
      const { append } = yield* MessageLog
      const told = [
        { action: "Authorize", frame: '[2,"a","Authorize",{"idTag":"Card_1"}]', messageId: "a" },
        { action: "Authorize", kind: "CALLRESULT", direction: "out", frame: '[3,"a",{}]', messageId: "a" },
        { action: "MeterValues", frame: '[2,"b-77","MeterValues",{"x":"100%"}]', messageId: "b-77" },
        {
          action: "MeterValues",
          kind: "CALLERROR",
          direction: "out",
          frame: '[4,"b-77","GenericError","",{}]',
          messageId: "b-77"
        },
        { action: "", kind: "Malformed", frame: "card_1 but no frame", messageId: "" }
      ] as const
      told.forEach((one, n) => append(frame({ chargerId: "L-20", at: noon + n, ...one })))
      const found = (wanted: Omit<MessageSearch, "cursor" | "limit">) =>
        Effect.map(framesOf("L-20", wanted), (frames) =>
          frames.map((text) => told.findIndex((one) => one.frame === text))
        )
      assert.deepStrictEqual(yield* found({ actions: ["Authorize", "MeterValues"] }), [3, 2, 1, 0])
      assert.deepStrictEqual(yield* found({ kinds: ["CALLERROR", "Malformed"] }), [4, 3])
      assert.deepStrictEqual(yield* found({ text: "cArD_1" }), [4, 0])
      assert.deepStrictEqual(yield* found({ text: "card%1" }), [])
      assert.deepStrictEqual(yield* found({ text: "100%" }), [2])
      assert.deepStrictEqual(yield* found({ text: "b-7", kinds: ["CALL"] }), [2])
    })
  )

  it.effect("looks through a bounded part of the log for a rare word, and goes on from there", () =>
    Effect.gen(function* () {
      const { search } = yield* MessageLog
      const sql = yield* SqlClient.SqlClient
      const count = searchedFrames * 2 + 500
      // The word is in the oldest frame alone; many share a millisecond.
      yield* sql`
        INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame)
        SELECT ${organisationId}::uuid, 'L-21', to_timestamp((${noon}::float8 + n / 3) / 1000), 'in', 'CALL', 'Heartbeat', 'm' || n,
          CASE WHEN n = 0 THEN 'the Needle' ELSE 'hay ' || n END FROM generate_series(0, ${count - 1}::int) n`
      const wanted = { text: "needle", limit: 50 }
      const first = yield* search(organisationId, "L-21", wanted)
      assert.deepStrictEqual([first.items.length, first.nextCursor !== null], [0, true])
      assert.deepStrictEqual(yield* pagesOf("L-21", wanted), [[], [], ["the Needle"]])
      // Without a word nothing is bounded but the page.
      const pages = yield* pagesOf("L-21", { limit: 500 })
      assert.strictEqual(pages.flat().length, count)
      // What is found is found once, wherever a page ends.
      const some = yield* pagesOf("L-21", { text: "7", limit: 400 })
      const wants = Array.from({ length: count - 1 }, (_, n) => `hay ${n + 1}`).filter((text) => text.includes("7"))
      const ids = yield* sql<{
        n: number
      }>`SELECT count(*)::int AS n FROM message WHERE charger_id = 'L-21' AND (frame LIKE '%7%' OR message_id LIKE '%7%')`
      assert.strictEqual(some.flat().length, ids[0]!.n)
      assert.deepStrictEqual(
        some
          .flat()
          .filter((text) => text.includes("7"))
          .toSorted(),
        wants.toSorted()
      )
    })
  )

  it.effect("hands each frame over once in the order in which it was written, late ones as well", () =>
    Effect.gen(function* () {
      const { append, search, tail, written } = yield* MessageLog
      const words: Array<string> = []
      yield* Effect.forkScoped(Stream.runForEach(written, (chargerId) => Effect.sync(() => void words.push(chargerId))))
      yield* Effect.yieldNow
      const flush = search(organisationId, "L-22", { limit: 1 })
      let position: TailPosition = { from: noon, id: "0" }
      const read = Effect.gen(function* () {
        const frames = yield* tail(organisationId, "L-22", position, 100)
        position = tailBehind(position, frames)
        return frames.map((one) => one.frame)
      })
      append(frame({ chargerId: "L-22", at: noon - 1, frame: "[before]" }))
      append(frame({ chargerId: "L-22", at: noon + 5, frame: "[1]" }))
      append(frame({ chargerId: "L-22-other", at: noon + 5, frame: "[other]" }))
      yield* flush
      assert.deepStrictEqual(yield* read, ["[1]"])
      append(frame({ chargerId: "L-22", at: noon + 90_000, frame: "[2]" }))
      yield* flush
      // It was received before the one above, and waited longer.
      append(frame({ chargerId: "L-22", at: noon + 40_000, frame: "[late]" }))
      yield* flush
      assert.deepStrictEqual(yield* read, ["[2]", "[late]"])
      assert.deepStrictEqual(yield* read, [])
      assert.deepStrictEqual(yield* tail(freshId(), "L-22", { from: 0, id: "0" }, 100), [])
      assert.includeMembers(words, ["L-22", "L-22-other"])
      const again = parseTail(formatTail(position))
      assert.deepStrictEqual(again, position)
      for (const text of ["", "x", "1", "1-", "-1-2", "1-99999999999999999999", "99999999999999999-1"]) {
        assert.isUndefined(parseTail(text), text)
      }
    })
  )

  it.effect("shows an organisation nothing of another one's charger, nor takes another list's cursor", () =>
    Effect.gen(function* () {
      const { append, search } = yield* MessageLog
      append(frame({ chargerId: "L-4", frame: "[ours]" }))
      const page = yield* search(freshId(), "L-4", { limit: 10 })
      assert.deepStrictEqual(page, { items: [], nextCursor: null })
      const refused = yield* Effect.result(search(organisationId, "L-4", { limit: 10, cursor: "bm9uc2Vuc2U" }))
      assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : "found", "InvalidInput")
    })
  )

  it.effect("keeps a frame that holds U+0000, which a text of the database cannot", () =>
    Effect.gen(function* () {
      const { append, search } = yield* MessageLog
      append(frame({ chargerId: "L-5", kind: "Malformed", action: "a\0", messageId: "\0", frame: "no \0 JSON" }))
      append(frame({ chargerId: "L-5", frame: "[neighbour]" }))
      const { items } = yield* search(organisationId, "L-5", { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ action, frame, messageId }) => [action, messageId, frame]),
        [
          ["Heartbeat", "m", "[neighbour]"],
          ["a\\u0000", "\\u0000", "no \\u0000 JSON"]
        ]
      )
    })
  )

  it.effect("writes many frames in one statement, and the rest in the next", () =>
    Effect.gen(function* () {
      const sent = yield* statementsOf(
        ownLog({ maxBatch: 100 }, ({ append }) =>
          Effect.sync(() => {
            for (let n = 0; n < 250; n++) append(frame({ chargerId: "L-6", frame: `[${n}]` }))
          })
        )
      )
      assert.lengthOf(inserts(sent), 3)
      assert.lengthOf(yield* framesOf("L-6"), 250)
    })
  )

  it.effect("drops and counts what there is no room for, and takes more once there is", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      const kept = yield* ownLog({ maxWaitingChars: 100 }, ({ append, search }) =>
        Effect.gen(function* () {
          for (let n = 0; n < 15; n++) append(frame({ chargerId: "L-7", frame: "0123456789" }))
          assert.strictEqual(droppedFrames(registry), 5)
          assert.lengthOf((yield* search(organisationId, "L-7", { limit: 100 })).items, 10)
          append(frame({ chargerId: "L-7", frame: "after" }))
          append(frame({ chargerId: "L-7", frame: "x".repeat(101) }))
          return yield* search(organisationId, "L-7", { limit: 1 })
        })
      ).pipe(Effect.provideService(Metric.MetricRegistry, registry))
      assert.strictEqual(kept.items[0]?.frame, "after")
      assert.strictEqual(droppedFrames(registry), 6)
    })
  )

  it.effect("keeps the beginning of a long frame, and says how long it was", () =>
    Effect.gen(function* () {
      const { append, search } = yield* MessageLog
      const long = `a${"👩".repeat(400)}`
      append(frame({ chargerId: "L-10", at: noon, frame: "x".repeat(1000) }))
      append(frame({ chargerId: "L-10", at: noon + 1, frame: long }))
      append(frame({ chargerId: "L-10", at: noon + 2, frame: "\0".repeat(400) }))
      append(frame({ chargerId: "L-10", at: noon + 3, action: "a".repeat(5000), messageId: "m".repeat(5000) }))
      const { items } = yield* search(organisationId, "L-10", { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ action, cutFrom, frame, messageId }) => [frame, cutFrom, action.length, messageId.length]),
        [
          ["[2]", null, 255, 255],
          ["\\u0000".repeat(166) + "\\u00", 400, 9, 1],
          [long.slice(0, 499), 1601, 9, 1],
          ["x".repeat(1000), null, 9, 1]
        ]
      )
    })
  )

  it.effect(
    "grows by a charger's budget and a frame, whatever it sends, leaves others theirs, and goes on the next day",
    () =>
      Effect.gen(function* () {
        yield* emptyTables
        const registry: Metric.MetricRegistry = new Map()
        const lines: Array<unknown> = []
        const told = Logger.layer([Logger.make(({ message }) => lines.push(message))])
        const limits = { chargerBytesPerDay: 20_000, organisationBytesPerDay: 50_000 }
        const flood = (append: (frame: LoggedFrame) => void, chargerId: string, at: number) => {
          for (let n = 0; n < 50; n++) append(frame({ chargerId, at, frame: "x".repeat(800) }))
        }
        yield* ownLog(limits, ({ append, search }) =>
          Effect.gen(function* () {
            flood(append, "L-11", noon)
            const counted = (reason: string) => droppedFrames(registry, reason)
            // 1,013 bytes a frame with its names and its row: the twentieth uses the budget up.
            assert.strictEqual(counted("charger-budget"), 30)
            append(frame({ chargerId: "L-11-quiet" }))
            assert.lengthOf((yield* search(organisationId, "L-11", { limit: 100 })).items, 20)
            assert.lengthOf((yield* search(organisationId, "L-11-quiet", { limit: 100 })).items, 1)
            assert.lengthOf(lines, 1)
            for (const other of ["L-11-b", "L-11-c"]) flood(append, other, noon)
            assert.isAbove(counted("organisation-budget"), 0)
            append(frame({ chargerId: "L-11-other", organisationId: freshId() }))
            const whole = droppedFrames(registry)
            assert.strictEqual(counted("charger-budget") + counted("organisation-budget"), whole)
            yield* search(organisationId, "L-11", { limit: 1 })
            const sql = yield* SqlClient.SqlClient
            const [row] = yield* sql<{ bytes: number; others: number }>`
            SELECT sum(octet_length(frame)) FILTER (WHERE organisation_id = ${organisationId}::uuid)::int AS bytes,
              (count(*) FILTER (WHERE organisation_id <> ${organisationId}::uuid))::int AS others FROM message`
            assert.isAtMost(row!.bytes, limits.organisationBytesPerDay + 800)
            assert.strictEqual(row!.others, 1)
            append(frame({ chargerId: "L-11", at: noon + 86_400_000, frame: "[tomorrow]" }))
            const [newest] = (yield* search(organisationId, "L-11", { limit: 1 })).items
            assert.strictEqual(newest?.frame, "[tomorrow]")
            assert.strictEqual(droppedFrames(registry), whole)
          })
        ).pipe(Effect.provideService(Metric.MetricRegistry, registry), Effect.provide(told))
      })
  )

  it.effect("goes on with what is left of the day after a restart, by one statement", () =>
    Effect.gen(function* () {
      yield* emptyTables
      const now = yield* Clock.currentTimeMillis
      // The log of before is of an earlier moment of the same day.
      const clock = yield* Clock.Clock
      const at = Math.floor(now / 86_400_000) * 86_400_000 + 1000
      const later = at + 60_000
      const held: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
        currentTimeMillis: Effect.succeed(later),
        currentTimeMillisUnsafe: () => later
      })
      const limits = { chargerBytesPerDay: 20_000 }
      const say = (append: (frame: LoggedFrame) => void, n: number, at: number) => {
        for (; n > 0; n--) append(frame({ chargerId: "L-12", at, frame: "x".repeat(800) }))
      }
      yield* ownLog(limits, ({ append }) => Effect.sync(() => say(append, 15, at)))
      yield* ownLog(limits, ({ append, search }) =>
        Effect.gen(function* () {
          yield* search(organisationId, "L-12", { limit: 1 })
          // What restores runs on a connection of its own, and shows nothing when it is done: it has a second.
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1_000)))
          let kept = 15
          while (kept < 100) {
            say(append, 1, later)
            const n = (yield* search(organisationId, "L-12", { limit: 100 })).items.length
            if (n === kept) break
            kept = n
          }
          assert.strictEqual(kept, 20)
        })
      ).pipe(Effect.provideService(Clock.Clock, held), Effect.provide(Logger.layer([])))
    })
  )

  it.effect(
    "reads no frame when it starts: a large fleet's day of them would hold an embedded database up for longer than it may be silent",
    () =>
      Effect.gen(function* () {
        yield* emptyTables
        yield* ownLog({}, ({ append }) => Effect.sync(() => append(frame({ chargerId: "L-14" }))))
        const began = yield* statementsOf(
          ownLog({}, () => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 500))))
        )
        assert.isAbove(began.length, 0)
        assert.deepStrictEqual(
          began.filter(({ text }) => /FROM message\b(?!_)/.test(text)),
          []
        )
      })
  )

  it.effect(
    "stores now and then what was used of the day, of both organisations of a charger that moved, and forgets the day before",
    () =>
      Effect.gen(function* () {
        yield* emptyTables
        const sql = yield* SqlClient.SqlClient
        const other = freshId()
        yield* sql`INSERT INTO message_use (day, organisation_id, charger_id, bytes) VALUES ('2020-01-01', ${other}, 'L-15', 5)`
        const used = sql<{ charger: string; organisation: string; bytes: number }>`
        SELECT charger_id AS charger, organisation_id AS organisation, bytes::float8 AS bytes FROM message_use ORDER BY bytes, charger_id`
        const expected = [
          { charger: "L-15", organisation: other, bytes: 213 },
          { charger: "L-16", organisation: organisationId, bytes: 213 },
          { charger: "L-15", organisation: organisationId, bytes: 426 }
        ]
        yield* ownLog({ useEveryMillis: 20 }, ({ append }) =>
          Effect.gen(function* () {
            for (const chargerId of ["L-15", "L-16", "L-15"]) append(frame({ chargerId }))
            append(frame({ chargerId: "L-15", organisationId: other }))
            let stored = yield* used
            for (let tries = 0; tries < 100 && stored.length !== expected.length; tries++) {
              yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
              stored = yield* used
            }
            assert.deepStrictEqual([...stored], expected)
          })
        )
        assert.deepStrictEqual([...(yield* used)], expected)
      })
  )

  it.effect("has no more text in a statement than it may", () =>
    Effect.gen(function* () {
      const sent = yield* statementsOf(
        ownLog({ maxBatchBytes: 2500 }, ({ append }) =>
          Effect.sync(() => {
            for (let n = 0; n < 6; n++) append(frame({ chargerId: "L-13", frame: "x".repeat(800) }))
          })
        )
      )
      assert.lengthOf(inserts(sent), 3)
      assert.lengthOf(yield* framesOf("L-13"), 6)
    })
  )

  it.effect("writes what still waits when it is closed", () =>
    Effect.gen(function* () {
      yield* emptyTables
      yield* ownLog({}, ({ append }) =>
        Effect.gen(function* () {
          append(frame({ chargerId: "L-8", frame: "[last]" }))
          assert.strictEqual(yield* stored, 0)
        })
      )
      assert.strictEqual(yield* stored, 1)
    })
  )

  it.effect("gives up and counts a batch that the database does not take, and goes on with the next", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      yield* ownLog({ maxBatch: 1 }, ({ append, search }) =>
        Effect.gen(function* () {
          append(frame({ chargerId: "L-9", organisationId: "no uuid", frame: "[lost]" }))
          append(frame({ chargerId: "L-9", frame: "[kept]" }))
          const { items } = yield* search(organisationId, "L-9", { limit: 10 })
          assert.deepStrictEqual(
            items.map((item) => item.frame),
            ["[kept]"]
          )
        })
      ).pipe(Effect.provideService(Metric.MetricRegistry, registry), Effect.provide(Logger.layer([])))
      assert.strictEqual(droppedFrames(registry), 1)
    })
  )
})
