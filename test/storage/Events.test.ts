/** The event feed on both databases: every event of an organisation once and in order, despite concurrent writers, with its site. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { EventCursor } from "../../src/domain/event/Event.ts"
import { type EventFilter, Events } from "../../src/domain/event/Events.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { ended, freshId, metered, noon, seedChargers, started, transferred } from "../support/journalFacts.ts"
import { anOrganisation, failureOf, repositories } from "../support/repositories.ts"

const start: EventCursor = { position: 0, index: undefined }

const ports = JournalStorage.layer({ maxBatchFacts: 7, maxWaiting: 10_000, patienceMillis: 10_000 }).pipe(
  Layer.provideMerge(repositories)
)

/** Reads pages until nothing is left; `sizes` are the limits, in turn. */
const everything = (organisationId: string, filter: EventFilter = {}, sizes: ReadonlyArray<number> = [50]) =>
  Effect.gen(function* () {
    const events = yield* Events
    const found: Array<{ readonly id: string; readonly type: string; readonly subject: string }> = []
    let after = start
    for (let n = 0; ; n++) {
      const page = yield* events.page(organisationId, { ...filter, after, limit: sizes[n % sizes.length] ?? 50 })
      assert.isAtMost(page.events.length, sizes[n % sizes.length] ?? 50)
      found.push(...page.events)
      after = page.next
      if (page.isEnd) return found
    }
  })

const card = (uid: string) => ({
  uid,
  type: "RFID" as const,
  status: "Accepted" as const,
  parentUid: undefined,
  expiresAt: undefined,
  visualNumber: undefined,
  note: undefined
})

forEachDriver("Events", ports, (it) => {
  it.effect("come in the order of the journal, with the site of the charger", () =>
    Effect.gen(function* () {
      const [events, journal] = [yield* Events, yield* Journal]
      const seeded = yield* seedChargers(["E-1"])
      const tx = { chargerId: "E-1", sessionId: freshId(), transactionId: 1 }
      yield* journal.commit([started(seeded, tx)])
      yield* journal.commit([transferred(seeded, "E-1", "E-1:unpublished")])
      yield* journal.commit([metered(seeded, tx, noon + 1000, 2000)])
      yield* journal.commit([ended(seeded, tx)])
      const page = yield* events.page(seeded.organisationId, { after: start, limit: 10 })
      assert.deepStrictEqual(
        page.events.map(({ data, type }) => [type, (data as { readonly siteId?: string | null }).siteId]),
        ["session.started", "session.updated", "session.ended"].map((type) => [type, seeded.siteId])
      )
      assert.isTrue(page.isEnd)
      const again = yield* events.page(seeded.organisationId, { after: page.next, limit: 10 })
      assert.deepStrictEqual([again.events, again.next, again.isEnd], [[], page.next, true])
    })
  )

  it.effect("can be filtered by type, site and charger, and belong to one organisation alone", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const [one, other] = [yield* seedChargers(["F-1", "F-2"]), yield* seedChargers(["G-1"])]
      const tx = (chargerId: string) => ({ chargerId, sessionId: freshId(), transactionId: 1 })
      const [f1, f2, g1] = [tx("F-1"), tx("F-2"), tx("G-1")]
      yield* journal.commit([started(one, f1)])
      yield* journal.commit([started(other, g1)])
      yield* journal.commit([started(one, f2)])
      yield* journal.commit([ended(one, f1)])
      const subjects = (filter: EventFilter) =>
        Effect.map(everything(one.organisationId, filter), (found) => found.map(({ subject, type }) => [type, subject]))
      const [s1, s2] = [`session:${f1.sessionId}`, `session:${f2.sessionId}`]
      assert.deepStrictEqual(yield* subjects({ types: ["session.started"] }), [
        ["session.started", s1],
        ["session.started", s2]
      ])
      assert.deepStrictEqual(yield* subjects({ chargerId: "F-1" }), [
        ["session.started", s1],
        ["session.ended", s1]
      ])
      assert.deepStrictEqual(yield* subjects({ siteId: one.siteId, types: ["session.ended"] }), [["session.ended", s1]])
      assert.deepStrictEqual(yield* subjects({ siteId: other.siteId }), [])
      assert.deepStrictEqual(yield* subjects({ chargerId: "G-1" }), [])
      assert.deepStrictEqual(yield* subjects({ siteId: "no id" }), [])
    })
  )

  it.effect("about a held session are found by its charger and site", () =>
    Effect.gen(function* () {
      const [journal, reviews] = [yield* Journal, yield* SessionReviews]
      const seeded = yield* seedChargers(["H-14", "H-15"])
      const { organisationId } = seeded
      const tx = (chargerId: string) => ({ chargerId, sessionId: freshId(), transactionId: 1 })
      const [h4, h5] = [tx("H-14"), tx("H-15")]
      for (const one of [h4, h5]) {
        yield* journal.commit([started(seeded, one)])
        yield* journal.commit([ended(seeded, one)])
      }
      yield* reviews.hold([{ sessionId: h4.sessionId, organisationId, reason: "EnergyImplausible" }], noon)
      const held = (filter: EventFilter) =>
        Effect.map(everything(organisationId, { types: ["session.held"], ...filter }), (found) =>
          found.map(({ subject }) => subject)
        )
      assert.deepStrictEqual(yield* held({ chargerId: "H-14" }), [`session:${h4.sessionId}`])
      assert.deepStrictEqual(yield* held({ chargerId: "H-15" }), [])
      assert.deepStrictEqual(yield* held({ siteId: seeded.siteId }), [`session:${h4.sessionId}`])
      assert.deepStrictEqual(yield* held({ siteId: freshId() }), [])
    })
  )

  it.effect("of a removed charger are found by the site and charger of the session", () =>
    Effect.gen(function* () {
      const [journal, sql] = [yield* Journal, yield* SqlClient.SqlClient]
      const seeded = yield* seedChargers(["H-1"])
      const tx = { chargerId: "H-1", sessionId: freshId(), transactionId: 1 }
      yield* journal.commit([started(seeded, tx)])
      yield* sql`DELETE FROM charger WHERE charger_id = 'H-1'`
      for (const filter of [{ siteId: seeded.siteId }, { chargerId: "H-1" }]) {
        const found = yield* everything(seeded.organisationId, filter)
        assert.deepStrictEqual(
          found.map(({ subject }) => subject),
          [`session:${tx.sessionId}`]
        )
      }
    })
  )

  it.effect("about a reading have the EVSE, connector and power of the session, and its last computed cost", () =>
    Effect.gen(function* () {
      const [events, journal, reviews, sql] = [
        yield* Events,
        yield* Journal,
        yield* SessionReviews,
        yield* SqlClient.SqlClient
      ]
      const seeded = yield* seedChargers(["H-2"])
      const stranger = yield* seedChargers(["H-3"])
      const tx = { chargerId: "H-2", sessionId: freshId(), transactionId: 1 }
      const reading = metered(seeded, tx, noon + 1000, 2000)
      yield* journal.commit([started(seeded, tx)])
      yield* journal.commit([{ ...reading, body: { ...reading.body, powerW: 11_040, powerAt: noon + 1000 } }])
      const updates = (organisationId: string) =>
        Effect.map(events.page(organisationId, { after: start, limit: 10, types: ["session.updated"] }), (page) =>
          page.events.flatMap(({ data, type }) =>
            type === "session.updated" ? [[data.reason, data.evseId, data.connectorId, data.powerW, data.cost]] : []
          )
        )
      assert.deepStrictEqual(yield* updates(seeded.organisationId), [["MeterRead", 1, 1, 11_040, null]])
      const cost = { currency: "EUR", exclVat: 1.5, inclVat: 1.86 }
      const price = JSON.stringify({ ...cost, periods: [] })
      const insert = (organisationId: string) => sql`
        INSERT INTO session_price (session_id, organisation_id, based_on, price)
        VALUES (${tx.sessionId}, ${organisationId}, now(), ${price}::text::jsonb)`
      yield* insert(seeded.organisationId)
      yield* journal.commit([ended(seeded, tx)])
      const { organisationId } = seeded
      const by = { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
      yield* reviews.hold([{ sessionId: tx.sessionId, organisationId, reason: "EnergyImplausible" }], noon)
      yield* reviews.release(tx.sessionId, { by, now: noon })
      assert.deepStrictEqual(yield* updates(organisationId), [
        ["MeterRead", 1, 1, 11_040, cost],
        ["Released", 1, 1, null, cost]
      ])
      // The same when read by position, as webhooks do.
      const page = yield* events.page(organisationId, { after: start, limit: 10 })
      const positions = page.events.map(({ id }) => Number.parseInt(id, 10))
      const facts = yield* events.facts(organisationId, positions)
      assert.deepStrictEqual(
        facts.filter(({ type }) => type === "MeterRead").map((fact) => fact.cost),
        [cost]
      )
      yield* sql`UPDATE session_price SET organisation_id = ${stranger.organisationId} WHERE session_id = ${tx.sessionId}`
      assert.deepStrictEqual((yield* updates(organisationId))[0]?.at(-1), null)
    })
  )

  it.effect("about registered, changed and removed chargers are found at their current or last site", () =>
    Effect.gen(function* () {
      const [chargers, events, sites] = [yield* Chargers, yield* Events, yield* Sites]
      const ours = yield* anOrganisation
      const home = yield* sites.create({ name: "Home" }, ours.writing())
      const away = yield* sites.create({ name: "Away" }, ours.writing())
      const wanted = { chargerId: "H-4", name: "Left", siteId: home.id, passwordVerifier: undefined }
      yield* chargers.register({ ...wanted, securityProfile: 0 }, ours.writing())
      yield* chargers.update("H-4", { name: "Right" }, ours.writing())
      yield* chargers.update("H-4", { name: "Right" }, ours.writing())
      yield* chargers.update("H-4", { siteId: away.id }, ours.writing())
      yield* chargers.remove("H-4", ours.writing())
      const changesAt = (siteId: string) =>
        Effect.map(
          events.page(ours.id, { after: start, limit: 10, siteId, types: ["charger.changed"] }),
          ({ events }) =>
            events.map(({ data, type }) =>
              type === "charger.changed" ? [data.change, data.name, data.siteId, data.fields.join()] : []
            )
        )
      assert.deepStrictEqual(yield* changesAt(away.id), [["Removed", "Right", away.id, ""]])
      yield* chargers.register({ ...wanted, securityProfile: 0 }, ours.writing())
      assert.deepStrictEqual(yield* changesAt(home.id), [
        ["Created", "Left", home.id, ""],
        ["Changed", "Right", home.id, "name"],
        ["Changed", "Right", home.id, "siteId"],
        ["Removed", "Right", home.id, ""],
        ["Created", "Left", home.id, ""]
      ])
    })
  )

  it.effect("of the same fact come in order, whatever the page size", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const seeded = yield* seedChargers(["I-1"])
      const tx = (n: number) => ({ chargerId: "I-1", sessionId: freshId(), transactionId: n })
      const [first, second] = [tx(1), tx(2)]
      yield* journal.commit([started(seeded, first)])
      yield* journal.commit([started(seeded, second, { supersedes: [first.sessionId] })])
      const whole = yield* everything(seeded.organisationId)
      assert.deepStrictEqual(
        whole.map(({ type }) => type),
        ["session.started", "session.ended", "session.held", "session.started"]
      )
      for (const sizes of [[1], [2], [3], [1, 2]]) {
        assert.deepStrictEqual(yield* everything(seeded.organisationId, {}, sizes), whole)
      }
      const held = yield* everything(seeded.organisationId, { types: ["session.held"] }, [1])
      assert.deepStrictEqual(held, [whole[2]!])
    })
  )

  it.effect("are never missed by a reader during concurrent writes", () =>
    Effect.gen(function* () {
      const [events, journal, tokens] = [yield* Events, yield* Journal, yield* Tokens]
      const chargers = Array.from({ length: 8 }, (_, n) => `J-${n}`)
      const seeded = yield* seedChargers(chargers)
      const organisation = yield* anOrganisation
      let isWritten = false
      const seen: Array<string> = []
      const reader = Effect.gen(function* () {
        let after = start
        for (;;) {
          const last = isWritten
          const page = yield* events.page(seeded.organisationId, { after, limit: 3 })
          seen.push(...page.events.map(({ id }) => id))
          after = page.next
          if (page.isEnd && last) return
          if (page.isEnd) yield* Effect.sleep(1)
        }
      })
      const writer = (chargerId: string) =>
        Effect.forEach(
          Array.from({ length: 15 }, (_, n) => n),
          (n) => {
            const tx = { chargerId, sessionId: freshId(), transactionId: n }
            return Effect.andThen(journal.commit([started(seeded, tx)]), journal.commit([ended(seeded, tx)]))
          }
        )
      const others = Effect.forEach(
        Array.from({ length: 30 }, (_, n) => n),
        (n) => tokens.create(card(`J${n}`), organisation.writing())
      )
      const writers = Effect.all([...chargers.map(writer), others], { concurrency: "unbounded" })
      const written = Effect.andThen(
        writers,
        Effect.sync(() => (isWritten = true))
      )
      yield* Effect.all([reader, written], { concurrency: "unbounded" })
      const whole = yield* everything(seeded.organisationId)
      assert.strictEqual(whole.length, 8 * 15 * 2)
      assert.deepStrictEqual(
        seen,
        whole.map(({ id }) => id)
      )
    })
  )

  it.effect("far apart are found by reading on through empty pages", () =>
    Effect.gen(function* () {
      const [events, sql] = [yield* Events, yield* SqlClient.SqlClient]
      const organisation = yield* anOrganisation
      const tokens = yield* Tokens
      yield* tokens.create(card("BEFORE"), organisation.writing())
      yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), ${freshId()}, 'MeterRead', 'charger:X', now(), now(), '{}'
        FROM generate_series(1, 45000) n`
      yield* tokens.create(card("AFTER"), organisation.writing())
      let after = start
      const found: Array<string> = []
      let pages = 0
      for (;;) {
        const page = yield* events.page(organisation.id, { after, limit: 5 })
        found.push(...page.events.map(({ subject }) => subject))
        after = page.next
        pages++
        if (page.isEnd) break
      }
      assert.deepStrictEqual(found, ["token:BEFORE", "token:AFTER"])
      assert.isAbove(pages, 1)
    })
  )

  it.effect("refuse a cursor that is ahead of the journal", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const { position } = yield* events.now
      const ahead = events.page(freshId(), { after: { position: position + 1, index: undefined }, limit: 1 })
      assert.deepStrictEqual(yield* failureOf(ahead), ["Conflict", "cursor_unknown"])
      const at = yield* events.page(freshId(), { after: { position, index: undefined }, limit: 1 })
      assert.deepStrictEqual([at.events, at.isEnd], [[], true])
    })
  )

  it.effect("are found by position, but not by another organisation", () =>
    Effect.gen(function* () {
      const [events, journal] = [yield* Events, yield* Journal]
      const seeded = yield* seedChargers(["K-1"])
      const tx = { chargerId: "K-1", sessionId: freshId(), transactionId: 1 }
      yield* journal.commit([started(seeded, tx)])
      const [event] = yield* everything(seeded.organisationId)
      const found = yield* events.facts(seeded.organisationId, [Number(event?.id)])
      assert.deepStrictEqual(
        found.map(({ chargerId, siteId, type }) => [type, chargerId, siteId]),
        [["SessionStarted", "K-1", seeded.siteId]]
      )
      assert.deepStrictEqual(yield* events.facts(freshId(), [Number(event?.id)]), [])
    })
  )
})
