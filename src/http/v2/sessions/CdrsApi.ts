/** Charge detail records in REST v2: read, listed, exported, and reversed by a credit record. Sessions make them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { TariffBody } from "../../../domain/tariff/Tariff.ts"
import { text, Time, Uuid, wholeInQuery } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { RoamingOfCdr } from "../roaming/RoamingShape.ts"
import { uidMax } from "./SessionsApi.ts"
import { PriceExplanation } from "../tariffs/PriceSchema.ts"
import { Period, Price, prices } from "../tariffs/TariffSchema.ts"
import { natures } from "../../../domain/session/SignedData.ts"

const measured = (description: string) => Schema.Finite.annotate({ description: `${description}, as measured` })

const known = Schema.NullOr(Schema.String)
const figure = Schema.NullOr(Schema.Finite)

/** The location at the time of the session; null for what was not known. */
const Location = Schema.Struct({
  siteName: known,
  streetAddress: known,
  streetNumber: known,
  houseLetter: known,
  postalNumber: known,
  city: known,
  area: known,
  country: known,
  latitude: figure,
  longitude: figure,
  chargerName: known,
  standard: known,
  format: known,
  powerType: known,
  maxVoltage: figure,
  maxAmperage: figure,
  maxPowerW: figure
}).annotate({
  identifier: "CdrLocation",
  description: "As it was when the record was issued; unknown values are null"
})

const SignedData = Schema.Struct({
  encodingMethod: Schema.NullOr(Schema.String).annotate({
    description: "OCPI's name for the format, such as OCMF; null if unknown, or if the values have different formats"
  }),
  publicKey: Schema.NullOr(Schema.String).annotate({ description: "The meter's public key, if the charger sent it" }),
  signedValues: Schema.Array(
    Schema.Struct({
      nature: Schema.Literals(natures),
      plainData: Schema.NullOr(Schema.String).annotate({
        description: "The signed content in plain text, if it can be read"
      }),
      signedData: Schema.String.annotate({ description: "The signed data, byte for byte" })
    })
  ).annotate({ description: "In order of time: the start, the end, and at most 8 in between" })
}).annotate({ identifier: "SignedData" })

const VatShare = Schema.Struct({
  rate: Schema.NullOr(Schema.Finite),
  isMixed: Schema.Boolean,
  ...prices,
  vat: Schema.Finite
}).annotate({ identifier: "VatShare" })

export const Cdr = Schema.Struct({
  id: Schema.String,
  number: Schema.Int.annotate({ description: "Number of the record within the organisation, from 1 without gaps" }),
  sessionId: Schema.String,
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  tokenUid: Schema.String,
  tokenType: Schema.NullOr(Schema.String).annotate({ description: "Null for a token that was not registered" }),
  authorization: Schema.NullOr(
    Schema.Struct({ status: Schema.String, source: Schema.String, decidedAt: Time })
  ).annotate({ description: "What allowed the session to begin, and when; null in records from the first versions" }),
  reservationId: Schema.NullOr(Schema.Int).annotate({ description: "The reservation that the record also bills" }),
  roaming: Schema.NullOr(RoamingOfCdr).annotate({
    description: "The roaming contract that is billed; null for one of your own cards"
  }),
  startedAt: Time,
  endedAt: Time,
  timeZone: Schema.String,
  location: Schema.NullOr(Location),
  currency: Schema.String,
  totalCost: Price.annotate({
    description: "Negated in a credit record, which is otherwise the same as the record that it cancels"
  }),
  totalFixedCost: Price,
  totalEnergyCost: Price,
  totalTimeCost: Price,
  totalParkingCost: Price,
  totalReservationCost: Price,
  vatShares: Schema.Array(VatShare).annotate({
    description: "The total by VAT rate. The shares add up to `totalCost` exactly"
  }),
  totalEnergyKwh: measured("kWh"),
  totalTimeHours: measured("Hours in total"),
  totalParkingTimeHours: measured("Hours without energy"),
  meterStartWh: Schema.Finite,
  meterStopWh: Schema.NullOr(Schema.Finite),
  signedData: Schema.NullOr(SignedData).annotate({
    description: "The signed meter values; null if the meter does not sign"
  }),
  periods: Schema.Array(Period),
  tariff: Schema.Struct({
    id: Schema.String,
    version: Schema.Int,
    currency: TariffBody.fields.currency,
    elements: TariffBody.fields.elements
  }).annotate({ description: "As it was when the session began", identifier: "CdrTariff" }),
  credit: Schema.Boolean,
  creditReferenceId: Schema.NullOr(Schema.String),
  issuedAt: Time
}).annotate({ identifier: "Cdr" })

const params = { cdrId: Uuid }

const numberMax = 2_147_483_647

const filters = {
  chargerId: Schema.optionalKey(text(48)),
  siteId: Schema.optionalKey(Uuid),
  tokenUid: Schema.optionalKey(text(uidMax).annotate({ description: "Only those of this card; case does not matter" })),
  sessionId: Schema.optionalKey(Uuid),
  partnerId: Schema.optionalKey(Uuid.annotate({ description: "Only those of drivers of this roaming partner" })),
  from: Schema.optionalKey(Time.annotate({ description: "Only those of sessions that started at or after this time" })),
  to: Schema.optionalKey(Time.annotate({ description: "Only those of sessions that started before this time" })),
  issuedFrom: Schema.optionalKey(Time.annotate({ description: "Only those issued at or after this time" })),
  issuedTo: Schema.optionalKey(Time.annotate({ description: "Only those issued before this time" })),
  numberFrom: Schema.optionalKey(wholeInQuery(1, numberMax, "The lowest number")),
  numberTo: Schema.optionalKey(wholeInQuery(1, numberMax, "The highest number, included"))
}

/** A body that browsers save as a file. */
const asFile = <S extends Schema.Top>(content: S) =>
  HttpApiSchema.WithHeaders(content, {
    "content-disposition": Schema.String.annotate({ description: "`attachment`, with the name of the file" })
  })

export class CdrsApi extends HttpApiGroup.make("cdrs").add(
  HttpApiEndpoint.get("list", "/v2/cdrs", {
    query: { ...PageQuery, ...filters },
    success: listOf(Cdr)
  }).annotateMerge(operation("List charge detail records, newest first", "cdrs:read")),
  HttpApiEndpoint.get("csv", "/v2/exports/cdrs.csv", {
    query: filters,
    success: asFile(HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }))
  }).annotateMerge(operation("Export all matching records as CSV, newest first", "cdrs:read")),
  HttpApiEndpoint.get("jsonLines", "/v2/exports/cdrs.jsonl", {
    query: filters,
    success: asFile(HttpApiSchema.StreamUint8Array({ contentType: "application/jsonl" }))
  }).annotateMerge(operation("Export all matching records as JSON lines, newest first", "cdrs:read")),
  HttpApiEndpoint.get("get", "/v2/cdrs/:cdrId", { params, success: Cdr, error: NotFound404 }).annotateMerge(
    operation("Read a charge detail record", "cdrs:read")
  ),
  HttpApiEndpoint.get("price", "/v2/cdrs/:cdrId/price", {
    params,
    success: PriceExplanation,
    error: NotFound404
  }).annotateMerge(operation("Explain a record's price line by line", "cdrs:read")),
  HttpApiEndpoint.get("creditPreview", "/v2/cdrs/:cdrId/credit", {
    params,
    success: PriceExplanation,
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("Preview a record's credit line by line, before it is issued", "cdrs:read")),
  HttpApiEndpoint.post("credit", "/v2/cdrs/:cdrId/credit", {
    params,
    headers: IdempotencyHeader,
    success: createdAt(Cdr.pipe(HttpApiSchema.status(201))),
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("Cancel a record: issues its credit record, once", "cdrs:write"))
) {}
