/** The sites that a charger can be moved to. */
import type { Site } from "../../api/types.ts"

type Named = Pick<Site, "id" | "name">

/**
 * The sites as options of a select. The charger's own site is always one of them: a select whose value is not among its options shows the first one,
 * and saving the form would move the charger there.
 */
export const siteOptions = (sites: ReadonlyArray<Named>, own: Named): ReadonlyArray<readonly [string, string]> =>
  [...(sites.some(({ id }) => id === own.id) ? [] : [own]), ...sites].map(({ id, name }) => [id, name] as const)
