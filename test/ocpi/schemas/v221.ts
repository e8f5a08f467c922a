/** The tables of OCPI 2.2.1's objects: those of 2.2, with their differences. */
import { bool, ci, type Fields, object, oneOf, partOf, type Schemas, text } from "./Shape.ts"
import {
  capabilities22,
  cdr22,
  cdrLocation22,
  cdrToken22,
  connector22,
  connectorTypes22,
  creditNames,
  evse22,
  location22,
  powerTypes22,
  publication,
  session22,
  signedData,
  v22,
  versionDetails
} from "./v22.ts"
import { countryCode, partyId } from "./v22Parts.ts"

const connectorTypes = oneOf(
  ...connectorTypes22,
  "CHAOJI",
  "DOMESTIC_M",
  "DOMESTIC_N",
  "DOMESTIC_O",
  "GBT_AC",
  "GBT_DC",
  "NEMA_5_20",
  "NEMA_6_30",
  "NEMA_6_50",
  "NEMA_10_30",
  "NEMA_10_50",
  "NEMA_14_30",
  "NEMA_14_50"
)
const powerTypes = oneOf(...powerTypes22, "AC_2_PHASE", "AC_2_PHASE_SPLIT")

const connector: Fields = { ...connector22, standard: [connectorTypes, "1"], power_type: [powerTypes, "1"] }

const evse: Fields = {
  ...evse22,
  capabilities: [oneOf(...capabilities22, "START_SESSION_CONNECTOR_REQUIRED"), "*"],
  connectors: [object(connector), "+"]
}

/** The published schema has the lengths of 2.2. Only later texts have longer ones. */
const location: Fields = { ...location22, evses: [object(evse), "*"] }

const cdrToken = object({ country_code: [countryCode, "1"], party_id: [partyId, "1"], ...cdrToken22 })

const session: Fields = { ...session22, cdr_token: [cdrToken, "1"] }

const cdrLocation = object({
  ...cdrLocation22,
  postal_code: [text(10), "?"],
  state: [text(20), "?"],
  connector_standard: [connectorTypes, "1"],
  connector_power_type: [powerTypes, "1"]
})

const cdr: Fields = {
  ...cdr22,
  cdr_token: [cdrToken, "1"],
  cdr_location: [cdrLocation, "1"],
  signed_data: [signedData(text(5000), text(512)), "?"],
  home_charging_compensation: [bool, "?"],
  invoice_reference_id: [ci(39), "?"]
}

export const v221: Schemas = {
  ...v22,
  VersionDetails: versionDetails("2.2.1"),
  Location: object(location, publication),
  EVSE: object(evse),
  Connector: object(connector),
  Session: object(session),
  CDR: object(cdr, creditNames),
  patches: {
    Location: partOf(location, "last_updated"),
    EVSE: partOf(evse, "last_updated"),
    Connector: partOf(connector, "last_updated"),
    Session: partOf(session, "last_updated")
  }
}
