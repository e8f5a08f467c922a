/** What every storage of sites, chargers and locations must do with the details that help drivers find a place, on every database. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { describedEvsesMax } from "../../src/domain/charger/Describing.ts"
import { evseDetailsMax, siteDetailsMax } from "../../src/domain/site/Details.ts"
import { removedShownDays } from "../../src/domain/site/Location.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Locations } from "../../src/domain/site/Locations.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import type { Window } from "../../src/domain/values/Window.ts"
import { evseDetails, publishAllowedTo, siteDetails, terms } from "../support/details.ts"
import { aLocation } from "../support/locations.ts"
import { anOrganisation, type ContractIt, factsOf, failureOf, noon } from "../support/repositories.ts"

const socket = {
  standard: "IEC_62196_T2",
  format: "SOCKET",
  powerType: "AC_3_PHASE",
  maxVoltage: 230,
  maxAmperage: 32,
  maxPowerW: 22_080
} as const

/** The time that a test sets. The database's own clock goes on as usual. */
const at = (now: number) =>
  Effect.provideService(Clock.Clock, {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    monotonicTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
    sleep: () => Effect.void
  })

const list = { before: "[", after: "]" }

/** Ids of a page in a format, and how many there are in all. */
const shown = (organisationId: string, format: string, window: Window) =>
  Effect.gen(function* () {
    const locations = yield* Locations
    const { body, count, total } = yield* locations.json(organisationId, format, window, list)
    const items = JSON.parse(Buffer.from(body).toString("utf8")) as ReadonlyArray<{ readonly id: string }>
    expect(items).toHaveLength(count)
    return { ids: items.map(({ id }) => id), total }
  })

export const locationDetailsContract = (it: ContractIt): void => {
  it.effect("a site stores its details, and a patch changes only the fields it names", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const given = { ...siteDetails, publish: false, publishAllowedTo }
      const site = yield* sites.create({ name: "Harbour", ...given }, ours.writing())
      expect(site).toMatchObject(given)
      expect(yield* sites.get(ours.id, site.id)).toEqual(site)
      const { items } = yield* sites.list(ours.id, { limit: 10 })
      expect(items).toEqual([site])
      const changed = yield* sites.update(site.id, { images: null, facilities: ["CAFE"] }, ours.writing(noon + 1))
      expect(changed).toEqual({ ...site, images: undefined, facilities: ["CAFE"], updatedAt: noon + 1 })
      expect(yield* sites.get(ours.id, site.id)).toEqual(changed)
      // An empty list is the same as none, and `publish` is true by default.
      const plain = yield* sites.create({ name: "Plain" }, ours.writing())
      const before = yield* factsOf(ours)
      expect(yield* sites.update(plain.id, { images: [], publish: true, owner: null }, ours.writing())).toEqual(plain)
      expect(yield* sites.update(site.id, { facilities: ["CAFE"] }, ours.writing())).toEqual(changed)
      expect(yield* factsOf(ours)).toEqual(before)
    })
  )

  it.effect("the details of a site and of an EVSE have a maximum size", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const chargers = yield* Chargers
      const ours = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours)
      const directions = (length: number) => [{ language: "en", text: "x".repeat(length) }]
      const long = { directions: directions(siteDetailsMax) }
      expect(yield* failureOf(sites.update(site.id, long, ours.writing()))).toEqual(["InvalidInput", ""])
      expect(yield* failureOf(sites.create({ name: "Long", ...long }, ours.writing()))).toEqual(["InvalidInput", ""])
      const evses = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, n) => ({ evseId: from + n, floorLevel: "1" }))
      const update = (given: Parameters<typeof chargers.update>[1]["evses"] & object) =>
        chargers.update(chargerId, { evses: given }, ours.writing())
      const wordy = [{ evseId: 1, directions: directions(evseDetailsMax) }]
      expect(yield* failureOf(update(wordy))).toEqual(["InvalidInput", "/evses"])
      yield* update(evses(1, describedEvsesMax + 1))
      expect(yield* failureOf(update(evses(200, 201)))).toEqual(["InvalidInput", "/evses"])
      // One can be added when one is removed.
      expect((yield* update([...evses(200, 201), { evseId: 1, floorLevel: null }])).evses).toHaveLength(
        describedEvsesMax
      )
    })
  )

  it.effect(
    "EVSE details and terms belong to the charger, may be set before it reports the EVSEs, and appear in its facts",
    () =>
      Effect.gen(function* () {
        const chargers = yield* Chargers
        const ours = yield* anOrganisation
        const { chargerId } = yield* aLocation(ours)
        const given = {
          evses: [
            { evseId: 7, floorLevel: "0" },
            { evseId: 1, ...evseDetails }
          ],
          equipment: [{ evseId: 1, connectorId: 1, ...socket, termsAndConditions: terms }]
        } as const
        const changed = yield* chargers.update(chargerId, given, ours.writing())
        expect(changed.evses).toEqual([
          { evseId: 1, ...evseDetails },
          { evseId: 7, floorLevel: "0" }
        ])
        expect(changed.connectors[0]?.equipment).toEqual({ ...socket, termsAndConditions: terms })
        expect(yield* chargers.get(ours.id, chargerId)).toEqual(changed)
        const before = yield* factsOf(ours)
        expect(yield* chargers.update(chargerId, given, ours.writing())).toEqual(changed)
        expect(yield* factsOf(ours)).toEqual(before)
        const less = yield* chargers.update(chargerId, { evses: [{ evseId: 7, floorLevel: null }] }, ours.writing())
        expect(less.evses?.map(({ evseId }) => evseId)).toEqual([1])
        const last = (yield* factsOf(ours)).at(-1)
        expect([last?.type, last?.body.before?.["evses"], last?.body.after?.["evses"]]).toEqual([
          "ChargerChanged",
          // Only what differs is stored: the removed EVSE.
          changed.evses?.filter(({ evseId }) => evseId !== 1),
          []
        ])
        // Another organisation cannot change them.
        const theirs = yield* anOrganisation
        const stranger = chargers.update(chargerId, { evses: [{ evseId: 1, floorLevel: "9" }] }, theirs.writing())
        expect(yield* failureOf(stranger)).toEqual(["NotFound", "charger"])
        expect((yield* chargers.get(ours.id, chargerId)).evses).toEqual(less.evses)
      })
  )

  it.effect("details appear in the location at once, and a change leaves its other parts as they are", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const chargers = yield* Chargers
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const { chargerId, site } = yield* aLocation(ours, siteDetails)
      const { operator, ...details } = siteDetails
      const before = yield* locations.get(ours.id, site.id)
      expect(before).toMatchObject({ operator, details })
      yield* chargers.update(chargerId, { evses: [{ evseId: 1, ...evseDetails }] }, ours.writing())
      const described = yield* locations.get(ours.id, site.id)
      expect(described.evses[0]?.details).toEqual(evseDetails)
      expect(described.evses[0]?.lastUpdated).toBeGreaterThanOrEqual(before.lastUpdated)
      expect(described.evses[0]?.connectors).toEqual(before.evses[0]?.connectors)
      const equipment = [{ evseId: 1, connectorId: 1, ...socket, termsAndConditions: terms }]
      yield* chargers.update(chargerId, { equipment }, ours.writing())
      expect((yield* locations.get(ours.id, site.id)).evses[0]?.connectors[0]?.termsAndConditions).toBe(terms)
      yield* sites.update(site.id, { operator: null, images: null }, ours.writing())
      const { images: _, ...left } = details
      const after = yield* locations.get(ours.id, site.id)
      expect(after.details).toEqual(left)
      expect(after.operator).not.toEqual(operator)
      expect(after.operator.name).not.toBe("")
    })
  )

  it.effect("an unpublished location is neither listed nor counted in 2.1.1", () =>
    Effect.gen(function* () {
      const locations = yield* Locations
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const made = (given: { readonly publish?: boolean }) =>
        Effect.gen(function* () {
          const { site } = yield* aLocation(ours, given)
          while (yield* locations.refresh(50)) yield* Effect.void
          return site.id
        })
      const first = yield* made({})
      const hidden = yield* made({ publish: false })
      const last = yield* made({})
      const whole = { offset: 0, limit: 10 }
      expect(yield* shown(ours.id, "2.1.1", whole)).toEqual({ ids: [first, last], total: 2 })
      expect(yield* shown(ours.id, "2.1.1", { offset: 1, limit: 1 })).toEqual({ ids: [last], total: 2 })
      expect(yield* shown(ours.id, "2.1.1", { ...whole, from: 0 })).toEqual({ ids: [first, last], total: 2 })
      expect(yield* shown(ours.id, "2.2.1", whole)).toEqual({ ids: [first, hidden, last], total: 3 })
      expect((yield* locations.publication(ours.id, hidden)).published).toBe(true)
      // Another organisation's list is not affected.
      const theirs = yield* anOrganisation
      const other = yield* aLocation(theirs)
      expect(yield* shown(theirs.id, "2.1.1", whole)).toEqual({ ids: [other.site.id], total: 1 })
      yield* sites.update(hidden, { publish: null }, ours.writing())
      expect(yield* shown(ours.id, "2.1.1", whole)).toEqual({ ids: [first, hidden, last], total: 3 })
    })
  )

  it.effect(
    "a location that is no longer published is REMOVED in 2.1.1 for ninety days, and then no longer listed",
    () =>
      Effect.gen(function* () {
        const locations = yield* Locations
        const sites = yield* Sites
        const ours = yield* anOrganisation
        const { site } = yield* aLocation(ours)
        const window = { offset: 0, limit: 10 }
        const text = Effect.map(locations.json(ours.id, "2.1.1", window, list), ({ body }) =>
          Buffer.from(body).toString("utf8")
        )
        expect(yield* text).toContain('"status":"AVAILABLE"')
        yield* sites.update(site.id, { publish: false }, ours.writing())
        const now = yield* Clock.currentTimeMillis
        const gone = yield* text
        expect(gone).toContain('"status":"REMOVED"')
        expect(gone).not.toContain("AVAILABLE")
        const afterRemoval = at(now + (removedShownDays + 1) * 86_400_000)
        while (yield* afterRemoval(locations.refresh(50))) yield* Effect.void
        expect(yield* afterRemoval(shown(ours.id, "2.1.1", window))).toEqual({ ids: [], total: 0 })
        expect(yield* afterRemoval(shown(ours.id, "2.2.1", window))).toEqual({ ids: [site.id], total: 1 })
      })
  )
}
