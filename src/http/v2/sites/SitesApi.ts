/** Sites in REST v2: the places where chargers are. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { EnergyMix } from "../../../domain/tariff/Tariff.ts"
import { StateCounts } from "../../ChargerStatus.ts"
import { between, Country, Name, optionalText, parseTime, rule, Time, TimeText, TimeZone, Uuid } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { ignored } from "../requests/Given.ts"
import { siteDetails } from "./LocationFields.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { operation, Reported } from "../requests/Middleware.ts"
import { missables } from "../../../domain/site/Missing.ts"

/** Most entries of one list of opening hours: a year of exceptions. */
const hoursMax = 366

const clockTime = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/

const ClockTime = Schema.String.check(
  rule((value: string) => clockTime.test(value), "Must be a time of day, 00:00 to 24:00", { pattern: clockTime.source })
)

const Period = Schema.Struct({ periodBegin: TimeText, periodEnd: TimeText })

/** OCPI's Hours in camelCase. */
export const OpeningHours = Schema.Struct({
  twentyfourseven: Schema.Boolean,
  regularHours: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        weekday: Schema.Literals([1, 2, 3, 4, 5, 6, 7]).annotate({ description: "1 is Monday" }),
        periodBegin: ClockTime,
        periodEnd: ClockTime
      })
    ).check(Schema.isMaxLength(hoursMax))
  ),
  exceptionalOpenings: Schema.optionalKey(Schema.Array(Period).check(Schema.isMaxLength(hoursMax))),
  exceptionalClosings: Schema.optionalKey(Schema.Array(Period).check(Schema.isMaxLength(hoursMax)))
}).annotate({ identifier: "OpeningHours" })

/** OCPI 2.2.1 §8.4.11, §8.4.14, §8.4.21: a period must end later than it begins, and hours that are not always must have regular ones. */
const isOrdered = Schema.makeFilter((hours: typeof OpeningHours.Type) => {
  const { exceptionalClosings = [], exceptionalOpenings = [], regularHours = [] } = hours
  const exceptions = { exceptionalClosings, exceptionalOpenings }
  const isExceptional = exceptionalClosings.length > 0 || exceptionalOpenings.length > 0
  return [
    ...(isExceptional && !hours.twentyfourseven && regularHours.length === 0
      ? [
          {
            path: ["regularHours"],
            issue:
              "Must have the usual hours if there are exceptions, because partners cannot be sent exceptions alone; or set twentyfourseven"
          }
        ]
      : []),
    ...regularHours.flatMap(({ periodBegin, periodEnd }, n) =>
      periodEnd > periodBegin
        ? []
        : [
            {
              path: ["regularHours", n, "periodEnd"],
              issue: "Must be later than periodBegin; hours past midnight take two periods, one on each day"
            }
          ]
    ),
    ...Object.entries(exceptions).flatMap(([list, periods]) =>
      periods.flatMap(({ periodBegin, periodEnd }, n) =>
        (parseTime(periodEnd) ?? 0) > (parseTime(periodBegin) ?? 0)
          ? []
          : [{ path: [list, n, "periodEnd"], issue: "Must be later than periodBegin" }]
      )
    )
  ]
})

/** Opening hours in requests. Hours that were set before periods were checked are still shown unchanged. */
const NewOpeningHours = OpeningHours.check(isOrdered).annotate({ identifier: "NewOpeningHours" })

const latitude = between(-90, 90)
const longitude = between(-180, 180)

/** Fields that may be left out, and cleared by null. Lengths are OCPI's if it has one. */
const details = {
  streetAddress: optionalText(255),
  streetNumber: optionalText(32),
  houseLetter: optionalText(32),
  postalNumber: optionalText(32),
  city: optionalText(255),
  area: optionalText(255),
  country: Country.annotate({ description: "ISO 3166-1 alpha-3; alpha-2 is accepted too" }),
  latitude,
  longitude,
  openingHours: NewOpeningHours
}

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const input = {
  timeZone: Schema.optionalKey(TimeZone.annotate({ description: "IANA time zone name; default: the organisation's" })),
  streetAddress: nullable(details.streetAddress),
  streetNumber: nullable(details.streetNumber),
  houseLetter: nullable(details.houseLetter),
  postalNumber: nullable(details.postalNumber),
  city: nullable(details.city),
  area: nullable(details.area),
  country: nullable(details.country),
  latitude: nullable(details.latitude),
  longitude: nullable(details.longitude),
  openingHours: nullable(details.openingHours),
  publish: nullable(siteDetails.publish),
  publishAllowedTo: nullable(siteDetails.publishAllowedTo),
  parkingType: nullable(siteDetails.parkingType),
  directions: nullable(siteDetails.directions),
  relatedLocations: nullable(siteDetails.relatedLocations),
  facilities: nullable(siteDetails.facilities),
  operator: nullable(siteDetails.operator),
  suboperator: nullable(siteDetails.suboperator),
  owner: nullable(siteDetails.owner),
  chargingWhenClosed: nullable(siteDetails.chargingWhenClosed),
  images: nullable(siteDetails.images),
  energyMix: nullable(siteDetails.energyMix),
  cpoPartyId: nullable(
    Uuid.annotate({
      description: "`id` of the party in /v2/parties under which partners see the site; default: the default party"
    })
  ),
  // Ignored, so that a site can be sent back as it was read.
  id: ignored,
  groupId: ignored,
  ocpi: ignored,
  chargers: ignored,
  powerW: ignored,
  createdAt: ignored,
  updatedAt: ignored
}

export const NewSite = Schema.Struct({ name: Name, ...input }).annotate({ identifier: "NewSite" })

export const SiteChange = Schema.Struct({ name: Schema.optionalKey(Name), ...input }).annotate({
  identifier: "SiteChange"
})

const text = Schema.NullOr(Schema.String)

export const Site = Schema.Struct({
  id: Schema.String,
  groupId: Schema.Int.annotate({ description: "The site's integer id in REST v1" }),
  name: Schema.String,
  timeZone: Schema.String,
  streetAddress: text,
  streetNumber: text,
  houseLetter: text,
  postalNumber: text,
  city: text,
  area: text,
  country: text,
  latitude: Schema.NullOr(Schema.Finite),
  longitude: Schema.NullOr(Schema.Finite),
  openingHours: Schema.NullOr(OpeningHours),
  publish: siteDetails.publish,
  publishAllowedTo: siteDetails.publishAllowedTo,
  parkingType: Schema.NullOr(siteDetails.parkingType),
  directions: siteDetails.directions,
  relatedLocations: siteDetails.relatedLocations,
  facilities: siteDetails.facilities,
  operator: Schema.NullOr(siteDetails.operator),
  suboperator: Schema.NullOr(siteDetails.suboperator),
  owner: Schema.NullOr(siteDetails.owner),
  chargingWhenClosed: Schema.NullOr(Schema.Boolean),
  images: siteDetails.images,
  energyMix: Schema.NullOr(EnergyMix),
  cpoPartyId: text.annotate({ description: "`id` of a party in /v2/parties; null for the default party" }),
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "Site" })

const published = Schema.Boolean.annotate({
  description: "True: partners see it as an OCPI Location; if `publish` is false, as one that is not public"
})

/** The chargers at the site now. */
const present = {
  chargers: Schema.Struct({ total: Schema.Int, byState: StateCounts }).annotate({ identifier: "SiteChargers" }),
  powerW: Schema.Int
}

/** A site with its chargers, and whether roaming partners see it. */
export const SiteItem = Schema.Struct({
  ...Site.fields,
  ...present,
  ocpi: Schema.Struct({ published })
}).annotate({ identifier: "SiteItem" })

/** The same, with what is missing for partners to see it. */
export const SiteDetail = Schema.Struct({
  ...Site.fields,
  ...present,
  ocpi: Schema.Struct({
    published,
    missing: Schema.Array(Schema.Literals(missables)).annotate({
      description:
        "What is missing for partners to see it: fields, and `chargers` until one of its chargers has reported its connectors"
    })
  })
}).annotate({ identifier: "SiteDetail" })

const params = { siteId: Uuid }

export class SitesApi extends HttpApiGroup.make("sites").add(
  HttpApiEndpoint.post("create", "/v2/sites", {
    headers: IdempotencyHeader,
    payload: NewSite,
    success: createdAt(Site)
  }).annotateMerge(operation("Create a site", "sites:write")),
  HttpApiEndpoint.get("list", "/v2/sites", {
    query: PageQuery,
    success: listOf(SiteItem)
  }).annotateMerge(operation("List sites, oldest first", "sites:read")),
  HttpApiEndpoint.get("get", "/v2/sites/:siteId", { params, success: SiteDetail, error: NotFound404 })
    .annotate(Reported, ["ocpi", "chargers", "powerW"])
    .annotateMerge(operation("Read a site", "sites:read")),
  HttpApiEndpoint.patch("update", "/v2/sites/:siteId", {
    params,
    payload: SiteChange,
    success: Site,
    error: NotFound404
  }).annotateMerge(operation("Change a site; null clears a field", "sites:write")),
  HttpApiEndpoint.delete("remove", "/v2/sites/:siteId", {
    params,
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("Delete a site that has no chargers", "sites:write"))
) {}
