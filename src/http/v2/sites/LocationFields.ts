/**
 * The fields of sites, EVSEs and connectors that help drivers find them: OCPI's fields in camelCase, with OCPI's enumerations and lengths
 * (2.2.1 §8.3, §8.4), so that partners receive exactly what was set.
 */
import { Schema } from "effect"
import {
  facilities,
  imageCategories,
  parkingRestrictions,
  parkingTypes,
  type PublishToken as DomainPublishToken,
  publishTokenTypes
} from "../../../domain/site/Details.ts"
import type { EnergyMix } from "../../../domain/tariff/Tariff.ts"
import { between, rule, text, whole } from "../../Fields.ts"
import { AltText, Mix, Url } from "../tariffs/TariffInput.ts"

/** Most images of one site or EVSE: apps show a handful. */
const imagesMax = 20

/** Most texts of directions, one per language: more languages than drivers read. */
const languagesMax = 50

/** Most related locations of a site: a large garage has a dozen entrances. */
const relatedMax = 50

/** Most tokens to which a site is shown. Larger groups share a group id or an issuer. All of them are sent with each change of the site. */
const publishTokensMax = 200

const printable = (max: number) =>
  text(max).check(
    rule((value: string) => /^[\x20-\x7e]*$/.test(value), "Must be printable ASCII", { pattern: "^[\\x20-\\x7e]*$" })
  )

const Image = Schema.Struct({
  url: Url,
  thumbnail: Schema.optionalKey(Url),
  category: Schema.Literals(imageCategories),
  type: Schema.String.check(
    rule(
      (value: string) => /^[A-Za-z0-9]{1,4}$/.test(value),
      "Must be a file type of 1 to 4 letters or digits, such as png",
      {
        pattern: "^[A-Za-z0-9]{1,4}$"
      }
    )
  ).annotate({ description: "gif, jpeg, png, svg" }),
  width: Schema.optionalKey(whole(1, 99_999).annotate({ description: "Width in pixels" })),
  height: Schema.optionalKey(whole(1, 99_999).annotate({ description: "Height in pixels" }))
}).annotate({ identifier: "Image" })

const Images = Schema.Array(Image).check(Schema.isMaxLength(imagesMax))

const oncePerLanguage = rule(
  (texts: ReadonlyArray<typeof AltText.Type>) => new Set(texts.map(({ language }) => language)).size === texts.length,
  "Must have only one text per language"
)

const Directions = Schema.Array(AltText)
  .check(Schema.isMaxLength(languagesMax), oncePerLanguage)
  .annotate({ description: "Directions, in one or more languages" })

const Company = Schema.Struct({
  name: text(100),
  website: Schema.optionalKey(Url),
  logo: Schema.optionalKey(Image)
}).annotate({ identifier: "Company" })

const position = { latitude: between(-90, 90), longitude: between(-180, 180) }

const Coordinates = Schema.Struct(position).annotate({ identifier: "Coordinates" })

const RelatedLocation = Schema.Struct({ ...position, name: Schema.optionalKey(AltText) }).annotate({
  identifier: "RelatedLocation"
})

/** OCPI 2.2.1 §8.4.20 PublishTokenType: which fields require which others. */
const isToken = Schema.makeFilter(({ groupId, issuer, type, uid, visualNumber }: DomainPublishToken) => {
  if (uid === undefined && visualNumber === undefined && groupId === undefined) {
    return { path: [], issue: "Must have uid, visualNumber or groupId" }
  }
  if (uid !== undefined && type === undefined) return { path: ["type"], issue: "Is required together with uid" }
  if (visualNumber !== undefined && issuer === undefined) {
    return { path: ["issuer"], issue: "Is required together with visualNumber" }
  }
  return undefined
})

const PublishToken = Schema.Struct({
  uid: Schema.optionalKey(printable(36)),
  type: Schema.optionalKey(Schema.Literals(publishTokenTypes)),
  visualNumber: Schema.optionalKey(text(64)),
  issuer: Schema.optionalKey(text(64)),
  groupId: Schema.optionalKey(printable(36))
})
  .check(isToken)
  .annotate({ identifier: "PublishToken", description: "A token, or all tokens with these fields" })

const each = <A extends string>(words: ReadonlyArray<A>) =>
  Schema.Array(Schema.Literals(words)).check(
    rule((given: ReadonlyArray<A>) => new Set(given).size === given.length, "Must not contain duplicates", {}),
    Schema.isMaxLength(words.length)
  )

/** Largest amount of an environmental impact, in g or kg per kWh. */
const impactMax = 1_000_000

const isMix = Schema.makeFilter(({ energySources = [], environImpact = [] }: typeof EnergyMix.Type) => [
  ...energySources.flatMap(({ percentage }, n) =>
    percentage >= 0 && percentage <= 100
      ? []
      : [{ path: ["energySources", n, "percentage"], issue: "Must be between 0 and 100" }]
  ),
  ...environImpact.flatMap(({ amount }, n) =>
    amount >= 0 && amount <= impactMax
      ? []
      : [{ path: ["environImpact", n, "amount"], issue: `Must be between 0 and ${impactMax}` }]
  )
])

/** Fields of a site. Each may be left out, and cleared by null. */
export const siteDetails = {
  publish: Schema.Boolean.annotate({
    description: "False: shown only to owners of tokens in publishAllowedTo, and to no partner on OCPI 2.1.1"
  }),
  publishAllowedTo: Schema.Array(PublishToken)
    .check(Schema.isMaxLength(publishTokensMax))
    .annotate({ description: "Used if publish is false" }),
  parkingType: Schema.Literals(parkingTypes),
  directions: Directions,
  relatedLocations: Schema.Array(RelatedLocation)
    .check(Schema.isMaxLength(relatedMax))
    .annotate({ description: "Related places, such as entrances" }),
  facilities: each(facilities),
  operator: Company.annotate({ description: "Default: the CPO party of the site" }),
  suboperator: Company,
  owner: Company,
  chargingWhenClosed: Schema.Boolean.annotate({ description: "Whether sessions continue outside the opening hours" }),
  images: Images,
  energyMix: Mix.check(isMix)
}

/** Fields of an EVSE. */
export const evseDetails = {
  physicalReference: text(16).annotate({ description: "The text written on it" }),
  floorLevel: text(4),
  coordinates: Coordinates,
  directions: Directions,
  images: Images,
  parkingRestrictions: each(parkingRestrictions)
}

/** A field of a connector. */
export const termsAndConditions = Url.annotate({ description: "Where the operator's terms can be read" })
