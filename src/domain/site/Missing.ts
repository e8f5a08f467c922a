/** What a site needs before partners see it. */
import type { LocationSources } from "./LocationSources.ts"

/** Fields of the site by their names in REST v2. `chargers` means a charger that has reported its connectors. */
const fields = ["streetAddress", "city", "country", "latitude", "longitude"] as const
export const missables = [...fields, "chargers"] as const
export type Missing = (typeof missables)[number]

type Addressed = { readonly [F in (typeof fields)[number]]?: string | number | undefined }

/** What is missing, if it is known whether any charger has reported a connector. */
export const missingFrom = (site: Addressed | undefined, isReported: boolean): ReadonlyArray<Missing> => [
  ...fields.filter((field) => site?.[field] === undefined || site[field] === ""),
  ...(isReported ? [] : (["chargers"] as const))
]

/** What is missing, in the order of `missables`; empty for a site that partners see. */
export const missingOf = ({ chargers, site }: Pick<LocationSources, "chargers" | "site">): ReadonlyArray<Missing> =>
  missingFrom(
    site,
    chargers.some(({ connectors }) => connectors.length > 0)
  )
