/** What every storage of sites must do, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Access } from "../../src/domain/operator/Access.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import type { SiteInput } from "../../src/domain/site/Site.ts"
import { nastyTexts, unstorableTexts } from "../support/nastyText.ts"
import { anOrganisation, type ContractIt, factsOf, failureOf, noon } from "../support/repositories.ts"
import { statementsOf } from "../support/statements.ts"

const full: SiteInput = {
  name: "Harbour",
  timeZone: "Europe/Amsterdam",
  streetAddress: "Quay",
  streetNumber: "12",
  houseLetter: "b",
  postalNumber: "8232 JX",
  city: "Lelystad",
  area: "North",
  country: "NLD",
  latitude: 52.5,
  longitude: 5.25,
  openingHours: { twentyfourseven: false, regularHours: [{ weekday: 1, periodBegin: "08:00", periodEnd: "20:00" }] }
}

const stranger = "01890000-0000-7000-8000-000000000000"

export const sitesContract = (it: ContractIt): void => {
  it.effect("a site is read back with exactly the fields it was created with", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const site = yield* sites.create(full, ours.writing())
      expect(site).toMatchObject({ ...full, organisationId: ours.id, createdAt: noon, updatedAt: noon })
      expect(yield* sites.get(ours.id, site.id)).toEqual(site)
      expect(yield* sites.byGroupId(ours.id, site.groupId)).toEqual(site)
      const bare = yield* sites.create({ name: "Bare" }, ours.writing())
      expect(bare).toEqual({
        id: bare.id,
        groupId: bare.groupId,
        organisationId: ours.id,
        name: "Bare",
        timeZone: "UTC",
        createdAt: noon,
        updatedAt: noon
      })
    })
  )

  it.effect("a site without a time zone of its own has its organisation's", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const access = yield* Access
      const ours = yield* anOrganisation
      yield* access.updateOrganisation({ timeZone: "Europe/Helsinki" }, ours.writing())
      const site = yield* sites.create({ name: "North" }, ours.writing())
      expect(site.timeZone).toBe("Europe/Helsinki")
      yield* sites.update(site.id, { timeZone: "Europe/Paris" }, ours.writing())
      expect((yield* sites.update(site.id, { timeZone: null }, ours.writing())).timeZone).toBe("Europe/Helsinki")
    })
  )

  it.effect("a patch leaves fields that it does not name, clears those that are null, and sets updatedAt", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const site = yield* sites.create(full, ours.writing())
      const changed = yield* sites.update(
        site.id,
        { name: "Port", city: undefined, area: null, latitude: null, openingHours: null },
        ours.writing(noon + 1000)
      )
      expect(changed).toEqual({
        ...site,
        name: "Port",
        area: undefined,
        latitude: undefined,
        openingHours: undefined,
        updatedAt: noon + 1000
      })
      expect(yield* sites.get(ours.id, site.id)).toEqual(changed)
      expect(yield* failureOf(sites.update(site.id, { name: null }, ours.writing()))).toEqual(["InvalidInput", "/name"])
    })
  )

  it.effect("a patch that changes nothing makes no fact and leaves updatedAt", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const site = yield* sites.create(full, ours.writing())
      const before = yield* factsOf(ours)
      expect(yield* sites.update(site.id, full, ours.writing(noon + 1000))).toEqual(site)
      expect(yield* factsOf(ours)).toEqual(before)
    })
  )

  it.effect("every change is a fact with its author and the values before and after", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const site = yield* sites.create({ name: "One" }, ours.writing())
      yield* sites.update(site.id, { name: "Two" }, ours.writing(noon + 1))
      yield* sites.remove(site.id, ours.writing(noon + 2))
      const facts = (yield* factsOf(ours)).filter(({ subject }) => subject === `site:${site.id}`)
      expect(facts.map(({ body, type }) => [type, body.by, body.before?.["name"], body.after?.["name"]])).toEqual([
        ["SiteCreated", ours.principal.actor, undefined, "One"],
        ["SiteChanged", ours.principal.actor, "One", "Two"],
        ["SiteRemoved", ours.principal.actor, "Two", undefined]
      ])
    })
  )

  it.effect("a site with chargers cannot be removed, but an empty one can, and is then not found", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const chargers = yield* Chargers
      const ours = yield* anOrganisation
      const site = yield* sites.create({ name: "Full" }, ours.writing())
      const chargerId = `site-${site.groupId}`
      yield* chargers.register(
        { chargerId, name: "A", siteId: site.id, securityProfile: 0, passwordVerifier: undefined },
        ours.writing()
      )
      expect(yield* failureOf(sites.remove(site.id, ours.writing()))).toEqual(["Conflict", "site_not_empty"])
      yield* chargers.remove(chargerId, ours.writing())
      yield* sites.remove(site.id, ours.writing())
      expect(yield* failureOf(sites.get(ours.id, site.id))).toEqual(["NotFound", "site"])
      expect(yield* failureOf(sites.remove(site.id, ours.writing()))).toEqual(["NotFound", "site"])
    })
  )

  it.effect("another organisation can neither see, change nor remove a site", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const site = yield* sites.create(full, ours.writing())
      const tries = [
        sites.get(theirs.id, site.id),
        sites.byGroupId(theirs.id, site.groupId),
        sites.update(site.id, { name: "Taken" }, theirs.writing()),
        sites.remove(site.id, theirs.writing())
      ]
      for (const one of tries) expect(yield* failureOf(one)).toEqual(["NotFound", "site"])
      expect(yield* sites.list(theirs.id, { limit: 50 })).toEqual({ items: [], nextCursor: null })
      expect(yield* sites.get(ours.id, site.id)).toEqual(site)
    })
  )

  it.effect("several sites are read by one statement, without unknown ones and those of another organisation", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
      const own = yield* Effect.forEach(["A", "B"], (name) => sites.create({ name }, ours.writing()))
      const other = yield* sites.create({ name: "C" }, theirs.writing())
      const ids = [...own.map(({ id }) => id), other.id, stranger, "no id"]
      const asked = yield* statementsOf(
        Effect.tap(sites.byIds(ours.id, ids), (found) =>
          Effect.sync(() => expect(found.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(own))
        )
      )
      expect(asked).toHaveLength(1)
    })
  )

  it.effect("an unknown or malformed id or group id is not found", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      for (const id of [stranger, "", "1", "x' OR 1=1 --", "\0"]) {
        expect(yield* failureOf(sites.get(ours.id, id))).toEqual(["NotFound", "site"])
      }
      for (const groupId of [0, -1, 1.5, 2 ** 31, 2 ** 60, Number.NaN]) {
        expect(yield* failureOf(sites.byGroupId(ours.id, groupId))).toEqual(["NotFound", "site"])
      }
    })
  )

  it.effect("pages hold every site once, even if one is created between two pages", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const create = (n: number) => sites.create({ name: `Site ${n}` }, ours.writing(noon + n))
      for (const n of [1, 2, 3, 4, 5]) yield* create(n)
      const first = yield* sites.list(ours.id, { limit: 2 })
      yield* create(6)
      const second = yield* sites.list(ours.id, { limit: 2, cursor: first.nextCursor ?? "" })
      const third = yield* sites.list(ours.id, { limit: 2, cursor: second.nextCursor ?? "" })
      const names = [first, second, third].flatMap((page) => page.items.map(({ name }) => name))
      expect(names).toEqual(["Site 1", "Site 2", "Site 3", "Site 4", "Site 5", "Site 6"])
      expect(third.nextCursor).toBeNull()
    })
  )

  it.effect("a malformed cursor and one of another list are refused", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const base64 = (text: string) => Buffer.from(text).toString("base64url")
      const bad = [
        "",
        "x",
        "!!",
        "'; DROP TABLE site; --",
        base64("{}"),
        base64(JSON.stringify({ list: "tokens", after: stranger })),
        base64(JSON.stringify({ list: "sites", after: "no uuid" })),
        base64(JSON.stringify({ list: "sites", after: null })),
        "A".repeat(100_000)
      ]
      for (const cursor of bad) {
        expect(yield* failureOf(sites.list(ours.id, { limit: 2, cursor }))).toEqual(["InvalidInput", "/cursor"])
      }
      const good = base64(JSON.stringify({ list: "sites", after: stranger }))
      expect((yield* sites.list(ours.id, { limit: 2, cursor: good })).items).toEqual([])
    })
  )

  it.effect("every text comes back unchanged, SQL in it included", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const stored = yield* Effect.forEach(nastyTexts, (text) =>
        sites.create({ name: text, city: text, country: text, openingHours: { [text]: [text] } }, ours.writing())
      )
      const ids = new Map(stored.map(({ id }, index) => [id, nastyTexts[index]]))
      let cursor: string | undefined
      do {
        const page = yield* sites.list(ours.id, { limit: 500, cursor })
        for (const { city, country, id, name, openingHours } of page.items) {
          const text = ids.get(id) ?? ""
          expect({ name, city, country, openingHours }).toEqual({
            name: text,
            city: text,
            country: text,
            openingHours: { [text]: [text] }
          })
          ids.delete(id)
        }
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(ids.size).toBe(0)
    })
  )

  it.effect("text that cannot be stored and non-finite numbers are refused with the path of their field", () =>
    Effect.gen(function* () {
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const site = yield* sites.create(full, ours.writing())
      for (const text of unstorableTexts) {
        expect(yield* failureOf(sites.create({ name: "A", city: text }, ours.writing()))).toEqual([
          "InvalidInput",
          "/city"
        ])
        expect(yield* failureOf(sites.update(site.id, { openingHours: { a: ["b", text] } }, ours.writing()))).toEqual([
          "InvalidInput",
          "/openingHours/a/1"
        ])
      }
      for (const latitude of [Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(yield* failureOf(sites.update(site.id, { latitude }, ours.writing()))).toEqual([
          "InvalidInput",
          "/latitude"
        ])
      }
      expect(yield* sites.list(ours.id, { limit: 500 })).toEqual({ items: [site], nextCursor: null })
    })
  )
}
