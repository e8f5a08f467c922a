/** A site: a place with chargers. REST v1 calls it a group and gives it a number; OCPI calls it a Location. */
import type { SiteDetails, Given } from "./Details.ts"

export interface Site extends Given<SiteDetails> {
  readonly id: string
  /** REST v1's integer id. */
  readonly groupId: number
  readonly organisationId: string
  readonly name: string
  /** IANA name. */
  readonly timeZone: string
  readonly streetAddress: string | undefined
  readonly streetNumber: string | undefined
  readonly houseLetter: string | undefined
  readonly postalNumber: string | undefined
  readonly city: string | undefined
  readonly area: string | undefined
  /** ISO 3166-1 alpha-3; interfaces also accept alpha-2 and convert it. */
  readonly country: string | undefined
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  /** OCPI's Hours in camelCase, stored as given. */
  readonly openingHours: unknown
  /** Id of the CPO party to which it belongs; undefined for the organisation's default one. */
  readonly cpoPartyId?: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

export type SiteInput = Pick<Site, "name"> &
  Partial<Omit<Site, "id" | "groupId" | "organisationId" | "name" | "createdAt" | "updatedAt">>

/** `undefined` leaves a field unchanged, `null` clears it. */
export type SitePatch = { readonly [K in keyof SiteInput]?: SiteInput[K] | null }
