/** The endpoints of sites over the domain's port. */
import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type FleetCounts, fleetOf, noChargers } from "../../../domain/charger/ChargerRow.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Locations } from "../../../domain/site/Locations.ts"
import { Sites } from "../../../domain/site/Sites.ts"
import type { Site as DomainSite } from "../../../domain/site/Site.ts"
import { timeZoneSpelled } from "../../../domain/values/TimeZone.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { OpeningHours, type Site } from "./SitesApi.ts"

const isOpeningHours = Schema.is(OpeningHours)

const toSite = (site: DomainSite): typeof Site.Type => ({
  id: site.id,
  groupId: site.groupId,
  name: site.name,
  timeZone: site.timeZone,
  streetAddress: site.streetAddress ?? null,
  streetNumber: site.streetNumber ?? null,
  houseLetter: site.houseLetter ?? null,
  postalNumber: site.postalNumber ?? null,
  city: site.city ?? null,
  area: site.area ?? null,
  country: site.country ?? null,
  latitude: site.latitude ?? null,
  longitude: site.longitude ?? null,
  openingHours: isOpeningHours(site.openingHours) ? site.openingHours : null,
  publish: site.publish ?? true,
  publishAllowedTo: site.publishAllowedTo ?? [],
  parkingType: site.parkingType ?? null,
  directions: site.directions ?? [],
  relatedLocations: site.relatedLocations ?? [],
  facilities: site.facilities ?? [],
  operator: site.operator ?? null,
  suboperator: site.suboperator ?? null,
  owner: site.owner ?? null,
  chargingWhenClosed: site.chargingWhenClosed ?? null,
  images: site.images ?? [],
  energyMix: site.energyMix ?? null,
  cpoPartyId: site.cpoPartyId ?? null,
  createdAt: site.createdAt,
  updatedAt: site.updatedAt
})

/** The chargers at a site now. */
const present = (counts: FleetCounts | undefined) => {
  const { byState, powerW, total } = fleetOf(counts ?? noChargers)
  return { chargers: { total, byState }, powerW }
}

/** Removes nulls: for a new site, null means the same as leaving a field out. */
const withoutNulls = <A extends object>(given: A): { readonly [K in keyof A]: Exclude<A[K], null> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as {
    readonly [K in keyof A]: Exclude<A[K], null>
  }

/** The time zone in the spelling that partners' software knows. */
const spelled = <A extends { readonly timeZone?: string }>(given: A): A =>
  given.timeZone === undefined ? given : { ...given, timeZone: timeZoneSpelled(given.timeZone) }

export const layer = HttpApiBuilder.group(
  Api,
  "sites",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    const locations = yield* Locations
    const sites = yield* Sites
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      create: Effect.fn("v2.sites.create")(function* ({ payload }) {
        const site = yield* sites.create(spelled(withoutNulls(payload)), yield* audit)
        return located(publicUrl, `/v2/sites/${site.id}`, toSite(site))
      }),
      list: Effect.fn("v2.sites.list")(function* ({ query, request }) {
        const ours = yield* organisationId
        const page = yield* sites.list(ours, pageRequest(query))
        // One query of each kind for the whole page.
        const ids = page.items.map(({ id }) => id)
        const counts = yield* chargers.countsOfSites(ours, ids, yield* Clock.currentTimeMillis)
        const publications = yield* locations.publications(ours, ids)
        return yield* listed(publicUrl, request.url, page, (site) => ({
          ...toSite(site),
          ...present(counts.get(site.id)),
          ocpi: { published: publications.get(site.id)?.published ?? false }
        }))
      }),
      get: Effect.fn("v2.sites.get")(function* ({ params }) {
        const ours = yield* organisationId
        const site = yield* sites.get(ours, params.siteId)
        const counts = yield* chargers.countsOfSites(ours, [site.id], yield* Clock.currentTimeMillis)
        const ocpi = yield* locations.publication(ours, params.siteId)
        return { ...toSite(site), ...present(counts.get(site.id)), ocpi }
      }),
      update: Effect.fn("v2.sites.update")(function* ({ params, payload }) {
        return toSite(yield* sites.update(params.siteId, spelled(payload), yield* audit))
      }),
      remove: Effect.fn("v2.sites.remove")(function* ({ params }) {
        yield* sites.remove(params.siteId, yield* audit)
      })
    })
  })
)
