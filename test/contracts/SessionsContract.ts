/** What reading sessions must do, on every database. The sessions are inserted by hand, since the journal writes them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Ledgers } from "../../src/domain/session/Ledgers.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions, type SessionFilter } from "../../src/domain/session/Sessions.ts"
import { type ChargingSession, costOf, needsCorrection } from "../../src/domain/session/ChargingSession.ts"
import type { Page } from "../../src/domain/values/Page.ts"
import { record as aRecord } from "./CdrsContract.ts"
import { aReading, aSession, idAt } from "../support/reported.ts"
import { anOrganisation, type ContractIt, failureOf, noon, type TestOrganisation } from "../support/repositories.ts"

const hour = 60 * 60 * 1000

/** A correction that changes no figure. */
const correction = { energyWh: undefined, startedAt: undefined, endedAt: undefined, reason: "checked" }
const siteA = idAt(noon)
const siteB = idAt(noon)

/** Four sessions, the second still running. */
const someSessions = Effect.gen(function* () {
  const ours = yield* anOrganisation
  const add = (n: number, chargerId: string, siteId: string, ended = true) => {
    const startedAt = noon + n * hour
    return aSession(ours, { chargerId, siteId, startedAt, energyWh: n, ...(ended ? { endedAt: startedAt + 1 } : {}) })
  }
  const ids = [
    yield* add(1, "one", siteA),
    yield* add(2, "two", siteA, false),
    yield* add(3, "one", siteB),
    yield* add(4, "three", siteB)
  ]
  return { ours, ids }
})

export const sessionsContract = (it: ContractIt): void => {
  it.effect("a session is read with all its fields, and an unknown id is not found", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const ours = yield* anOrganisation
      const beyondInt4 = 2n ** 52n
      const id = yield* aSession(ours, {
        chargerId: "one",
        siteId: siteA,
        energyWh: 7,
        endedAt: noon + 9,
        meterStartWh: beyondInt4,
        parentUid: "FLEET"
      })
      expect(yield* sessions.get(ours.id, id)).toEqual({
        id,
        organisationId: ours.id,
        chargerId: "one",
        siteId: siteA,
        evseId: 1,
        connectorId: 1,
        transactionId: expect.any(String),
        ocppVersion: "1.6",
        tokenUid: "Card",
        status: "COMPLETED",
        authorization: {
          status: "Accepted",
          source: "LocalToken",
          decidedAt: noon,
          expiresAt: undefined,
          parentUid: "FLEET"
        },
        startedAt: noon,
        endedAt: noon + 9,
        meterStartWh: Number(beyondInt4),
        meterStopWh: undefined,
        energyWh: 7,
        stopReason: undefined,
        heldReason: undefined,
        revision: 0,
        reviewed: false,
        contradicted: false,
        createdAt: noon,
        updatedAt: noon
      })
      for (const unknown of [idAt(noon), "", "no uuid", "\0"]) {
        expect(yield* failureOf(sessions.get(ours.id, unknown))).toEqual(["NotFound", "session"])
      }
    })
  )

  it.effect("a register value that a number cannot hold is a defect and is never rounded", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const id = yield* aSession(ours, { chargerId: "one", siteId: siteA, meterStartWh: 2n ** 53n })
      expect((yield* Effect.exit(sessions.get(ours.id, id)))._tag).toBe("Failure")
      yield* sql`UPDATE session SET meter_start_wh = 0 WHERE id = ${id}`
      expect((yield* sessions.get(ours.id, id)).meterStartWh).toBe(0)
    })
  )

  it.effect("lists are newest first, and each filter leaves the sessions that match it", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const { ids, ours } = yield* someSessions
      const numbers = (filter: SessionFilter) =>
        Effect.map(sessions.list(ours.id, { limit: 50, ...filter }), (page) =>
          page.items.map(({ id }) => ids.indexOf(id) + 1)
        )
      expect(yield* numbers({})).toEqual([4, 3, 2, 1])
      expect(yield* numbers({ chargerId: "one" })).toEqual([3, 1])
      expect(yield* numbers({ siteId: siteB })).toEqual([4, 3])
      expect(yield* numbers({ status: "ACTIVE" })).toEqual([2])
      expect(yield* numbers({ status: "COMPLETED" })).toEqual([4, 3, 1])
      expect(yield* numbers({ status: "INVALID" })).toEqual([])
      expect(yield* numbers({ from: noon + 2 * hour })).toEqual([4, 3, 2])
      expect(yield* numbers({ to: noon + 2 * hour })).toEqual([1])
      expect(yield* numbers({ from: noon + 2 * hour, to: noon + 4 * hour, siteId: siteB })).toEqual([3])
      expect(yield* numbers({ chargerId: "not an id ' --" })).toEqual([])
      expect(yield* numbers({ siteId: "not an id ' --" })).toEqual([])
    })
  )

  it.effect(
    "sessions of a card are found by start, newest first, in any case of its uid and together with other filters",
    () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
        const ids: Array<string> = []
        // The third was reported a day late: its place is decided by its start and not by when it was stored.
        for (const [n, tokenUid, chargerId] of [
          [1, "Blue", "one"],
          [2, "Red", "one"],
          [3, "BLUE", "two"],
          [4, "blue", "one"],
          [5, "Blue", "one"]
        ] as const) {
          const startedAt = noon + n * hour
          const more = { startedAt, heardAt: n === 3 ? startedAt + 24 * hour : startedAt, endedAt: startedAt + 1 }
          ids.push(yield* aSession(ours, { chargerId, siteId: n < 5 ? siteA : siteB, tokenUid, ...more }))
        }
        yield* aSession(theirs, { chargerId: "three", siteId: siteA, tokenUid: "Blue" })
        const list = (filter: Parameters<typeof sessions.list>[1]) => sessions.list(ours.id, filter)
        const numbers = (filter: SessionFilter) =>
          Effect.map(list({ limit: 50, ...filter }), ({ items }) => items.map(({ id }) => ids.indexOf(id) + 1))
        expect(yield* numbers({})).toEqual([3, 5, 4, 2, 1])
        expect(yield* numbers({ tokenUid: "bLUE" })).toEqual([5, 4, 3, 1])
        expect(yield* numbers({ tokenUid: "Blue", chargerId: "one" })).toEqual([5, 4, 1])
        expect(yield* numbers({ tokenUid: "Blue", siteId: siteA, to: noon + 4 * hour })).toEqual([3, 1])
        expect(yield* numbers({ tokenUid: "Blue", status: "COMPLETED", from: noon + 3 * hour })).toEqual([5, 4, 3])
        expect(yield* numbers({ tokenUid: "Blue", status: "ACTIVE" })).toEqual([])
        for (const tokenUid of ["Green", "' OR true --", "%", "\0"]) expect(yield* numbers({ tokenUid })).toEqual([])
        const found: Array<number> = []
        let cursor: string | undefined
        do {
          const page: Page<ChargingSession> = yield* list({ limit: 1, tokenUid: "Blue", from: noon, cursor })
          found.push(...page.items.map(({ id }) => ids.indexOf(id) + 1))
          cursor = page.nextCursor ?? undefined
        } while (cursor !== undefined)
        expect(found).toEqual([5, 4, 3, 1])
        const { nextCursor } = yield* list({ limit: 1, tokenUid: "Blue" })
        const misused = [{ tokenUid: "Red" }, { tokenUid: "Blue", status: "COMPLETED" as const }, {}]
        for (const filter of misused) {
          const answer = failureOf(list({ limit: 1, ...filter, cursor: nextCursor ?? "" }))
          expect(yield* answer).toEqual(["InvalidInput", "/cursor"])
        }
      })
  )

  it.effect("held sessions are found, whatever the reason, until an operator has reviewed them", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const reviews = yield* SessionReviews
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const ids: Array<string> = []
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const startedAt = noon + n * hour
        const chargerId = n % 2 === 0 ? "even" : "odd"
        ids.push(yield* aSession(ours, { chargerId, siteId: siteA, startedAt, endedAt: startedAt + 1 }))
      }
      const [missingStop, released, closed, reopened, doubted, corrected, invalid, lifted] = ids
      yield* sql`UPDATE session SET held_reason = 'MeterStopMissing' WHERE id IN (${missingStop}, ${released}, ${invalid})`
      yield* sql`UPDATE session SET status = 'INVALID' WHERE id = ${invalid}`
      yield* sql`UPDATE session SET ended_at = NULL, closed_as_of = updated_at WHERE id IN (${closed}, ${reopened})`
      yield* sql`UPDATE session SET updated_at = updated_at + interval '1 second' WHERE id = ${reopened}`
      for (const id of [doubted, corrected, lifted]) {
        yield* sql`INSERT INTO session_review (session_id, organisation_id, held_reason, updated_at)
          VALUES (${id}, ${ours.id}, 'RegisterFell', ${new Date(noon)})`
      }
      const list = (filter: SessionFilter & { readonly limit?: number; readonly cursor?: string }) =>
        sessions.list(ours.id, { limit: 50, ...filter })
      const numbers = (filter: SessionFilter) =>
        Effect.map(list(filter), ({ items }) => {
          for (const { heldReason } of items) expect(heldReason !== undefined).toBe(filter.held)
          return items.map(({ id }) => ids.indexOf(id) + 1)
        })
      expect(yield* numbers({ held: true })).toEqual([8, 6, 5, 3, 2, 1])
      expect(yield* numbers({ held: false })).toEqual([9, 7, 4])
      yield* sql`UPDATE session_review SET held_reason = NULL WHERE session_id = ${lifted}`
      yield* reviews.correct(corrected ?? "", correction, ours.writing())
      yield* reviews.release(released ?? "", ours.writing())
      expect(yield* numbers({ held: true })).toEqual([5, 3, 1])
      expect(yield* numbers({ held: false })).toEqual([9, 8, 7, 6, 4, 2])
      // Reviewed sessions are marked, and are no longer in the index of those that need a review.
      const marked = yield* sql<{
        readonly id: string
      }>`SELECT id FROM session WHERE reviewed AND organisation_id = ${ours.id}`
      expect(marked.map(({ id }) => id).toSorted()).toEqual([released, corrected].toSorted())
      expect(yield* numbers({ held: true, chargerId: "odd", from: noon + 2 * hour })).toEqual([5, 3])
      expect(yield* numbers({ held: true, status: "COMPLETED", to: noon + 4 * hour })).toEqual([3, 1])
      expect(yield* numbers({ held: true, siteId: siteB })).toEqual([])
      expect(yield* numbers({ held: true, needsCorrection: false })).toEqual([5, 3, 1])
      const first = yield* list({ held: true, limit: 2 })
      const second = yield* list({ held: true, limit: 2, cursor: first.nextCursor ?? "" })
      expect([first, second].flatMap(({ items }) => items.map(({ id }) => id))).toEqual([doubted, closed, missingStop])
      expect(second.nextCursor).toBeNull()
      const theirs = yield* anOrganisation
      expect((yield* sessions.list(theirs.id, { limit: 50, held: true })).items).toEqual([])
    })
  )

  it.effect("sessions whose record differs from their current price are found, whether record or price came last", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const { credit, issue, list } = yield* Cdrs
      const { keep } = yield* Ledgers
      const reviews = yield* SessionReviews
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const id = yield* aSession(ours, { chargerId: "one", siteId: siteA, endedAt: noon + 1 })
      const other = yield* aSession(ours, { chargerId: "one", siteId: siteA, endedAt: noon + 1 })
      const record = (exclVat: number, revision: number) => {
        const made = aRecord(ours, { sessionId: id, revision })
        return issue([{ ...made, body: { ...made.body, total: { exclVat, inclVat: exclVat } } }], noon)
      }
      const taken = Effect.gen(function* () {
        const { items } = yield* list(ours.id, { limit: 1, sessionId: id })
        return yield* credit(items[0]?.id ?? "", ours.writing())
      })
      const priced = (exclVat: number, inclVat = exclVat) => {
        const price = { currency: "EUR", exclVat, inclVat, periods: [] }
        const kept = { sessionId: id, organisationId: ours.id, basedOn: noon, price, isAwaited: false }
        return keep([kept], [], undefined, noon)
      }
      /** Whether the session needs a correction, by the filter; the listed sessions must agree with it. */
      const needed = Effect.gen(function* () {
        const page = (wanted: boolean) => sessions.list(ours.id, { limit: 50, needsCorrection: wanted })
        const yes = (yield* page(true)).items
        const no = (yield* page(false)).items
        expect([...yes, ...no].map((one) => one.id).toSorted()).toEqual([id, other].toSorted())
        expect(yes.every(needsCorrection)).toBe(true)
        expect(no.some(needsCorrection)).toBe(false)
        // The cost is what was billed, whatever the price is by now.
        for (const one of [...yes, ...no]) expect(costOf(one)?.exclVat).toBe((one.billed ?? one.price)?.exclVat)
        return yes.length === 1
      })
      const seen: Array<boolean> = []
      const step = <A, E, R>(change: Effect.Effect<A, E, R>) =>
        Effect.tap(change, () => Effect.map(needed, (yes) => void seen.push(yes)))
      yield* step(record(1, 0))
      yield* step(priced(1))
      yield* step(priced(2))
      yield* step(priced(1))
      yield* step(priced(1, 1.2))
      yield* step(priced(1))
      yield* step(priced(1.2, 1))
      yield* step(priced(0.1 + 0.2))
      yield* step(taken)
      yield* step(Effect.andThen(reviews.correct(id, correction, ours.writing()), record(3, 1)))
      yield* step(priced(3))
      // The record of an earlier revision does not count for a later one.
      yield* sql`UPDATE session_review SET revision = 2 WHERE session_id = ${id}`
      yield* step(priced(4))
      expect(seen).toEqual([false, false, true, false, true, false, true, true, false, true, false, false])
    })
  )

  const settlings = {
    corrected: (id: string, { writing }: TestOrganisation) =>
      Effect.flatMap(SessionReviews, (reviews) => reviews.correct(id, correction, writing())),
    released: (id: string, { writing }: TestOrganisation) =>
      Effect.flatMap(SessionReviews, (reviews) => reviews.release(id, writing()))
  }
  for (const [name, settle] of Object.entries(settlings)) {
    it.effect(`a session that a second stop contradicts is found until an operator has ${name} it`, () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const sql = yield* SqlClient.SqlClient
        const ours = yield* anOrganisation
        const id = yield* aSession(ours, { chargerId: "one", siteId: siteA, endedAt: noon + 1 })
        const needing = (needed: boolean) =>
          Effect.map(sessions.list(ours.id, { limit: 5, needsCorrection: needed }), ({ items }) =>
            items.map((one) => [one.id, needsCorrection(one)])
          )
        yield* sql`UPDATE session SET contradicted = true WHERE id = ${id}`
        expect([yield* needing(true), yield* needing(false)]).toEqual([[[id, true]], []])
        yield* sql`INSERT INTO session_review (session_id, organisation_id, held_reason, updated_at)
          VALUES (${id}, ${ours.id}, 'RegisterFell', ${new Date(noon)})`
        expect(yield* needing(true)).toEqual([[id, true]])
        yield* settle(id, ours)
        expect([yield* needing(true), yield* needing(false)]).toEqual([[], [[id, false]]])
        const [row] = yield* sql<{ readonly reviewed: boolean }>`SELECT reviewed FROM session WHERE id = ${id}`
        expect(row?.reviewed).toBe(true)
      })
    )
  }

  it.effect("a running session is found by its charger together with its transaction id", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const { ids, ours } = yield* someSessions
      const { transactionId } = yield* sessions.get(ours.id, ids[1] ?? "")
      const found = (filter: SessionFilter) =>
        Effect.map(sessions.list(ours.id, { limit: 1, status: "ACTIVE", transactionId, ...filter }), (page) =>
          page.items.map(({ id }) => id)
        )
      expect(yield* found({ chargerId: "two" })).toEqual([ids[1]])
      expect(yield* found({ chargerId: "one" })).toEqual([])
      expect(yield* found({ chargerId: "two", transactionId: "0" })).toEqual([])
      expect(yield* found({ chargerId: "two", transactionId: "\0" })).toEqual([])
      expect(yield* found({ chargerId: "two", status: "COMPLETED" })).toEqual([])
      const theirs = yield* anOrganisation
      expect((yield* sessions.list(theirs.id, { limit: 1, chargerId: "two", transactionId })).items).toEqual([])
    })
  )

  it.effect("a session that starts in the future because of a fast clock is found by its start", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const ours = yield* anOrganisation
      const id = yield* aSession(ours, { chargerId: "one", siteId: siteA, startedAt: noon + 23 * hour, heardAt: noon })
      const found = yield* sessions.list(ours.id, { limit: 50, from: noon + 23 * hour })
      expect(found.items.map((session) => session.id)).toEqual([id])
    })
  )

  it.effect("pages hold every session once, even if one starts between two pages", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const { ids, ours } = yield* someSessions
      const first = yield* sessions.list(ours.id, { limit: 3 })
      yield* aSession(ours, { chargerId: "one", siteId: siteA, startedAt: noon + 9 * hour })
      const second = yield* sessions.list(ours.id, { limit: 3, cursor: first.nextCursor ?? "" })
      const seen = [first, second].flatMap((page) => page.items.map(({ id }) => id))
      expect(seen).toEqual([...ids].reverse())
      expect(second.nextCursor).toBeNull()
      expect(yield* failureOf(sessions.list(ours.id, { limit: 3, cursor: "x" }))).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("readings are in order of the charger's time, including several at the same time", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const ours = yield* anOrganisation
      const id = yield* aSession(ours, { chargerId: "one", siteId: siteA })
      const other = yield* aSession(ours, { chargerId: "one", siteId: siteA })
      const add = (at: number, n: number, sessionId = id) => aReading(ours, "one", sessionId, at, n)
      yield* add(noon + 2000, 3)
      yield* add(noon, 0)
      yield* add(noon + 1000, 2)
      yield* add(noon + 1000, 1)
      yield* add(noon + 1000, 9, other)
      const first = yield* sessions.readings(ours.id, id, { limit: 2 })
      expect(first.items[0]).toEqual({
        at: noon,
        heardAt: noon + 5,
        energyWh: undefined,
        samples: [
          {
            value: "0",
            measurand: "Energy.Active.Import.Register",
            context: "Sample.Periodic",
            format: "Raw",
            location: "Outlet",
            unit: "Wh"
          }
        ]
      })
      yield* add(noon + 1500, 4)
      const second = yield* sessions.readings(ours.id, id, { limit: 5, cursor: first.nextCursor ?? "" })
      expect([first, second].flatMap((page) => page.items.map(({ energyWh }) => energyWh))).toEqual([
        undefined,
        1,
        2,
        4,
        3
      ])
      expect(second.nextCursor).toBeNull()
      for (const cursor of [
        "x",
        Buffer.from('{"list":"readings","after":{"at":1e300,"key":"00"}}').toString("base64url")
      ]) {
        expect(yield* failureOf(sessions.readings(ours.id, id, { limit: 5, cursor }))).toEqual([
          "InvalidInput",
          "/cursor"
        ])
      }
    })
  )

  it.effect("another organisation sees neither the session nor its readings", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const id = yield* aSession(ours, { chargerId: "one", siteId: siteA })
      yield* aReading(ours, "one", id, noon, 1)
      expect(yield* failureOf(sessions.get(theirs.id, id))).toEqual(["NotFound", "session"])
      expect(yield* failureOf(sessions.readings(theirs.id, id, { limit: 5 }))).toEqual(["NotFound", "session"])
      for (const filter of [{}, { chargerId: "one" }, { siteId: siteA }, { status: "ACTIVE" as const }]) {
        expect((yield* sessions.list(theirs.id, { limit: 50, ...filter })).items).toEqual([])
      }
    })
  )
}
