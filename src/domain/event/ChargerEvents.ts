/** Events from chargers' own facts: connections, boots, statuses and answered commands. */
import { Schema } from "effect"
import { frameFaults } from "../charger/ChargerEvent.ts"
import { chargerRefusalReasons } from "../charger/ChargerRefusals.ts"
import { chargerOf, type EventTranslation, translation } from "./NewEvent.ts"
import { registrations } from "../values/Registration.ts"

const Optional = Schema.optionalKey(Schema.NullOr(Schema.String))

const connected = translation(
  Schema.Struct({ ocppVersion: Schema.String, securityProfile: Schema.Int }),
  (body, fact) => [{ type: "charger.connected", subject: fact.subject, data: { ...chargerOf(fact), ...body } }]
)

const disconnected = translation(Schema.Struct({ reason: Schema.NullOr(Schema.String) }), ({ reason }, fact) => [
  { type: "charger.disconnected", subject: fact.subject, data: { ...chargerOf(fact), reason: reason ?? "" } }
])

const booted = translation(
  Schema.Struct({
    vendor: Schema.String,
    model: Schema.String,
    serialNumber: Optional,
    firmwareVersion: Optional,
    registration: Schema.Literals(registrations)
  }),
  ({ firmwareVersion, model, registration, serialNumber, vendor }, fact) => [
    {
      type: "charger.booted",
      subject: fact.subject,
      data: {
        ...chargerOf(fact),
        vendor,
        model,
        serialNumber: serialNumber ?? null,
        firmwareVersion: firmwareVersion ?? null,
        registration
      }
    }
  ]
)

const refused = translation(
  Schema.Struct({
    reason: Schema.Literals(chargerRefusalReasons),
    network: Schema.String,
    attempts: Schema.Int
  }),
  (body, fact) => [{ type: "charger.refused", subject: fact.subject, data: { ...chargerOf(fact), ...body } }]
)

const statusChanged = translation(
  Schema.Struct({
    evseId: Schema.Int,
    connectorId: Schema.Int,
    status: Schema.String,
    errorCode: Optional,
    info: Optional,
    vendorErrorCode: Optional
  }),
  ({ connectorId, errorCode, evseId, info, status, vendorErrorCode }, fact) => [
    {
      type: "connector.status",
      subject: fact.subject,
      data: {
        ...chargerOf(fact),
        evseId,
        connectorId,
        status,
        errorCode: errorCode ?? null,
        info: info ?? null,
        vendorErrorCode: vendorErrorCode ?? null
      }
    }
  ]
)

/** An accepted card makes no event, since its session does. */
const authorized = translation(
  Schema.Struct({
    tokenUid: Schema.String,
    authorization: Schema.Struct({ status: Schema.String, source: Schema.String })
  }),
  ({ authorization: { source, status }, tokenUid }, fact) =>
    status === "Accepted"
      ? []
      : [
          {
            type: "authorization.refused",
            subject: fact.subject,
            data: { ...chargerOf(fact), tokenUid, reason: status, source }
          }
        ]
)

/** Without the charger's answer, since it may contain data that only operators with permission to read commands may see. */
const answered = translation(
  Schema.Struct({ commandId: Schema.String, type: Schema.String, status: Schema.String }),
  (body, fact) => [
    { type: "command.completed", subject: `command:${body.commandId}`, data: { ...chargerOf(fact), ...body } }
  ]
)

const counted = translation(
  Schema.Struct({
    day: Schema.Finite,
    transactions: Schema.Int,
    energyWh: Schema.Finite,
    firstAt: Schema.Finite
  }),
  ({ day, energyWh, firstAt, transactions }, fact) => [
    {
      type: "transactions.counted",
      subject: fact.subject,
      data: {
        ...chargerOf(fact),
        day: new Date(day).toISOString().slice(0, 10),
        transactions,
        energyWh: Math.round(energyWh),
        firstAt: new Date(firstAt).toISOString()
      }
    }
  ]
)

/** Other security events, above all those that the charger itself reports, make no event. */
const faulty = translation(
  Schema.Struct({ source: Schema.String, event: Schema.String, detail: Optional }),
  ({ detail, event, source }, fact) => {
    const fault = frameFaults.find((one) => one === event)
    return source !== "service" || fault === undefined
      ? []
      : [{ type: "frames.faulty", subject: fact.subject, data: { ...chargerOf(fact), fault, detail: detail ?? "" } }]
  }
)

export const chargerTranslations: Readonly<Record<string, EventTranslation>> = {
  ChargerConnected: connected,
  ChargerDisconnected: disconnected,
  ChargerBooted: booted,
  ChargerRefused: refused,
  SecurityEventRecorded: faulty,
  ConnectorStatusChanged: statusChanged,
  CommandAnswered: answered,
  TokenAuthorized: authorized,
  NegligibleTransactionsCounted: counted
}
