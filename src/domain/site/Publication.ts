/** How non-public locations are shown in OCPI versions without `publish`. */
import { type Location, removed } from "./Location.ts"

/**
 * A location for OCPI versions that cannot mark it as non-public (2.1.1 has no `publish`). A non-public location is not shown there. If it was public
 * before, its EVSEs are shown as removed for a while, like all removed objects, so that partners delete them.
 */
export const asForEverybody = (location: Location): Location | undefined => {
  if (location.details?.publish !== false) return location
  const at = location.unpublishedAt
  if (at === undefined) return undefined
  // Later changes are not shown to partners.
  return { ...location, evses: location.evses.map((evse) => removed(evse, at)), lastUpdated: at }
}
