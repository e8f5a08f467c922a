/** Examples of request bodies as they are really sent. The tests check that the service accepts each of them. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { commandBodies } from "./CommandBodies.ts"
import { ids } from "./Common.ts"

const tariff = {
  currency: "EUR",
  elements: [
    {
      priceComponents: [
        { type: "ENERGY", price: 0.51, vat: 21, stepSize: 1 },
        { type: "PARKING_TIME", price: 3, vat: 21, stepSize: 300 }
      ],
      restrictions: { startTime: "07:00", endTime: "19:00" }
    },
    { priceComponents: [{ type: "ENERGY", price: 0.39, vat: 21, stepSize: 1 }] }
  ],
  tariffAltText: [{ language: "en", text: "€ 0.51 per kWh by day, € 0.39 by night" }]
}

export const bodies: Descriptions["bodies"] = {
  "organisations.create": {
    organisation: { name: "Voltlane B.V.", countryCode: "NL", partyId: "VLT", operatorEmail: "ops@voltlane.example" }
  },
  "organisations.update": { settings: { timeZone: "Europe/Amsterdam", heartbeatIntervalSeconds: 300 } },
  "sites.create": {
    site: {
      name: "Utrecht Centraal P1",
      timeZone: "Europe/Amsterdam",
      streetAddress: "Stationsplein",
      streetNumber: "14",
      postalNumber: "3511 ED",
      city: "Utrecht",
      country: "NLD",
      latitude: 52.0894,
      longitude: 5.1101,
      openingHours: { twentyfourseven: true }
    }
  },
  "sites.update": {
    hours: {
      openingHours: {
        twentyfourseven: false,
        regularHours: [{ weekday: 1, periodBegin: "07:00", periodEnd: "22:00" }]
      }
    },
    clear: { houseLetter: null }
  },
  "chargers.create": {
    withPassword: {
      chargerId: "CP-7",
      name: "P1 left",
      siteId: ids.site,
      securityProfile: 2,
      generatePassword: true
    },
    open: { chargerId: "CP-8", name: "P1 right", securityProfile: 0 }
  },
  "chargers.update": {
    connectors: {
      connectors: [
        {
          connectorId: 1,
          standard: "IEC_62196_T2",
          format: "SOCKET",
          powerType: "AC_3_PHASE",
          maxVoltage: 230,
          maxAmperage: 32
        }
      ]
    },
    move: { siteId: ids.site }
  },
  "commands.issue": commandBodies,
  "sessions.correct": {
    energy: { energyWh: 24500, reason: "Meter exchanged during the session" }
  },
  "views.create": {
    offline: { name: "Offline at the harbour", path: "/chargers?is=offline&q=site%3Aharbour", shared: true }
  },
  "tokens.create": { card: { uid: "04A1B2C3D4E5F6", visualNumber: "NL-VLT-001234-5", note: "Van 12" } },
  "tokens.update": { block: { status: "Blocked" } },
  "api-keys.create": {
    readOnly: { name: "dashboard", permissions: ["chargers:read", "sessions:read"] },
    bound: { name: "erp", networks: ["203.0.113.0/24"], expiresAt: "2027-12-31T23:00:00.000Z" }
  },
  "api-keys.rotate": { inAnHour: { overlapSeconds: 3600 } },
  "expectations.setTemplate": {
    template: {
      keys: [
        { key: "HeartbeatInterval", value: "300" },
        { key: "MeterValueSampleInterval", value: "60" }
      ]
    }
  },
  "expectations.apply": { waiting: { expiresIn: 3600 } },
  "expectations.setQuirks": {
    rules: {
      rules: [
        {
          name: "Aurora meters in kWh",
          vendor: "Aurora*",
          firmware: "3.1.*",
          tolerances: { registerUnit: "kWh", callTimeoutSeconds: 60 },
          evidence: "Ticket 4711: registers 1000 times too small"
        }
      ]
    }
  },
  "tariffs.create": { dayAndNight: tariff },
  "tariffs.update": { limit: { maxPrice: { exclVat: 60, inclVat: 72.6 } } },
  "tariffs.assign": {
    site: { siteId: ids.site },
    connector: { connector: { chargerId: "CP-7", connectorId: 1 } },
    default: { default: true }
  },
  "tariffs.preview": {
    session: {
      tariff,
      session: {
        startedAt: "2026-11-20T08:30:00Z",
        endedAt: "2026-11-20T09:45:00Z",
        timeZone: "Europe/Amsterdam",
        readings: [
          { at: "2026-11-20T08:30:00Z", energyWh: 0 },
          { at: "2026-11-20T09:30:00Z", energyWh: 24500, powerW: 11040 }
        ]
      }
    }
  },
  "tariffs.week": { week: { tariff, startDate: "2026-11-23" } },
  "partners.create": {
    partner: { name: "Example Mobility", countryCode: "NL", partyId: "EMS", roles: ["EMSP"] }
  },
  "partners.update": { suspend: { suspended: true }, switches: { switches: { noCreditCdrs: true } } },
  "partners.register": {
    handover: {
      versionsUrl: "https://ocpi.example.com/ocpi/versions",
      token: "a1b2c3d4-from-partner",
      version: "2.2.1"
    }
  },
  "webhooks.create": {
    webhook: { url: "https://hooks.example.com/voltlane", types: ["session.ended", "cdr.issued"] }
  },
  "webhooks.update": { off: { active: false }, everything: { types: null } },
  "parties.create": {
    party: {
      countryCode: "DE",
      partyId: "VLD",
      businessDetails: { name: "Voltlane GmbH", website: "https://voltlane.example" }
    }
  },
  "files.store": { file: "the content of the file" }
}
