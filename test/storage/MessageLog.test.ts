import { assert } from "@effect/vitest"
import { Clock, Effect, Logger, Metric, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import {
  formatTail,
  MessageLog,
  type MessageSearch,
  parseTail,
  searchedFrames,
  tailBehind,
  type TailPosition
} from "../../src/domain/charger/MessageLog.ts"
import { maintain } from "../../src/storage/kernel/Partitions.ts"
import { emptyTables, forEachDriver } from "../support/databases.ts"
import { freshId, noon } from "../support/journalFacts.ts"
import { droppedFrames, frame, log, organisationId, ownLog } from "../support/messageLogs.ts"
import { type SentStatement, statementsOf } from "../support/statements.ts"
import { visitedTables } from "../support/visitedTables.ts"
import { usualRetention } from "../support/retention.ts"

/** The frames of all pages of a search. */
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

forEachDriver("the log of messages", log, (it) => {
  it.effect("finds trouble: errors, malformed frames, and answers that refuse", () =>
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

  it.effect("searches older days only for a page that newer days do not fill", () =>
    Effect.gen(function* () {
      const { append, search } = yield* MessageLog
      const sql = yield* SqlClient.SqlClient
      const now = yield* Clock.currentTimeMillis
      const [minute, day] = [60 * 1000, 24 * 60 * 60 * 1000]
      const ages = [0, 1, 2, day - minute, day, day + minute, 3 * day, 7 * day, 8 * day, 20 * day, 29 * day]
      for (const age of [29, 8, 0]) yield* maintain(sql, usualRetention, now - age * day)
      for (const age of ages) append(frame({ chargerId: "L-AGES", at: now - age, frame: `[${age}]` }))
      const frames = ages.map((age) => `[${age}]`)
      for (const limit of [1, 2, 3, 4, 5, 6, 10, 11, 12]) {
        const pages = yield* pagesOf("L-AGES", { limit })
        assert.deepStrictEqual(pages.flat(), frames, `${limit} frames a page`)
        assert.lengthOf(pages, Math.ceil(frames.length / limit))
      }
      const between = { from: now - 20 * day, to: now - day + 1 }
      assert.deepStrictEqual(yield* framesOf("L-AGES", between), frames.slice(4, 10))
      const searched = (wanted: MessageSearch) => visitedTables("message_2%", search(organisationId, "L-AGES", wanted))
      const tableOf = (at: number) => `message_${new Date(at).toISOString().slice(0, 10).replaceAll("-", "")}`
      const yesterday = tableOf(now - day)
      for (const [limit, oldest] of [
        [3, yesterday],
        [6, tableOf(now - 8 * day)],
        [10, tableOf(now - 30 * day)]
      ] as const) {
        assert.strictEqual((yield* searched({ limit }))[0], oldest, `${limit} frames a page`)
      }
      const { nextCursor } = yield* search(organisationId, "L-AGES", { limit: 6 })
      const deeper = yield* searched({ limit: 1, cursor: nextCursor ?? undefined })
      assert.isTrue(
        deeper.every((name) => name <= yesterday),
        deeper.join()
      )
    })
  )

  it.effect("lists frames newest first in pages, also where many share a millisecond", () =>
    Effect.gen(function* () {
      const { append } = yield* MessageLog
      for (let n = 0; n < 7; n++) append(frame({ chargerId: "L-1", at: noon + Math.floor(n / 4), frame: `[${n}]` }))
      append(frame({ chargerId: "L-1-other", frame: "[99]" }))
      assert.deepStrictEqual(yield* pagesOf("L-1", { limit: 3 }), [
        ["[6]", "[5]", "[4]"],
        ["[3]", "[2]", "[1]"],
        ["[0]"]
      ])
      // A frame that arrives between two pages neither repeats nor hides others.
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

  it.effect("returns all fields of a frame", () =>
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

  it.effect("finds frames by action and by time, including `from` and excluding `to`", () =>
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

  it.effect("finds frames by several actions, by kind, and by a part of the text or message id", () =>
    Effect.gen(function* () {
      const { append } = yield* MessageLog
      const logged = [
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
      logged.forEach((one, n) => append(frame({ chargerId: "L-20", at: noon + n, ...one })))
      const found = (wanted: Omit<MessageSearch, "cursor" | "limit">) =>
        Effect.map(framesOf("L-20", wanted), (frames) =>
          frames.map((text) => logged.findIndex((one) => one.frame === text))
        )
      assert.deepStrictEqual(yield* found({ actions: ["Authorize", "MeterValues"] }), [3, 2, 1, 0])
      assert.deepStrictEqual(yield* found({ kinds: ["CALLERROR", "Malformed"] }), [4, 3])
      assert.deepStrictEqual(yield* found({ text: "cArD_1" }), [4, 0])
      assert.deepStrictEqual(yield* found({ text: "card%1" }), [])
      assert.deepStrictEqual(yield* found({ text: "100%" }), [2])
      assert.deepStrictEqual(yield* found({ text: "b-7", kinds: ["CALL"] }), [2])
    })
  )

  it.effect("searches a bounded part of the log for a rare text, and continues from there", () =>
    Effect.gen(function* () {
      const { search } = yield* MessageLog
      const sql = yield* SqlClient.SqlClient
      const count = searchedFrames * 2 + 500
      // The text is in the oldest frame alone; many share a millisecond.
      yield* sql`
        INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame)
        SELECT ${organisationId}::uuid, 'L-21', to_timestamp((${noon}::float8 + n / 3) / 1000), 'in', 'CALL', 'Heartbeat', 'm' || n,
          CASE WHEN n = 0 THEN 'the Needle' ELSE 'hay ' || n END FROM generate_series(0, ${count - 1}::int) n`
      const wanted = { text: "needle", limit: 50 }
      const first = yield* search(organisationId, "L-21", wanted)
      assert.deepStrictEqual([first.items.length, first.nextCursor !== null], [0, true])
      assert.deepStrictEqual(yield* pagesOf("L-21", wanted), [[], [], ["the Needle"]])
      // Without a text only the page size is a limit.
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

  it.effect("returns each frame to a tail once in the order of writing, late ones as well", () =>
    Effect.gen(function* () {
      const { append, search, tail, written } = yield* MessageLog
      const notified: Array<string> = []
      yield* Effect.forkScoped(
        Stream.runForEach(written, (chargerId) => Effect.sync(() => void notified.push(chargerId)))
      )
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
      assert.includeMembers(notified, ["L-22", "L-22-other"])
      const again = parseTail(formatTail(position))
      assert.deepStrictEqual(again, position)
      for (const text of ["", "x", "1", "1-", "-1-2", "1-99999999999999999999", "99999999999999999-1"]) {
        assert.isUndefined(parseTail(text), text)
      }
    })
  )

  it.effect("hides frames from other organisations, and refuses a forged cursor", () =>
    Effect.gen(function* () {
      const { append, search } = yield* MessageLog
      append(frame({ chargerId: "L-4", frame: "[ours]" }))
      const page = yield* search(freshId(), "L-4", { limit: 10 })
      assert.deepStrictEqual(page, { items: [], nextCursor: null })
      const refused = yield* Effect.result(search(organisationId, "L-4", { limit: 10, cursor: "bm9uc2Vuc2U" }))
      assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : "found", "InvalidInput")
    })
  )

  it.effect("stores U+0000 escaped, since a text in the database cannot contain it", () =>
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

  it.effect("writes at most `maxBatch` frames in a statement", () =>
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

  it.effect("drops and counts frames that exceed its buffer, and accepts more once there is room", () =>
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

  it.effect("keeps the beginning of a long frame, and records how long it was", () =>
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

  it.effect("writes at most `maxBatchBytes` in a statement", () =>
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

  it.effect("writes waiting frames when it is closed", () =>
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

  it.effect("drops and counts a batch that the database refuses, and continues with the next", () =>
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
