/** The optional details of places that operators set, in the form of a version (OCPI 2.1.1 §8.3, §8.4; 2.2.1 §8.3, §8.4). */
import type { Company, DisplayText, EvseDetails, Image, RelatedLocation } from "../../../domain/site/Details.ts"
import type { Location, LocationDetails } from "../../../domain/site/Location.ts"
import type { BusinessDetails } from "../../../domain/roaming/Party.ts"
import { cut } from "../credentials/BusinessDetails.ts"
import { cutTo, field, list, urlWithin } from "../Strict.ts"
import { mixOf } from "../tariff/Parts.ts"

/** The values that a version can express. */
export interface DetailEnums {
  readonly facilities: ReadonlySet<string>
  /** Its name for the category of an environmental impact. */
  readonly impact: "source" | "category"
}

/** Every version accepts six decimals. */
export const coordinatesOf = ({ latitude, longitude }: Pick<Location, "latitude" | "longitude">) => ({
  latitude: latitude.toFixed(6),
  longitude: longitude.toFixed(6)
})

const textOf = ({ language, text }: DisplayText) => ({ language: cutTo(language, 2), text: cutTo(text, 512) })

const imageOf = ({ category, height, thumbnail, type, url, width }: Image) => ({
  url,
  ...field("thumbnail", urlWithin(thumbnail)),
  category,
  type: cutTo(type, 4),
  ...field("width", width),
  ...field("height", height)
})

/** An image whose URL is too long is left out. */
const imagesOf = (images: ReadonlyArray<Image> = []) =>
  list("images", images.filter(({ url }) => urlWithin(url) !== undefined).map(imageOf))

export const companyOf = (company: BusinessDetails | Company) => {
  const logo = "logo" in company && urlWithin(company.logo?.url) !== undefined ? company.logo : undefined
  return { ...cut(company), ...field("logo", logo && imageOf(logo)) }
}

const companyField = <K extends string>(key: K, company: Company | undefined) =>
  field(key, company === undefined ? undefined : companyOf(company))

const relatedOf = (one: RelatedLocation) => ({
  ...coordinatesOf(one),
  ...field("name", one.name === undefined ? undefined : textOf(one.name))
})

/** OCPI 2.2.1 §16.7 number: at most four decimals. */
const rounded = (n: number): number => Number(n.toFixed(4))

const energyMixOf = ({ energyMix: mix }: LocationDetails, { impact }: DetailEnums) =>
  mixOf(
    mix && {
      ...mix,
      energySources: (mix.energySources ?? []).map((one) => ({ ...one, percentage: rounded(one.percentage) })),
      environImpact: (mix.environImpact ?? []).map((one) => ({ ...one, amount: rounded(one.amount) }))
    },
    impact
  )

/** The details of a location, in every version. The order of these fields among the others has no meaning. */
export const siteParts = (details: LocationDetails = {}, words: DetailEnums) => ({
  ...list("related_locations", (details.relatedLocations ?? []).map(relatedOf)),
  ...list("directions", (details.directions ?? []).map(textOf)),
  ...companyField("suboperator", details.suboperator),
  ...companyField("owner", details.owner),
  ...list(
    "facilities",
    (details.facilities ?? []).filter((one) => words.facilities.has(one))
  ),
  ...field("charging_when_closed", details.chargingWhenClosed),
  ...imagesOf(details.images),
  ...field("energy_mix", energyMixOf(details, words))
})

/** The tokens that a location is shown to, if it is not public (from 2.2 on). */
export const publicationOf = ({ publish, publishAllowedTo = [] }: LocationDetails = {}) =>
  publish === false
    ? {
        publish,
        ...list(
          "publish_allowed_to",
          publishAllowedTo.map(({ groupId, issuer, type, uid, visualNumber }) => ({
            ...field("uid", uid),
            ...field("type", type),
            ...field("visual_number", visualNumber),
            ...field("issuer", issuer),
            ...field("group_id", groupId)
          }))
        )
      }
    : { publish: true }

export const evseDetailParts = (details: EvseDetails = {}) => ({
  ...field("floor_level", details.floorLevel === undefined ? undefined : cutTo(details.floorLevel, 4)),
  ...field("coordinates", details.coordinates && coordinatesOf(details.coordinates)),
  ...field(
    "physical_reference",
    details.physicalReference === undefined ? undefined : cutTo(details.physicalReference, 16)
  ),
  ...list("directions", (details.directions ?? []).map(textOf)),
  ...list("parking_restrictions", details.parkingRestrictions ?? []),
  ...imagesOf(details.images)
})

export const termsOf = (url: string | undefined) => field("terms_and_conditions", urlWithin(url))
