/** The body of a stored charge detail record, as it was sealed. */
import { Schema } from "effect"
import { TariffBody } from "../domain/tariff/Tariff.ts"
import { PeriodRow } from "./SessionRows.ts"

const Price = Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.Finite })

export const CdrBodyRow = Schema.Struct({
  currency: Schema.String,
  total: Price,
  costs: Schema.Struct({ fixed: Price, energy: Price, time: Price, parking: Price, reservation: Price }),
  energyWh: Schema.Finite,
  durationMillis: Schema.Finite,
  parkingMillis: Schema.Finite,
  periods: Schema.Array(PeriodRow),
  tariff: Schema.Struct({ ...TariffBody.fields, id: Schema.String, version: Schema.Int }),
  timeZone: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  transactionId: Schema.String,
  ocppVersion: Schema.String,
  tokenUid: Schema.String,
  authorizationSource: Schema.String,
  meterStartWh: Schema.Finite,
  meterStopWh: Schema.optionalKey(Schema.Finite)
})
