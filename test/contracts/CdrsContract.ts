/** What every storage of charge detail records must do, on every database: one for each session, numbered, immutable, credited at most once. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Cdr, NewCdr } from "../../src/domain/cdr/Cdr.ts"
import { type CdrFilter, Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import type { Page } from "../../src/domain/values/Page.ts"
import { idAt } from "../support/reported.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  type TestOrganisation
} from "../support/repositories.ts"

const hour = 3_600_000

const free = { exclVat: 0, inclVat: 0 }

/** A record to be issued. */
export const record = (organisation: Pick<TestOrganisation, "id">, more: Partial<NewCdr> = {}): NewCdr => ({
  organisationId: organisation.id,
  sessionId: idAt(noon),
  revision: 0,
  chargerId: "CP-1",
  siteId: idAt(noon),
  startedAt: noon,
  endedAt: noon + 3_600_000,
  body: {
    currency: "EUR",
    total: { exclVat: 1.2345, inclVat: 1.5 },
    costs: { fixed: { exclVat: 1.2345, inclVat: 1.5 }, energy: free, time: free, parking: free, reservation: free },
    energyWh: 10_000,
    durationMillis: 3_600_000,
    parkingMillis: 0,
    periods: [{ startedAt: noon, endedAt: noon + 3_600_000, energyWh: 10_000, charging: true, elements: { FLAT: 0 } }],
    tariff: {
      id: idAt(noon),
      version: 3,
      currency: "EUR",
      elements: [{ priceComponents: [{ type: "FLAT", price: 1.2345, stepSize: 1 }] }]
    },
    timeZone: "Europe/Amsterdam",
    evseId: 1,
    connectorId: 1,
    transactionId: "7",
    ocppVersion: "1.6",
    tokenUid: "CARD",
    authorizationSource: "LocalToken",
    meterStartWh: 1000
  },
  ...more
})

const all = (organisation: TestOrganisation) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Cdrs).list(organisation.id, { limit: 100 })
    return items
  })

export const cdrsContract = (it: ContractIt): void => {
  it.effect("a record is read back as it was issued, and a fact is in the journal", () =>
    Effect.gen(function* () {
      const cdrs = yield* Cdrs
      const ours = yield* anOrganisation
      const given = record(ours)
      yield* cdrs.issue([given], noon + 5)
      const [cdr] = yield* all(ours)
      expect(cdr).toEqual({
        ...given,
        id: expect.any(String),
        number: 1,
        creditReferenceId: undefined,
        issuedAt: noon + 5
      })
      expect(yield* cdrs.get(ours.id, cdr?.id ?? "")).toEqual(cdr)
      const facts = (yield* factsOf(ours)).filter(({ type }) => type === "CdrIssued")
      expect(facts.map(({ body, subject }) => [subject, body.by, body.after])).toEqual([
        [
          `cdr:${cdr?.id}`,
          "platform",
          { id: cdr?.id, number: 1, sessionId: given.sessionId, currency: "EUR", total: given.body.total }
        ]
      ])
    })
  )

  it.effect("a session has one record even if it is issued again, and numbers have no gaps", () =>
    Effect.gen(function* () {
      const cdrs = yield* Cdrs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const records = [1, 2, 3].map(() => record(ours))
      const foreign = record(theirs)
      yield* cdrs.issue([records[0]!, foreign, records[1]!], noon)
      const dearer = { ...records[0]!, body: { ...records[0]!.body, total: { exclVat: 9, inclVat: 9 } } }
      yield* cdrs.issue([dearer, records[1]!, records[2]!, foreign], noon + 1)
      yield* Effect.all(
        [1, 2, 3].map(() => cdrs.issue(records, noon + 2)),
        { concurrency: "unbounded" }
      )
      const issued = yield* all(ours)
      expect(issued.map(({ number }) => number)).toEqual([3, 2, 1])
      expect(new Set(issued.map(({ sessionId }) => sessionId)).size).toBe(3)
      expect(issued.map(({ body }) => body.total.exclVat)).toEqual([1.2345, 1.2345, 1.2345])
      expect((yield* all(theirs)).map(({ number }) => number)).toEqual([1])
    })
  )

  it.effect("records of a period are listed by the starts of their sessions, in pages without gaps or repeats", () =>
    Effect.gen(function* () {
      const cdrs = yield* Cdrs
      const ours = yield* anOrganisation
      const starts = [3, 1, 2, 2, 5, 4].map((hours) => noon + hours * hour)
      for (const startedAt of starts) yield* cdrs.issue([record(ours, { sessionId: idAt(noon), startedAt })], noon)
      const filter = { from: noon + 2 * hour, to: noon + 5 * hour }
      const found: Array<readonly [startedAt: number, number: number]> = []
      let cursor: string | undefined
      do {
        const page: Page<Cdr> = yield* cdrs.list(ours.id, { limit: 2, ...filter, cursor })
        found.push(...page.items.map((cdr) => [(cdr.startedAt - noon) / hour, cdr.number] as const))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(found).toEqual([
        [4, 6],
        [3, 1],
        [2, 4],
        [2, 3]
      ])
      const first = yield* cdrs.list(ours.id, { limit: 2, ...filter })
      const misused = cdrs.list(ours.id, { limit: 2, cursor: first.nextCursor ?? "" })
      expect(yield* failureOf(misused), "of one order, none of the other").toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect(
    "a record appears in the month in which it was issued, also the credit record of an older one, and by its number",
    () =>
      Effect.gen(function* () {
        const cdrs = yield* Cdrs
        const ours = yield* anOrganisation
        const [november, december] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)]
        const issue = (startedAt: number, issuedAt: number) =>
          cdrs.issue([record(ours, { sessionId: idAt(noon), startedAt })], issuedAt)
        yield* issue(november - hour, november - 1)
        // Held for a month, or charged before and reported after the month's end.
        yield* issue(november - 600 * hour, november)
        yield* issue(november + hour, december - 1)
        yield* issue(december - hour, december)
        const [, , , oldest] = yield* all(ours)
        yield* cdrs.credit(oldest?.id ?? "", ours.writing(november + 5 * hour))
        const numbers = (filter: CdrFilter) =>
          Effect.gen(function* () {
            const found: Array<number> = []
            let cursor: string | undefined
            do {
              const page: Page<Cdr> = yield* cdrs.list(ours.id, { limit: 2, ...filter, cursor })
              found.push(...page.items.map(({ number }) => number))
              cursor = page.nextCursor ?? undefined
            } while (cursor !== undefined)
            return found
          })
        expect(yield* numbers({ issuedFrom: november, issuedTo: december })).toEqual([3, 5, 2])
        expect(yield* numbers({ issuedFrom: december })).toEqual([4])
        expect(yield* numbers({ from: november, to: december, issuedTo: december })).toEqual([3])
        expect(yield* numbers({ numberFrom: 2, numberTo: 4 })).toEqual([4, 3, 2])
        expect(yield* numbers({ numberFrom: 5 })).toEqual([5])
      })
  )

  it.effect("records and their credit records are found by card, in any case of its uid", () =>
    Effect.gen(function* () {
      const cdrs = yield* Cdrs
      const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
      const issue = (hours: number, tokenUid: string, chargerId: string, organisation = ours) => {
        const { body, ...rest } = record(organisation, {
          sessionId: idAt(noon),
          startedAt: noon + hours * hour,
          chargerId
        })
        return cdrs.issue([{ ...rest, body: { ...body, tokenUid } }], noon)
      }
      yield* issue(3, "Blue", "CP-1")
      yield* issue(1, "BLUE", "CP-2")
      yield* issue(2, "Red", "CP-1")
      yield* issue(4, "Blue", "CP-1", theirs)
      const list = (filter: Parameters<typeof cdrs.list>[1]) => cdrs.list(ours.id, filter)
      const numbers = (filter: CdrFilter) =>
        Effect.map(list({ limit: 50, ...filter }), ({ items }) => items.map(({ number }) => number))
      expect(yield* numbers({ tokenUid: "blue" })).toEqual([1, 2])
      expect(yield* numbers({ tokenUid: "blue", chargerId: "CP-2", from: noon })).toEqual([2])
      for (const tokenUid of ["Green", "%", "\0"]) expect(yield* numbers({ tokenUid })).toEqual([])
      const { items, nextCursor } = yield* list({ limit: 1, tokenUid: "blue" })
      expect((yield* list({ limit: 1, tokenUid: "blue", cursor: nextCursor ?? "" })).items[0]?.number).toBe(2)
      const misused = list({ limit: 1, tokenUid: "Red", cursor: nextCursor ?? "" })
      expect(yield* failureOf(misused)).toEqual(["InvalidInput", "/cursor"])
      yield* cdrs.credit(items[0]?.id ?? "", ours.writing(noon))
      expect(yield* numbers({ tokenUid: "blue" })).toEqual([4, 1, 2])
    })
  )

  it.effect("a record is credited once, by a record that differs only in the sign of its total", () =>
    Effect.gen(function* () {
      const cdrs = yield* Cdrs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      yield* cdrs.issue([record(ours)], noon)
      const [cdr] = yield* all(ours)
      if (cdr === undefined) return yield* Effect.die("no record")
      expect((yield* failureOf(cdrs.credit(cdr.id, theirs.writing())))[0]).toBe("NotFound")
      const credit = yield* cdrs.credit(cdr.id, ours.writing(noon + 9))
      expect(credit).toEqual({
        ...cdr,
        id: expect.any(String),
        number: 2,
        creditReferenceId: cdr.id,
        body: { ...cdr.body, total: { exclVat: -1.2345, inclVat: -1.5 } },
        issuedAt: noon + 9
      })
      expect(yield* failureOf(cdrs.credit(cdr.id, ours.writing()))).toEqual(["Conflict", "already_credited"])
      expect(yield* failureOf(cdrs.credit(credit.id, ours.writing()))).toEqual(["Conflict", "is_credit"])
      yield* cdrs.issue([record(ours, { sessionId: cdr.sessionId })], noon + 10)
      expect((yield* all(ours)).map(({ number }) => number)).toEqual([2, 1])
    })
  )

  it.effect("a record cannot be changed or deleted, not even by SQL", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      yield* (yield* Cdrs).issue([record(ours)], noon)
      const sql = yield* SqlClient.SqlClient
      const tries = [
        sql`UPDATE cdr SET body = '{}' WHERE organisation_id = ${ours.id}`,
        sql`DELETE FROM cdr WHERE organisation_id = ${ours.id}`
      ]
      for (const attempt of tries) expect(String(yield* Effect.flip(attempt))).toContain("SqlError")
      expect(yield* all(ours)).toHaveLength(1)
    })
  )

  it.effect("the list has only the organisation's own records, filtered, newest first", () =>
    Effect.gen(function* () {
      const cdrs = yield* Cdrs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const one = record(ours, { chargerId: "one", startedAt: noon })
      const two = record(ours, { chargerId: "two", startedAt: noon + hour })
      yield* cdrs.issue([one], noon)
      yield* cdrs.issue([two], noon + 1)
      yield* cdrs.issue([record(theirs, { chargerId: "one" })], noon)
      const found = (filter: object) =>
        Effect.map(cdrs.list(ours.id, { limit: 10, ...filter }), ({ items }) => items.map(({ chargerId }) => chargerId))
      expect(yield* found({})).toEqual(["two", "one"])
      expect(yield* found({ chargerId: "one" })).toEqual(["one"])
      expect(yield* found({ siteId: two.siteId })).toEqual(["two"])
      expect(yield* found({ sessionId: one.sessionId })).toEqual(["one"])
      expect(yield* found({ from: noon + 1 })).toEqual(["two"])
      expect(yield* found({ to: noon + hour })).toEqual(["one"])
      expect(yield* found({ siteId: "no uuid" })).toEqual([])
      const first = yield* cdrs.list(ours.id, { limit: 1 })
      const second = yield* cdrs.list(ours.id, { limit: 1, cursor: first.nextCursor ?? "" })
      expect([first.items[0]?.chargerId, second.items[0]?.chargerId, second.nextCursor]).toEqual(["two", "one", null])
      for (const id of [first.items[0]?.id ?? "", "no uuid", ""]) {
        expect(yield* failureOf(cdrs.get(theirs.id, id))).toEqual(["NotFound", "cdr"])
      }
    })
  )
}
