/** Descriptions of names that mean the same everywhere in REST v2, with example values of a small operator in Utrecht. */
import type { Descriptions } from "../../openapi/Descriptions.ts"

/** Ids used in the examples, so that related examples agree. */
export const ids = {
  organisation: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d01",
  site: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d02",
  session: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d03",
  cdr: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d04",
  command: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d05",
  tariff: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d06",
  partner: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d07",
  webhook: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d08",
  file: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d09",
  key: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d0a",
  party: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d0b",
  delivery: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d0c",
  other: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d0d"
} as const

export const common: Descriptions["properties"] = {
  // Lists and requests.
  items: ["The objects of this page, in the order that the operation describes"],
  nextCursor: ["Value of `cursor` for the next page; null on the last page", null],
  limit: ["Maximum number of items in the page; the last page, and one that would be too large, has fewer", 50],
  cursor: ["`nextCursor` of the previous page", "eyJ2IjoxLCJiIjoiMDE5YTlmM2UifQ"],
  "idempotency-key": [
    "A value of your choice for this request, which identifies its retries",
    "site-utrecht-2026-11-20"
  ],
  "if-match": ["The ETag of the object to change", '"5d41402abc4b2a76"'],
  "if-none-match": ["The ETag of the caller's copy", '"5d41402abc4b2a76"'],

  // Filters.
  "query.q": ["Text to search for", "harbour"],
  "query.connected": ["Only chargers that are connected, or only those that are not", true],
  "query.chargerId": ["Only those of this charger", "CP-7"],
  "query.siteId": ["Only those at this site", ids.site],
  "query.sessionId": ["Only those of this session", ids.session],
  "query.partnerId": ["Only those of drivers of this roaming partner", ids.partner],
  "query.status": ["Only those with this status"],

  // Ids.
  id: ["Assigned by the service and never reused", ids.other],
  chargerId: ["The identity that the charger connects with, which is the last part of its OCPP address", "CP-7"],
  siteId: ["The site that the charger belongs to; a site's `id`", ids.site],
  sessionId: ["A session's `id`; not the transaction id, which only the charger uses", ids.session],
  commandId: ["A command's `id`", ids.command],
  cdrId: ["A charge detail record's `id`", ids.cdr],
  tariffId: ["A tariff's `id`", ids.tariff],
  partnerId: ["A roaming partner's `id`", ids.partner],
  webhookId: ["A webhook's `id`", ids.webhook],
  keyId: ["The `id` of a key, not the key itself", ids.key],
  deliveryId: ["A delivery's `id`", ids.delivery],
  evseId: ["The EVSE, counted from 1. For an OCPP 1.6 charger it is the connectorId: each connector is an EVSE", 1],
  connectorId: [
    "The connector, counted from 1 within its EVSE; for an OCPP 1.6 charger always 1 if `evseId` is given",
    1
  ],
  transactionId: ["The session's number in the charger's messages (OCPP's transactionId)", 1203944817],
  reservationId: ["The reservation's number in the charger's messages (OCPP's reservationId)", 4711],

  // Times.
  createdAt: ["When it was made"],
  updatedAt: ["When it last changed"],
  lastUpdated: ["When it last changed; OCPI's last_updated"],
  startedAt: ["When it began", "2026-11-20T08:30:00.000Z"],
  endedAt: ["When it ended", "2026-11-20T09:45:00.000Z"],
  at: ["When it happened"],
  from: ["Start of the time range (inclusive)", "2026-11-01T00:00:00Z"],
  to: ["End of the time range (exclusive)", "2026-12-01T00:00:00Z"],
  issuedFrom: ["Start of the time range in which a record was issued (inclusive)", "2026-11-01T00:00:00Z"],
  issuedTo: ["End of the time range in which a record was issued (exclusive)", "2026-12-01T00:00:00Z"],
  numberFrom: ["The lowest number (inclusive)", 1000],
  numberTo: ["The highest number (inclusive)", 1042],
  timeZone: ["Name of the IANA time zone that days and times of day refer to", "Europe/Amsterdam"],
  month: ["The month, `YYYY-MM`", "2026-11"],

  // Places and people.
  name: ["Its name", "Utrecht Centraal P1"],
  countryCode: ["Country of the party, ISO 3166-1 alpha-2", "NL"],
  partyId: ["OCPI's party_id, unique within the country: three letters or digits", "VLT"],
  website: ["Website; null if there is none", "https://example.com"],
  language: ["ISO 639-1", "en"],
  text: ["The text in this language, at most 512 characters", "Second level, behind the lift"],

  // Amounts.
  currency: ["Currency of all amounts in this object, as an ISO 4217 code", "EUR"],
  exclVat: ["Amount without VAT, in the given currency", 12.6],
  inclVat: ["Amount with VAT, in the given currency", 15.25],
  vat: ["VAT on the price in percent; missing if no VAT applies, which is not the same as 0", 21],

  // Names that several kinds of object share.
  ocppVersion: ["The OCPP version in use, as the subprotocol names it", "ocpp1.6"],
  securityProfile: ["OCPP's security profile: 0 none, 1 password, 2 password over TLS, 3 client certificate", 2],
  serialNumber: ["Serial number as the charger reported it; null if it reported none", "VX22-004711"],
  firmwareVersion: ["Firmware version as the charger reported it; null if it reported none", "3.2.1"],
  active: ["Whether events are posted to the webhook"],
  problem: ["The error, as human-readable text; null if there was none", "HTTP 503"],
  httpStatus: ["Status of the HTTP answer; null if there was none", 200],
  durationMs: ["Milliseconds from sending to the end of the answer", 84],
  tries: ["Number of attempts so far", 1],
  dueAt: ["When it became due"],
  parkedAt: ["When it was given up; null if it was not"],
  direction: ["`in`: received by this service, `out`: sent by it"],
  module: ["OCPI's module", "sessions"],
  status: ["Its state", "Available"],
  remoteAddress: ["The IP address of the client", "203.0.113.24"],
  version: ["Number of its version, counted from 1", 3]
}
