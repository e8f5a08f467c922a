/** Tariffs and their assignments as REST v2 shows them. Their form in requests is in `TariffInput.ts`. */
import { Schema, SchemaTransformation } from "effect"
import { evidences } from "../../../domain/tariff/Evidence.ts"
import { Dimension, EnergyMix, PriceLimit, TariffBody, TariffElement, weekdays } from "../../../domain/tariff/Tariff.ts"
import { ChargerId, rule, Time, Uuid, whole, wholeInQuery } from "../../Fields.ts"

const Element = TariffElement.annotate({ identifier: "TariffElement" })
const Limit = PriceLimit.annotate({ identifier: "PriceLimit" })

export const Warning = Schema.Struct({ pointer: Schema.String, detail: Schema.String }).annotate({
  identifier: "TariffWarning"
})

/** An amount on the wire, excluding and including VAT. */
export const prices = { exclVat: Schema.Finite, inclVat: Schema.Finite }

export const Price = Schema.Struct(prices).annotate({ identifier: "Price" })

/** A part of a session in which nothing changed that affects its price. */
export const Period = Schema.Struct({
  startedAt: Time,
  endedAt: Time,
  energyWh: Schema.Finite,
  charging: Schema.Boolean.annotate({ description: "False: the vehicle parked without requesting power" }),
  evidence: Schema.optionalKey(Schema.Array(Schema.Literals(evidences))).annotate({
    description:
      "The evidence, the strongest first. Status: the charger's report about the vehicle; Register, Power, Current: its meter; Assumed: there was no evidence"
  }),
  reserved: Schema.optionalKey(Schema.Literal(true)).annotate({
    description: "True for time in which the connector was reserved before the session"
  }),
  minPowerW: Schema.optionalKey(Schema.Finite),
  maxPowerW: Schema.optionalKey(Schema.Finite),
  minCurrentA: Schema.optionalKey(Schema.Finite),
  maxCurrentA: Schema.optionalKey(Schema.Finite),
  stateOfCharge: Schema.optionalKey(Schema.Finite).annotate({ description: "Percent; the last one reported" }),
  elements: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "The element that prices each dimension; a missing dimension is free"
  })
}).annotate({ identifier: "PricedPeriod" })

const Weekday = Schema.Literals(weekdays)

const WeekPrice = Schema.Struct({
  dimension: Dimension,
  element: Schema.NullOr(Schema.Int),
  price: Schema.Finite,
  vat: Schema.NullOr(Schema.Finite),
  later: Schema.Array(Schema.Int)
}).annotate({ identifier: "TariffWeekPrice" })

const WeekPeriod = Schema.Struct({
  day: Weekday,
  date: Schema.String,
  startTime: Schema.String,
  endTime: Schema.String,
  band: Schema.Int
}).annotate({ identifier: "TariffWeekPeriod" })

const WeekGap = Schema.Struct({
  dimension: Dimension,
  days: Schema.Array(Weekday),
  startTime: Schema.String,
  endTime: Schema.String
}).annotate({ identifier: "TariffWeekGap" })

/** Seven days of a tariff in local time. */
export const Week = Schema.Struct({
  bands: Schema.Array(Schema.Struct({ prices: Schema.Array(WeekPrice) }).annotate({ identifier: "TariffWeekBand" })),
  periods: Schema.Array(WeekPeriod),
  gaps: Schema.Array(WeekGap),
  warnings: Schema.Array(Warning)
}).annotate({ identifier: "TariffWeek" })

export const Tariff = Schema.Struct({
  id: Schema.String,
  version: Schema.Int.annotate({
    description: "Each change creates a new version; a session keeps the version under which it began"
  }),
  currency: Schema.String,
  elements: Schema.Array(Element),
  minPrice: Schema.NullOr(Limit),
  maxPrice: Schema.NullOr(Limit),
  type: Schema.NullOr(TariffBody.fields.type.schema),
  tariffAltText: Schema.Array(Schema.Struct({ language: Schema.String, text: Schema.String })),
  tariffAltUrl: Schema.NullOr(Schema.String),
  startDateTime: Schema.NullOr(Time),
  endDateTime: Schema.NullOr(Time),
  energyMix: Schema.NullOr(EnergyMix),
  warnings: Schema.Array(Warning).annotate({ description: "Probable mistakes in the tariff" }),
  createdAt: Time,
  lastUpdated: Time
}).annotate({ identifier: "Tariff" })

const connector = {
  chargerId: ChargerId,
  connectorId: whole(1, 999),
  evseId: Schema.optionalKey(whole(1, 999).annotate({ description: "If it is left out, connectorId is OCPP 1.6's" }))
}

/** Has exactly one of the four fields. */
export const Assignment = Schema.Struct({
  default: Schema.optionalKey(Schema.Literal(true).annotate({ description: "The whole organisation" })),
  siteId: Schema.optionalKey(Uuid),
  chargerId: Schema.optionalKey(ChargerId),
  connector: Schema.optionalKey(Schema.Struct(connector))
})
  .check(
    rule(
      (given: object) => Object.values(given).filter((one) => one !== undefined).length === 1,
      "Must name exactly one of default, siteId, chargerId and connector"
    )
  )
  .annotate({ identifier: "TariffAssignment" })

const RunningVersion = Schema.Struct({
  version: Schema.Int,
  sessions: Schema.Int,
  reservations: Schema.Int
}).annotate({ identifier: "RunningTariffVersion" })

export const Running = Schema.Struct({ items: Schema.Array(RunningVersion) }).annotate({
  identifier: "RunningTariffVersions"
})

const ConnectorNumber = wholeInQuery(1, 999)

/** The same in a query; `connectorId` (and `evseId`) together with `chargerId` name a connector. */
export const AssignmentQuery = {
  default: Schema.optionalKey(
    Schema.Literal("true").pipe(
      Schema.decodeTo(
        Schema.Literal(true),
        SchemaTransformation.transform({ decode: () => true as const, encode: () => "true" as const })
      )
    )
  ),
  siteId: Schema.optionalKey(Uuid),
  chargerId: Schema.optionalKey(ChargerId),
  connectorId: Schema.optionalKey(ConnectorNumber),
  evseId: Schema.optionalKey(ConnectorNumber)
}

export const Assignments = Schema.Struct({
  items: Schema.Array(Assignment),
  warnings: Schema.Array(Warning).annotate({
    description: "Probable mistakes in the tariff where it is assigned"
  })
}).annotate({
  identifier: "TariffAssignments"
})
