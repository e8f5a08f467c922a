/** The body of a stored charge detail record, as it was sealed. */
import { Schema } from "effect"
import { EvseDetails } from "../../domain/site/Details.ts"
import { TariffBody } from "../../domain/tariff/Tariff.ts"
import { Capabilities, LocationBody } from "../sites/LocationRows.ts"
import { RoamingRow } from "../roaming/RoamingRows.ts"
import { PeriodRow, SessionRow } from "../charging/SessionRows.ts"
import { tokenTypes } from "../../domain/token/Token.ts"
import { natures } from "../../domain/session/SignedData.ts"

const Price = Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.Finite })

const text = Schema.optionalKey(Schema.String)
const figure = Schema.optionalKey(Schema.Finite)

/** A place as sealed in a record, and as read to make one. */
export const PlaceRow = Schema.Struct({
  party: Schema.optionalKey(Schema.Struct({ countryCode: Schema.String, partyId: Schema.String })),
  evseUid: text,
  publicEvseId: text,
  siteName: text,
  streetAddress: text,
  streetNumber: text,
  houseLetter: text,
  postalNumber: text,
  city: text,
  area: text,
  country: text,
  latitude: figure,
  longitude: figure,
  chargerName: text,
  standard: text,
  format: text,
  powerType: text,
  maxVoltage: figure,
  maxAmperage: figure,
  maxPowerW: figure,
  shown: Schema.optionalKey(
    Schema.Struct({
      operator: LocationBody.fields.operator,
      timeZone: Schema.String,
      openingHours: LocationBody.fields.openingHours,
      details: LocationBody.fields.details,
      capabilities: Schema.optional(Capabilities),
      evse: Schema.optional(EvseDetails),
      termsAndConditions: Schema.optional(Schema.String)
    })
  )
})

export const TokenTypeRow = Schema.Literals(tokenTypes)

const SignedDataRow = Schema.Struct({
  encodingMethod: text,
  publicKey: text,
  signedValues: Schema.Array(
    Schema.Struct({
      nature: Schema.Literals(natures),
      plainData: text,
      signedData: Schema.String
    })
  )
})

export const CdrBodyRow = Schema.Struct({
  currency: Schema.String,
  total: Price,
  costs: Schema.Struct({ fixed: Price, energy: Price, time: Price, parking: Price, reservation: Price }),
  energyWh: Schema.Finite,
  durationMillis: Schema.Finite,
  parkingMillis: Schema.Finite,
  periods: Schema.Array(PeriodRow),
  tariff: Schema.Struct({ ...TariffBody.fields, id: Schema.String, version: Schema.Int, updatedAt: figure }),
  timeZone: Schema.String,
  place: Schema.optionalKey(PlaceRow),
  evseId: Schema.Int,
  connectorId: Schema.Int,
  transactionId: Schema.String,
  ocppVersion: Schema.String,
  tokenUid: Schema.String,
  tokenType: Schema.optionalKey(TokenTypeRow),
  authorizationSource: Schema.String,
  authorization: Schema.optionalKey(
    Schema.Struct({
      status: SessionRow.fields.authorizationStatus,
      source: SessionRow.fields.authorizationSource,
      decidedAt: Schema.Finite
    })
  ),
  reservationId: Schema.optionalKey(Schema.Int),
  meterStartWh: Schema.Finite,
  meterStopWh: Schema.optionalKey(Schema.Finite),
  signedData: Schema.optionalKey(SignedDataRow),
  roaming: Schema.optionalKey(RoamingRow)
})
