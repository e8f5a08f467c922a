/** Who is shown a location that is not for everybody. */
import { type Location, removed } from "./Location.ts"

/**
 * A location as it is shown where it cannot be said that it is for some alone (OCPI 2.1.1 has no `publish`): one that is, is not shown there. Where it was
 * for everybody before, its evses are shown as removed for a while, as everything is that is gone, so that it is taken away where it was seen.
 */
export const asForEverybody = (location: Location): Location | undefined => {
  if (location.details?.publish !== false) return location
  const at = location.unpublishedAt
  if (at === undefined) return undefined
  // What happens there since is not for partners.
  return { ...location, evses: location.evses.map((evse) => removed(evse, at)), lastUpdated: at }
}
