/** Locations in a `FakeWorld`: which sites partners would see. The content of a location is tested on real databases. */
import { Effect } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { missingFrom } from "../../src/domain/site/Missing.ts"
import { Locations } from "../../src/domain/site/Locations.ts"
import { PartnerView } from "../../src/domain/roaming/PartnerView.ts"
import { type FakeWorld, owned } from "./fakeRecords.ts"

const publicationOf = (world: FakeWorld, siteId: string) => {
  const isReported = [...world.chargers.values()].some(
    (charger) => charger.siteId === siteId && charger.connectors.length > 0
  )
  const missing = missingFrom(world.sites.get(siteId), isReported)
  return { published: missing.length === 0, missing }
}

export const locations = (world: FakeWorld) =>
  Locations.of({
    page: () => Effect.succeed({ items: [], total: 0 }),
    json: () => Effect.succeed({ body: new Uint8Array(), count: 0, total: 0 }),
    get: (_, id) => Effect.fail(new NotFound({ kind: "location", id })),
    ofSites: () => Effect.succeed([]),
    evseOf: () => Effect.undefined,
    publication: (organisationId, siteId) =>
      world.ask(() =>
        Effect.map(owned(world.sites.get(siteId), organisationId, "site", siteId), () => publicationOf(world, siteId))
      ),
    publications: (_, siteIds) =>
      world.ask(() => Effect.succeed(new Map(siteIds.map((siteId) => [siteId, publicationOf(world, siteId)])))),
    refresh: () => Effect.succeed(false),
    nextDue: Effect.undefined
  })

/** Twice as many numbered objects as a page has. */
export const partnerView = (world: FakeWorld) =>
  PartnerView.of({
    page: (partner, module, { limit, offset }) =>
      world.ask(() => {
        const all = Array.from({ length: 100 }, (_, n) => ({ id: `${module} ${n}`, partner: partner.name }))
        return Effect.succeed({ version: "2.2.1", items: all.slice(offset, offset + limit), total: all.length })
      })
  })
