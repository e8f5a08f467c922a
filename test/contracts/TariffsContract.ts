/** What every storage of tariffs must do, on every database: versions, assignments, and the tariff under which a session began. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { tariffOf } from "../../src/domain/tariff/Choice.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import type { Assignment, TariffBody } from "../../src/domain/tariff/Tariff.ts"
import { unstorableTexts } from "../support/nastyText.ts"
import { aSession } from "../support/reported.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  type TestOrganisation
} from "../support/repositories.ts"

const flat = (price: number, more: Partial<TariffBody> = {}): TariffBody => ({
  currency: "EUR",
  elements: [{ priceComponents: [{ type: "FLAT", price, stepSize: 1, vat: 20 }], restrictions: { minKwh: 0.5 } }],
  ...more
})

let made = 0

/** A site with a charger. */
const aCharger = (organisation: TestOrganisation) =>
  Effect.gen(function* () {
    const chargerId = `TARIFF-${made++}`
    const site = yield* (yield* Sites).create({ name: "Site" }, organisation.writing())
    const registration = {
      chargerId,
      name: "C",
      siteId: site.id,
      securityProfile: 0,
      passwordVerifier: undefined
    } as const
    yield* (yield* Chargers).register(registration, organisation.writing())
    return { chargerId, siteId: site.id }
  })

export const tariffsContract = (it: ContractIt): void => {
  it.effect("a tariff is read back as it was written, and each change makes a new version", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const ours = yield* anOrganisation
      const body = flat(1.25, {
        minPrice: { exclVat: 0.5, inclVat: 0.6 },
        type: "REGULAR",
        tariffAltText: [{ language: "en", text: "one" }],
        startDateTime: noon,
        energyMix: { isGreenEnergy: true, energySources: [{ source: "WIND", percentage: 99.9 }] }
      })
      const created = yield* tariffs.create(body, ours.writing())
      expect(created).toEqual({
        id: expect.any(String),
        organisationId: ours.id,
        version: 1,
        body,
        createdAt: noon,
        updatedAt: noon
      })
      expect(yield* tariffs.get(ours.id, created.id)).toEqual(created)
      expect(yield* tariffs.update(created.id, { type: "REGULAR" }, ours.writing(noon + 1))).toEqual(created)
      const patch = { type: null, currency: "NOK", tariffAltUrl: "https://a.example" }
      const changed = yield* tariffs.update(created.id, patch, ours.writing(noon + 2))
      const { type: _, ...rest } = body
      expect(changed).toEqual({
        ...created,
        version: 2,
        body: { ...rest, currency: "NOK", tariffAltUrl: "https://a.example" },
        updatedAt: noon + 2
      })
      expect(yield* tariffs.get(ours.id, created.id)).toEqual(changed)
      const facts = (yield* factsOf(ours)).filter(({ subject }) => subject === `tariff:${created.id}`)
      expect(facts.map(({ body: { after, before }, type }) => [type, before?.["version"], after?.["version"]])).toEqual(
        [
          ["TariffCreated", undefined, 1],
          ["TariffChanged", 1, 2]
        ]
      )
    })
  )

  it.effect(
    "a change that would make the tariff invalid is refused, and so is text that the database cannot hold",
    () =>
      Effect.gen(function* () {
        const tariffs = yield* Tariffs
        const ours = yield* anOrganisation
        const { id } = yield* tariffs.create(flat(1, { minPrice: { exclVat: 5 } }), ours.writing())
        const below = tariffs.update(id, { maxPrice: { exclVat: 4 } }, ours.writing())
        expect(yield* failureOf(below)).toEqual(["InvalidInput", "/maxPrice/exclVat"])
        for (const text of unstorableTexts) {
          const refused = tariffs.update(id, { tariffAltText: [{ language: "en", text }] }, ours.writing())
          expect((yield* failureOf(refused))[0]).toBe("InvalidInput")
        }
        expect((yield* tariffs.get(ours.id, id)).version).toBe(1)
      })
  )

  it.effect("the list has only the organisation's own tariffs, newest first", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const foreign = yield* tariffs.create(flat(9), theirs.writing())
      const ids: Array<string> = []
      for (const n of [1, 2, 3]) ids.unshift((yield* tariffs.create(flat(n), ours.writing(noon + n))).id)
      const first = yield* tariffs.list(ours.id, { limit: 2 })
      const second = yield* tariffs.list(ours.id, { limit: 2, cursor: first.nextCursor ?? "" })
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
      for (const id of [foreign.id, "no uuid", ""]) {
        const writing = ours.writing()
        const missing = [
          tariffs.get(ours.id, id),
          tariffs.update(id, { currency: "USD" }, writing),
          tariffs.remove(id, writing),
          tariffs.assign(id, { scope: "organisation" }, writing),
          tariffs.unassign(id, { scope: "organisation" }, writing),
          tariffs.assignments(ours.id, id)
        ]
        for (const asked of missing) expect(yield* failureOf<unknown, never>(asked)).toEqual(["NotFound", "tariff"])
      }
      expect((yield* tariffs.get(theirs.id, foreign.id)).version).toBe(1)
    })
  )

  it.effect("a target has the tariff that was assigned last, and an assigned tariff cannot be deleted", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const ours = yield* anOrganisation
      const { chargerId, siteId } = yield* aCharger(ours)
      const one = yield* tariffs.create(flat(1), ours.writing())
      const two = yield* tariffs.create(flat(2), ours.writing())
      const everywhere: ReadonlyArray<Assignment> = [
        { scope: "charger", chargerId },
        { scope: "connector", chargerId, evseId: 1, connectorId: 1 },
        { scope: "organisation" },
        { scope: "site", siteId }
      ]
      for (const assignment of everywhere) yield* tariffs.assign(one.id, assignment, ours.writing())
      expect(yield* tariffs.assignments(ours.id, one.id)).toEqual(everywhere)
      yield* tariffs.assign(two.id, { scope: "organisation" }, ours.writing())
      expect(yield* tariffs.assignments(ours.id, two.id)).toEqual([{ scope: "organisation" }])
      expect(yield* tariffs.assignments(ours.id, one.id)).toHaveLength(3)
      const notIts = tariffs.unassign(one.id, { scope: "organisation" }, ours.writing())
      expect((yield* failureOf(notIts))[0]).toBe("NotFound")
      expect(yield* failureOf(tariffs.remove(two.id, ours.writing()))).toEqual(["Conflict", "tariff_assigned"])
      yield* tariffs.unassign(two.id, { scope: "organisation" }, ours.writing())
      yield* tariffs.remove(two.id, ours.writing())
      expect((yield* failureOf(tariffs.get(ours.id, two.id)))[0]).toBe("NotFound")
    })
  )

  it.effect(
    "another organisation's sites and chargers cannot be targets, and removing a target removes its assignments",
    () =>
      Effect.gen(function* () {
        const tariffs = yield* Tariffs
        const ours = yield* anOrganisation
        const theirs = yield* anOrganisation
        const foreign = yield* aCharger(theirs)
        const own = yield* aCharger(ours)
        const { id } = yield* tariffs.create(flat(1), ours.writing())
        const refused: ReadonlyArray<Assignment> = [
          { scope: "site", siteId: foreign.siteId },
          { scope: "site", siteId: "no uuid" },
          { scope: "charger", chargerId: foreign.chargerId },
          { scope: "connector", chargerId: foreign.chargerId, evseId: 1, connectorId: 1 }
        ]
        for (const assignment of refused) {
          expect((yield* failureOf(tariffs.assign(id, assignment, ours.writing())))[0]).toBe("NotFound")
        }
        yield* tariffs.assign(id, { scope: "charger", chargerId: own.chargerId }, ours.writing())
        yield* tariffs.assign(id, { scope: "site", siteId: own.siteId }, ours.writing())
        yield* (yield* Chargers).remove(own.chargerId, ours.writing())
        yield* (yield* Sites).remove(own.siteId, ours.writing())
        expect(yield* tariffs.assignments(ours.id, id)).toEqual([])
      })
  )

  it.effect("assignments are listed from wide to narrow, in pages, of all tariffs or of one", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const places = [yield* aCharger(ours), yield* aCharger(ours)].toSorted((a, b) => (a.siteId < b.siteId ? -1 : 1))
      const one = yield* tariffs.create(flat(1), ours.writing())
      const two = yield* tariffs.create(flat(2), ours.writing())
      const inOrder = [
        [one.id, { scope: "organisation" }, undefined] as const,
        ...places.flatMap(({ chargerId, siteId }) => [
          [two.id, { scope: "site", siteId }, siteId] as const,
          [one.id, { scope: "charger", chargerId }, siteId] as const,
          [two.id, { scope: "connector", chargerId, evseId: 1, connectorId: 1 }, siteId] as const,
          [one.id, { scope: "connector", chargerId, evseId: 2, connectorId: 1 }, siteId] as const
        ])
      ]
      for (const [id, assignment] of inOrder.toReversed()) yield* tariffs.assign(id, assignment, ours.writing(noon + 5))
      const seen: Array<unknown> = []
      let cursor: string | undefined
      do {
        const page = yield* tariffs.placed(ours.id, undefined, {
          limit: 2,
          ...(cursor === undefined ? {} : { cursor })
        })
        seen.push(
          ...page.items.map(({ assignedAt, assignment, siteId, tariffId }) => [
            tariffId,
            assignment,
            siteId,
            assignedAt
          ])
        )
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(inOrder.map((row) => [...row, noon + 5]))
      const ofTwo = yield* tariffs.placed(ours.id, two.id, { limit: 500 })
      expect(ofTwo.items.map(({ assignment }) => assignment)).toEqual(
        inOrder.filter(([id]) => id === two.id).map(([, assignment]) => assignment)
      )
      for (const [organisation, id] of [
        [theirs.id, undefined],
        [theirs.id, one.id],
        [ours.id, "no uuid"]
      ] as const) {
        expect((yield* tariffs.placed(organisation, id, { limit: 10 })).items).toEqual([])
      }
      const first = yield* tariffs.placed(ours.id, undefined, { limit: 1 })
      const other = tariffs.placed(ours.id, two.id, { limit: 1, cursor: first.nextCursor ?? "" })
      expect(yield* failureOf(other)).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("the tariffs assigned around a charger include the one that a session there gets", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const { chargerId, siteId } = yield* aCharger(ours)
      const elsewhere = yield* aCharger(ours)
      const times = { startDateTime: noon - 5, endDateTime: noon + 5 }
      const one = yield* tariffs.create(flat(1, times), ours.writing())
      yield* tariffs.update(one.id, { currency: "NOK" }, ours.writing())
      const two = yield* tariffs.create(flat(2), ours.writing())
      yield* tariffs.assign(one.id, { scope: "connector", chargerId, evseId: 1, connectorId: 1 }, ours.writing())
      yield* tariffs.assign(two.id, { scope: "site", siteId }, ours.writing())
      yield* tariffs.assign(two.id, { scope: "site", siteId: elsewhere.siteId }, ours.writing())
      yield* tariffs.assign(one.id, { scope: "charger", chargerId: elsewhere.chargerId }, ours.writing())
      const foreign = yield* tariffs.create(flat(9), theirs.writing())
      yield* tariffs.assign(foreign.id, { scope: "organisation" }, theirs.writing())
      const assigned = yield* tariffs.around(ours.id, chargerId)
      expect(assigned).toEqual([
        {
          tariffId: one.id,
          version: 2,
          assignment: { scope: "connector", chargerId, evseId: 1, connectorId: 1 },
          startsAt: noon - 5,
          endsAt: noon + 5
        },
        { tariffId: two.id, version: 1, assignment: { scope: "site", siteId }, startsAt: undefined, endsAt: undefined }
      ])
      for (const startedAt of [noon - 6, noon, noon + 5]) {
        for (const evseId of [1, 2]) {
          const id = yield* aSession(ours, { chargerId, siteId, startedAt, energyWh: 1, evseId })
          const began = yield* tariffs.ofSession(ours.id, id)
          const chosen = tariffOf({ chargerId, evseId, connectorId: 1 }, assigned, startedAt)
          expect([began?.id, began?.version]).toEqual([chosen?.tariffId, chosen?.version])
        }
      }
      expect(yield* tariffs.around(theirs.id, chargerId)).toEqual([])
    })
  )

  it.effect(
    "partners are offered assigned tariffs in order of creation, filtered by when they changed or were assigned",
    () =>
      Effect.gen(function* () {
        const tariffs = yield* Tariffs
        const ours = yield* anOrganisation
        const others = yield* anOrganisation
        const { siteId } = yield* aCharger(ours)
        const made = yield* Effect.forEach([1, 2, 3], (price) =>
          tariffs.create(flat(price), ours.writing(noon + price))
        )
        const [first, second, third] = made.map(({ id }) => id)
        if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("no tariffs")
        const offered = (window: object = {}) =>
          Effect.map(tariffs.offered(ours.id, { offset: 0, limit: 50, ...window }), ({ items, total }) => [
            total,
            ...items.map(({ body, id, updatedAt }) => [
              [first, second, third].indexOf(id) + 1,
              updatedAt - noon,
              body.elements[0]?.priceComponents[0]?.price
            ])
          ])
        expect(yield* offered()).toEqual([0])
        yield* tariffs.assign(third, { scope: "organisation" }, ours.writing(noon + 100))
        yield* tariffs.assign(first, { scope: "site", siteId }, ours.writing(noon + 200))
        expect(yield* offered()).toEqual([2, [1, 200, 1], [3, 100, 3]])
        // The current version is the one offered.
        yield* tariffs.update(third, flat(4), ours.writing(noon + 300))
        expect(yield* offered()).toEqual([2, [1, 200, 1], [3, 300, 4]])
        expect(yield* offered({ offset: 1, limit: 1 })).toEqual([2, [3, 300, 4]])
        expect(yield* offered({ from: noon + 300 })).toEqual([1, [3, 300, 4]])
        expect(yield* offered({ from: noon + 200, to: noon + 300 })).toEqual([1, [1, 200, 1]])
        expect(yield* tariffs.offer(ours.id, first)).toMatchObject({ id: first, updatedAt: noon + 200 })
        expect(yield* failureOf(tariffs.offer(ours.id, second))).toEqual(["NotFound", "tariff"])
        expect(yield* failureOf(tariffs.offer(others.id, first))).toEqual(["NotFound", "tariff"])
        yield* tariffs.unassign(first, { scope: "site", siteId }, ours.writing(noon + 400))
        expect(yield* failureOf(tariffs.offer(ours.id, first))).toEqual(["NotFound", "tariff"])
        expect(yield* offered()).toEqual([1, [3, 300, 4]])
        expect(yield* tariffs.offered(others.id, { offset: 0, limit: 50 })).toEqual({ items: [], total: 0 })
      })
  )

  it.effect("a session has the most specific tariff that was valid when it began, in its version of that time", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const { chargerId, siteId } = yield* aCharger(ours)
      const priceOf = (startedAt: number, evseId = 1) =>
        Effect.gen(function* () {
          const id = yield* aSession(ours, { chargerId, siteId, startedAt, energyWh: 1, evseId })
          const tariff = yield* tariffs.ofSession(ours.id, id)
          expect(yield* tariffs.ofSession(theirs.id, id)).toBeUndefined()
          return tariff?.body.elements[0]?.priceComponents[0]?.price
        })
      const assigned = (price: number, assignment: Assignment, more: Partial<TariffBody> = {}) =>
        Effect.gen(function* () {
          const { id } = yield* tariffs.create(flat(price, more), ours.writing())
          yield* tariffs.assign(id, assignment, ours.writing())
          return id
        })
      expect(yield* priceOf(noon)).toBeUndefined()
      yield* assigned(1, { scope: "organisation" })
      expect(yield* priceOf(noon)).toBe(1)
      yield* assigned(2, { scope: "site", siteId })
      expect(yield* priceOf(noon)).toBe(2)
      yield* assigned(3, { scope: "charger", chargerId }, { startDateTime: noon, endDateTime: noon + 10 })
      expect([yield* priceOf(noon - 1), yield* priceOf(noon), yield* priceOf(noon + 10)]).toEqual([2, 3, 2])
      const connector = { scope: "connector", chargerId, evseId: 1, connectorId: 1 } as const
      const narrow = yield* assigned(4, connector)
      expect([yield* priceOf(noon), yield* priceOf(noon, 2)]).toEqual([4, 3])
      const before = yield* aSession(ours, { chargerId, siteId, startedAt: noon, energyWh: 1 })
      yield* tariffs.update(narrow, flat(5), ours.writing(noon + 1))
      expect(yield* priceOf(noon)).toBe(5)
      yield* tariffs.unassign(narrow, connector, ours.writing())
      yield* tariffs.remove(narrow, ours.writing())
      const kept = yield* tariffs.ofSession(ours.id, before)
      expect([kept?.version, kept?.body]).toEqual([1, flat(4)])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT count(*)::int AS n FROM session_tariff WHERE organisation_id = ${theirs.id}`).toEqual([
        { n: 0 }
      ])
    })
  )

  it.effect("running sessions are counted by tariff version, without ended sessions and those of other tariffs", () =>
    Effect.gen(function* () {
      const tariffs = yield* Tariffs
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const { chargerId, siteId } = yield* aCharger(ours)
      const { id } = yield* tariffs.create(flat(1), ours.writing())
      const { id: other } = yield* tariffs.create(flat(1), ours.writing())
      const session = (more: Partial<Parameters<typeof aSession>[1]> = {}) =>
        aSession(ours, { chargerId, siteId, ...more })
      const begin = (tariffId: string) => tariffs.assign(tariffId, { scope: "charger", chargerId }, ours.writing())
      expect(yield* tariffs.runningSessions(ours.id, id)).toEqual([])
      yield* begin(id)
      const [one, closed, invalid, reserved] = [yield* session(), yield* session(), yield* session(), yield* session()]
      yield* session({ endedAt: noon + 1 })
      yield* tariffs.update(id, { elements: flat(2).elements }, ours.writing())
      yield* session()
      yield* session()
      yield* begin(other)
      yield* session()
      yield* sql`UPDATE session SET closed_as_of = updated_at WHERE id = ${closed}`
      yield* sql`UPDATE session SET status = 'INVALID' WHERE id = ${invalid}`
      yield* sql`
        UPDATE session SET status = 'RESERVATION', reservation_only = true, ended_at = ${new Date(noon + 1)} WHERE id = ${reserved}`
      expect(yield* tariffs.runningSessions(ours.id, id)).toEqual([
        { version: 2, sessions: 2, reservations: 0 },
        { version: 1, sessions: 1, reservations: 1 }
      ])
      expect(yield* tariffs.runningSessions(ours.id, other)).toEqual([{ version: 1, sessions: 1, reservations: 0 }])
      // A new version does not change the counts.
      yield* tariffs.update(id, { elements: flat(3).elements }, ours.writing())
      expect(yield* tariffs.runningSessions(ours.id, id)).toMatchObject([{ version: 2 }, { version: 1 }])
      yield* sql`UPDATE session SET ended_at = ${new Date(noon + 2)}, status = 'COMPLETED' WHERE id = ${one}`
      expect(yield* tariffs.runningSessions(ours.id, id)).toMatchObject([
        { version: 2 },
        { sessions: 0, reservations: 1 }
      ])
      const theirs = yield* anOrganisation
      expect(yield* failureOf(tariffs.runningSessions(theirs.id, id))).toEqual(["NotFound", "tariff"])
    })
  )
}
