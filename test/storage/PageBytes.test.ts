/**
 * Pages of rows whose size others choose: messages, readings, facts. However many rows a page may have, it is read only up to a size limit,
 * and reading on with its cursor returns every row once.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { EventCursor } from "../../src/domain/event/Event.ts"
import { AuditLog } from "../../src/domain/operator/AuditLog.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Events } from "../../src/domain/event/Events.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { MessageLog } from "../../src/domain/charger/MessageLog.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { limits } from "../../src/Config.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { listedMessageBytes, type Page, pageBytesMost } from "../../src/domain/values/Page.ts"
import { readBytesMost } from "../../src/storage/kernel/Cursor.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import * as MessageLogStorage from "../../src/storage/charging/MessageLog.ts"
import { forEachDriver } from "../support/databases.ts"
import { freshId, metered, noon, seedChargers, started } from "../support/journalFacts.ts"
import { anOrganisation, repositories } from "../support/repositories.ts"

const ports = Layer.mergeAll(
  JournalStorage.layer({ maxBatchFacts: 100, maxWaiting: 100, patienceMillis: 10_000 }),
  MessageLogStorage.layer({ ...limits.messageLog, flushEveryMillis: 3_600_000 })
).pipe(Layer.provideMerge(repositories))

/** Every item of a list, and the bytes of its largest page; each page may have 500 items. */
const walked = <A, E>(page: (cursor: string | undefined) => Effect.Effect<Page<A>, E>) =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let largest = 0
    for (let cursor: string | undefined; ;) {
      const found = yield* page(cursor)
      largest = Math.max(largest, JSON.stringify(found.items).length)
      items.push(...found.items)
      if (found.nextCursor === null) return { items, largest }
      cursor = found.nextCursor
    }
  })

const rowBytes = 300_000
const count = 20
/** A page has the rows that fit, and the one that exceeds the limit. */
const most = readBytesMost + 2 * rowBytes

forEachDriver("A page of large rows", ports, (it) => {
  it.effect("of messages ends where it is full", () =>
    Effect.gen(function* () {
      const { search } = yield* MessageLog
      const sql = yield* SqlClient.SqlClient
      const organisationId = freshId()
      yield* sql`INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame)
        SELECT ${organisationId}::uuid, 'P-1', ${new Date(noon)}::timestamptz + n * interval '1 second', 'in', 'CALL', 'DataTransfer', n::text, repeat('x', ${rowBytes}::int)
        FROM generate_series(1, ${count}::int) n`
      const { items, largest } = yield* walked((cursor) => search(organisationId, "P-1", { limit: 500, cursor }))
      assert.deepStrictEqual(
        items.map(({ messageId }) => Number(messageId)),
        Array.from({ length: count }, (_, n) => count - n)
      )
      assert.isAtMost(largest, most)
      assert.isAbove(largest, pageBytesMost)
    })
  )

  it.effect("of a session's readings ends where it is full", () =>
    Effect.gen(function* () {
      const [journal, sessions] = [yield* Journal, yield* Sessions]
      const seeded = yield* seedChargers(["P-2"])
      const tx = { chargerId: "P-2", sessionId: freshId(), transactionId: 12 }
      yield* journal.commit([started(seeded, tx)])
      for (let n = 0; n < count; n++) {
        const read = metered(seeded, tx, noon + n * 1000, n)
        const [reading] = read.body.readings
        const samples = [{ ...reading!.samples[0]!, format: "SignedData", value: "x".repeat(rowBytes) }]
        yield* journal.commit([{ ...read, body: { ...read.body, readings: [{ ...reading!, samples }] } }])
      }
      const { items, largest } = yield* walked((cursor) =>
        sessions.readings(seeded.organisationId, tx.sessionId, { limit: 500, cursor })
      )
      assert.deepStrictEqual(
        items.map(({ at }) => at),
        Array.from({ length: count }, (_, n) => noon + n * 1000)
      )
      assert.isAtMost(largest, most)
    })
  )

  it.effect("of events and of the audit log ends where it is full", () =>
    Effect.gen(function* () {
      const [audit, events, sql, tokens] = [yield* AuditLog, yield* Events, yield* SqlClient.SqlClient, yield* Tokens]
      const ours = yield* anOrganisation
      for (let n = 0; n < count; n++) {
        yield* tokens.create(
          {
            uid: `P-${n}`,
            type: "RFID",
            status: "Accepted",
            parentUid: undefined,
            expiresAt: undefined,
            visualNumber: undefined,
            note: undefined
          },
          ours.writing(noon)
        )
      }
      yield* sql`UPDATE journal SET body = jsonb_set(body::jsonb, '{after,note}', to_jsonb(repeat('x', ${rowBytes}::int)))::json
        WHERE organisation_id = ${ours.id}::uuid AND subject LIKE 'token:P-%'`
      const logged = yield* walked((cursor) => audit.list(ours.id, { limit: 500, cursor }))
      assert.strictEqual(logged.items.filter(({ subject }) => subject.startsWith("token:")).length, count)
      assert.isAtMost(logged.largest, most)

      const eventIds: Array<string> = []
      let after: EventCursor = { position: 0, index: undefined }
      for (let isEnd = false; !isEnd;) {
        const page = yield* events.page(ours.id, { types: ["token.changed"], after, limit: 500 })
        assert.isAtMost(JSON.stringify(page.events).length, most)
        eventIds.push(...page.events.map(({ id }) => id))
        after = page.next
        isEnd = page.isEnd
      }
      assert.strictEqual(new Set(eventIds).size, count)
      assert.strictEqual(eventIds.length, count)
    })
  )

  it.effect("of chargers has only the beginning of each last message", () =>
    Effect.gen(function* () {
      const [chargers, sql] = [yield* Chargers, yield* SqlClient.SqlClient]
      const seeded = yield* seedChargers(["P-4"])
      yield* sql`INSERT INTO charger_seen (charger_id, last_seen, last_message)
        VALUES ('P-4', ${new Date(noon)}, repeat('x', ${rowBytes}::int))`
      const page = yield* chargers.list(seeded.organisationId, { limit: 500 })
      assert.deepStrictEqual(
        page.items.map(({ lastMessage }) => lastMessage),
        ["x".repeat(listedMessageBytes + 1)]
      )
      const one = yield* chargers.get(seeded.organisationId, "P-4")
      assert.strictEqual(one.lastMessage.length, rowBytes)
    })
  )
})
