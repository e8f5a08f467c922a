/** What operators tell of places beside what they must, in the words of a version (OCPI 2.1.1 §8.3, §8.4; 2.2.1 §8.3, §8.4). */
import type { Company, DisplayText, EvseDetails, Image, RelatedLocation } from "../../../domain/site/Details.ts"
import type { Location, LocationDetails } from "../../../domain/site/Location.ts"
import type { BusinessDetails } from "../../../domain/roaming/Party.ts"
import { cut } from "../credentials/BusinessDetails.ts"
import { cutTo, field, list, urlWithin } from "../Strict.ts"
import { mixOf } from "../tariff/Parts.ts"

/** What a version has words for. */
export interface DetailEnums {
  readonly facilities: ReadonlySet<string>
  /** What it calls the category of an environmental impact. */
  readonly impact: "source" | "category"
}

/** Six decimals are what every version takes. */
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

/** An image that cannot be named by its address is none. */
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

/** OCPI 2.2.1 §16.7 number: four decimals. */
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

/** Of a location, in every version. Where its fields stand among the others says nothing. */
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

/** For whom it is, where it is not for everybody (from 2.2 on). */
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
