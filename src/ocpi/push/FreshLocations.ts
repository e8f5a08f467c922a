/**
 * Locations with every change that was committed before they are asked for. Those that are asked for in the same moment are read together: a busy
 * second changes a hundred of them, and each is pushed to twenty partners.
 */
import { Effect, Exit, Request, RequestResolver } from "effect"
import { NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import type { Location } from "../../domain/site/Location.ts"
import { Locations } from "../../domain/site/Locations.ts"
import { SubscriberLookup } from "../../domain/event/SubscriberLookup.ts"

class FreshLocation extends Request.TaggedClass("FreshLocation")<
  { readonly organisationId: string; readonly siteId: string },
  Location,
  NotFound | StorageUnavailable
> {}

/** Sites that are read together at most: they are brought up to date in one transaction. */
const sitesAtOnce = 50

/** One that could not be brought up to date would be pushed as it was, and counted as pushed: it is tried again instead. */
const notYet = () =>
  Exit.fail(new StorageUnavailable({ reason: "busy", message: "the location is not brought up to date yet" }))

const answerOf = (siteId: string, found: ReadonlyMap<string, Location>, stale: ReadonlyMap<string, unknown>) => {
  if (stale.has(siteId)) return notYet()
  const location = found.get(siteId)
  return location === undefined ? Exit.fail(new NotFound({ kind: "location", id: siteId })) : Exit.succeed(location)
}

/** Reads one location by its organisation and site. */
export const freshLocations = Effect.gen(function* () {
  const locations = yield* Locations
  const lookup = yield* SubscriberLookup

  const resolver = RequestResolver.makeGrouped<FreshLocation, string>({
    key: ({ request }) => request.organisationId,
    resolver: (entries, organisationId) =>
      Effect.gen(function* () {
        const siteIds = [...new Set(entries.map(({ request }) => request.siteId))]
        const marks = yield* lookup.newestMarks(organisationId, siteIds)
        const all = yield* locations.ofSites(organisationId, siteIds)
        const stale = marks.size === 0 ? marks : yield* lookup.stillMarked(organisationId, marks)
        const found = new Map(all.map((location) => [location.id, location]))
        for (const entry of entries) entry.completeUnsafe(answerOf(entry.request.siteId, found, stale))
      })
  }).pipe(RequestResolver.batchN(sitesAtOnce))

  return (organisationId: string, siteId: string): Effect.Effect<Location, NotFound | StorageUnavailable> =>
    Effect.request(new FreshLocation({ organisationId, siteId }), resolver)
})
