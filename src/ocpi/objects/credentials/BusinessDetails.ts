/** OCPI's BusinessDetails, the same in all versions: a name of at most 100 characters, and a website. */
import type { BusinessDetails } from "../../../domain/roaming/Party.ts"

interface Given {
  readonly name?: string | null
  readonly website?: string | null
}

/** The details as given; `otherwise` is the name for a partner that gave none. */
export const businessDetailsOf = (given: Given | null | undefined, otherwise: string): BusinessDetails => ({
  name: given?.name?.trim() || otherwise,
  ...(given?.website ? { website: given.website } : {})
})

const nameMax = 100
const urlMax = 255

/** The details, within the standard's lengths. */
export const cut = (details: BusinessDetails | undefined) => ({
  name: [...(details?.name ?? "")].slice(0, nameMax).join(""),
  ...(details?.website === undefined || details.website.length > urlMax ? {} : { website: details.website })
})
