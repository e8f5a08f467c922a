/** A location without any optional field, and one with all details, for tests of how they are encoded. */
import { assumedEquipment } from "../../../src/domain/site/Connector.ts"
import type { Location } from "../../../src/domain/site/Location.ts"
import { evseDetails, siteDetails, terms } from "../../support/details.ts"

export const now = Date.UTC(2026, 4, 20, 12)

export const { operator, ...details } = siteDetails

export const bare: Location = {
  id: "01990000-0000-7000-8000-000000000001",
  organisationId: "01990000-0000-7000-8000-0000000000aa",
  party: { countryCode: "NL", partyId: "ABC" },
  operator: { name: "Charge AG" },
  name: "Harbour",
  address: "Quay 12b",
  postalCode: "8232 JX",
  city: "Lelystad",
  state: undefined,
  country: "NLD",
  latitude: 52.5,
  longitude: 5.25,
  timeZone: "Europe/Amsterdam",
  openingHours: { twentyfourseven: true },
  evses: [
    {
      uid: "01990000-0000-7000-8000-00000000000c",
      evseId: "NL*ABC*E000001",
      status: "AVAILABLE",
      capabilities: ["RFID_READER"],
      connectors: [
        { id: "1", ...assumedEquipment, assumed: false, tariffId: undefined, laterTariffIds: [], lastUpdated: now }
      ],
      lastUpdated: now
    }
  ],
  lastUpdated: now
}

export const whole: Location = {
  ...bare,
  operator,
  details,
  evses: bare.evses.map((evse) => ({
    ...evse,
    details: evseDetails,
    connectors: evse.connectors.map((connector) => ({ ...connector, termsAndConditions: terms }))
  }))
}
