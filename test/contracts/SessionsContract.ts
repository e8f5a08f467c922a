/** What every reading of sessions fulfils, whatever the database. The sessions are written by hand: their writer is the journal. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Sessions, type SessionFilter } from "../../src/domain/ports/Sessions.ts"
import { aReading, aSession, idAt } from "../support/reported.ts"
import { anOrganisation, type ContractIt, failureOf, noon } from "../support/repositories.ts"

const hour = 60 * 60 * 1000
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
  it.effect("a session is read with everything that is known of it", () =>
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
        createdAt: noon,
        updatedAt: noon
      })
      for (const unknown of [idAt(noon), "", "no uuid", "\0"]) {
        expect(yield* failureOf(sessions.get(ours.id, unknown))).toEqual(["NotFound", "session"])
      }
    })
  )

  it.effect("an energy that a number cannot hold is a defect and never a rounded figure", () =>
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

  it.effect("lists are newest first, and each filter leaves what fits it", () =>
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

  it.effect("a running session is found by its charger and its transaction, and by no other's", () =>
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

  it.effect("a session that a charger's fast clock dates ahead is found from its start on", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const ours = yield* anOrganisation
      const id = yield* aSession(ours, { chargerId: "one", siteId: siteA, startedAt: noon + 23 * hour, heardAt: noon })
      const found = yield* sessions.list(ours.id, { limit: 50, from: noon + 23 * hour })
      expect(found.items.map((session) => session.id)).toEqual([id])
    })
  )

  it.effect("pages hold every session once, and a new one moves none", () =>
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

  it.effect("readings come in order of the charger's time, several of one instant included", () =>
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

  it.effect("another organisation sees neither a session nor its readings", () =>
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
