/** A session and a record as sent to partners, for tests of how they are encoded. */
import type { RoamingCdr } from "../../../src/domain/cdr/RoamingCdr.ts"
import type { Place } from "../../../src/domain/site/CdrLocation.ts"
import type { SessionRoaming } from "../../../src/domain/roaming/Roaming.ts"
import type { RoamingSession } from "../../../src/domain/session/RoamingSession.ts"
import type { Period } from "../../../src/domain/tariff/Period.ts"

export const ids = {
  session: "0199aaaa-0000-7000-8000-000000000001",
  site: "0199aaaa-0000-7000-8000-000000000002",
  evse: "0199aaaa-0000-7000-8000-000000000003",
  tariff: "0199aaaa-0000-7000-8000-000000000004",
  cdr: "0199aaaa-0000-7000-8000-000000000005",
  other: "0199aaaa-0000-7000-8000-000000000006",
  organisation: "0199aaaa-0000-7000-8000-000000000007",
  partner: "0199aaaa-0000-7000-8000-000000000008"
}

export const at = Date.UTC(2026, 4, 20, 12)
const minute = 60_000

export const chargerId = "SECRET-CHARGER-IDENTITY"

export const roaming: SessionRoaming = {
  partnerId: ids.partner,
  countryCode: "DE",
  partyId: "ABC",
  uid: "04A2B3C4",
  type: "APP_USER",
  contractId: "DE-ABC-C00000001-1",
  authMethod: "COMMAND",
  authorizationReference: "REF-1"
}

export const place: Place = {
  party: { countryCode: "NL", partyId: "VLT" },
  evseUid: ids.evse,
  publicEvseId: "NL*VLT*E000001",
  siteName: "Market",
  streetAddress: "Grote Markt",
  streetNumber: "12",
  houseLetter: "b",
  postalNumber: "9711 LV",
  city: "Groningen",
  area: "Groningen",
  country: "NLD",
  latitude: 53.21917,
  longitude: 6.5665,
  chargerName: chargerId,
  standard: "GBT_AC",
  format: "CABLE",
  powerType: "AC_2_PHASE",
  maxVoltage: 400,
  maxAmperage: 63,
  maxPowerW: 43_000
}

/** A reservation, charging with a flat fee, and parking. */
export const periods: ReadonlyArray<Period> = [
  { startedAt: at - 10 * minute, endedAt: at, energyWh: 0, charging: false, reserved: true, elements: { TIME: 0 } },
  {
    startedAt: at,
    endedAt: at + 30 * minute,
    energyWh: 10_500,
    charging: true,
    maxPowerW: 21_750,
    maxCurrentA: 31.5,
    stateOfCharge: 80,
    elements: { FLAT: 1, ENERGY: 1 }
  },
  {
    startedAt: at + 30 * minute,
    endedAt: at + 50 * minute,
    energyWh: 0,
    charging: false,
    elements: { PARKING_TIME: 1 }
  }
]

export const session: RoamingSession = {
  id: ids.session,
  organisationId: ids.organisation,
  chargerId,
  siteId: ids.site,
  evseId: 1,
  connectorId: 2,
  transactionId: "77",
  ocppVersion: "1.6",
  tokenUid: "04a2b3c4",
  status: "COMPLETED",
  authorization: {
    status: "Accepted",
    source: "RoamingToken",
    decidedAt: at,
    expiresAt: undefined,
    parentUid: undefined
  },
  startedAt: at,
  endedAt: at + 50 * minute,
  meterStartWh: 1000,
  meterStopWh: 11_500,
  energyWh: 10_500,
  stopReason: "Local",
  heldReason: "StopMissing",
  price: { currency: "EUR", exclVat: 7.5, inclVat: 9, periods },
  createdAt: at,
  updatedAt: at,
  roaming,
  place,
  tariffId: ids.tariff,
  currency: "EUR",
  lastUpdated: at + 51 * minute + 345
}

const price = (exclVat: number) => ({ exclVat, inclVat: exclVat * 1.2 })

export const cdr: RoamingCdr = {
  id: ids.cdr,
  organisationId: ids.organisation,
  number: 7,
  sessionId: ids.session,
  revision: 0,
  chargerId,
  siteId: ids.site,
  startedAt: at,
  endedAt: at + 50 * minute,
  creditReferenceId: undefined,
  issuedAt: at + 51 * minute,
  lastUpdated: at + 51 * minute + 345,
  body: {
    currency: "EUR",
    total: { exclVat: 7.5, inclVat: 9 },
    costs: { fixed: price(1), energy: price(4), time: price(0), parking: price(1.5), reservation: price(1) },
    energyWh: 10_500,
    durationMillis: 50 * minute,
    parkingMillis: 20 * minute,
    periods,
    tariff: {
      id: ids.tariff,
      version: 3,
      updatedAt: at - 120 * minute,
      currency: "EUR",
      elements: [
        { priceComponents: [{ type: "TIME", price: 6, stepSize: 1 }], restrictions: { reservation: "RESERVATION" } },
        { priceComponents: [{ type: "ENERGY", price: 0.38, vat: 20, stepSize: 1 }] }
      ]
    },
    timeZone: "Europe/Amsterdam",
    place,
    evseId: 1,
    connectorId: 2,
    transactionId: "77",
    ocppVersion: "1.6",
    tokenUid: "04a2b3c4",
    authorizationSource: "RoamingToken",
    meterStartWh: 1000,
    meterStopWh: 11_500,
    roaming,
    signedData: {
      encodingMethod: "OCMF",
      publicKey: "3056",
      signedValues: [
        { nature: "Start", plainData: "{}", signedData: "OCMF|{}|short" },
        { nature: "End", signedData: `OCMF|${"x".repeat(600)}|long` }
      ]
    }
  }
}
