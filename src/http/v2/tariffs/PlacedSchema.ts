/** Where tariffs are assigned, and which of them apply to a charger's connectors, as REST v2 shows it. */
import { Schema } from "effect"
import { verdicts } from "../../../domain/tariff/Choice.ts"
import { assignmentScopes } from "../../../domain/tariff/Tariff.ts"
import { Time } from "../../Fields.ts"

const place = {
  scope: Schema.Literals(assignmentScopes),
  siteId: Schema.NullOr(Schema.String),
  chargerId: Schema.NullOr(Schema.String),
  evseId: Schema.NullOr(Schema.Int),
  connectorId: Schema.NullOr(Schema.Int)
}

export const PlacedAssignment = Schema.Struct({ tariffId: Schema.String, ...place, assignedAt: Time }).annotate({
  identifier: "PlacedTariffAssignment"
})

const JudgedAssignment = Schema.Struct({
  tariffId: Schema.String,
  version: Schema.Int,
  ...place,
  startDateTime: Schema.NullOr(Time),
  endDateTime: Schema.NullOr(Time),
  verdict: Schema.Literals(verdicts)
}).annotate({ identifier: "JudgedTariffAssignment" })

const ConnectorTariff = Schema.Struct({
  evseId: Schema.Int,
  connectorId: Schema.Int,
  tariffId: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.Int),
  assignments: Schema.Array(JudgedAssignment)
}).annotate({ identifier: "ConnectorTariff" })

export const ChargerTariffs = Schema.Struct({ items: Schema.Array(ConnectorTariff) }).annotate({
  identifier: "ChargerTariffs"
})
