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
  items: ["The objects of this page, in the order that the operation names"],
  nextCursor: ["Goes into `cursor` for the next page; null on the last one", null],
  limit: ["Most items of the page; the last page, and one that would be too large, has fewer", 50],
  cursor: ["`nextCursor` of the page before", "eyJ2IjoxLCJiIjoiMDE5YTlmM2UifQ"],
  "idempotency-key": ["A name of your own for this request, by which its retries are known", "site-utrecht-2026-11-20"],
  "if-match": ["The ETag of what is to be changed", '"5d41402abc4b2a76"'],
  "if-none-match": ["An ETag that the caller has", '"5d41402abc4b2a76"'],

  // Filters.
  "query.q": ["Text to look for", "harbour"],
  "query.connected": ["Those that are connected, or all others", true],
  "query.chargerId": ["Of this charger alone", "CP-7"],
  "query.siteId": ["At this site alone", ids.site],
  "query.sessionId": ["Of this session alone", ids.session],
  "query.partnerId": ["Of drivers of this roaming partner alone", ids.partner],
  "query.status": ["With this status alone"],

  // Ids.
  id: ["Assigned by the service, never used again", ids.other],
  chargerId: ["The identity that the charger connects with, as the last part of its OCPP address", "CP-7"],
  siteId: ["The site that the charger belongs to; a site's `id`", ids.site],
  sessionId: ["A session's `id`; not the transaction id, which only the charger uses", ids.session],
  commandId: ["A command's `id`", ids.command],
  cdrId: ["A charge detail record's `id`", ids.cdr],
  tariffId: ["A tariff's `id`", ids.tariff],
  partnerId: ["A roaming partner's `id` here", ids.partner],
  webhookId: ["A webhook's `id`", ids.webhook],
  keyId: ["A key's `id`, not the key itself", ids.key],
  deliveryId: ["A delivery's `id`", ids.delivery],
  evseId: ["The EVSE, counted from 1. Of an OCPP 1.6 charger it is the connectorId: each connector is an EVSE", 1],
  connectorId: ["The connector, counted from 1 within its EVSE; of an OCPP 1.6 charger always 1 beside an `evseId`", 1],
  transactionId: ["The number that the charger's messages know the session by (OCPP's transactionId)", 1203944817],
  reservationId: ["The number that the charger knows the reservation by (OCPP's reservationId)", 4711],

  // Times.
  createdAt: ["When it was made"],
  updatedAt: ["When it last changed"],
  lastUpdated: ["When it last changed, in the words of OCPI"],
  startedAt: ["When it began", "2026-11-20T08:30:00.000Z"],
  endedAt: ["When it ended", "2026-11-20T09:45:00.000Z"],
  at: ["When it happened"],
  from: ["Beginning of the time, which is part of it", "2026-11-01T00:00:00Z"],
  to: ["End of the time, which is not part of it", "2026-12-01T00:00:00Z"],
  timeZone: [
    "Name in the IANA time zone database, by which days and restrictions of time are meant",
    "Europe/Amsterdam"
  ],
  month: ["The month that is counted, `YYYY-MM`", "2026-11"],

  // Places and people.
  name: ["What people call it", "Utrecht Centraal P1"],
  countryCode: ["Country of the party, ISO 3166-1 alpha-2", "NL"],
  partyId: ["The party's id within its country, as OCPI has it: three letters or digits", "VLT"],
  website: ["Address for people; null where there is none", "https://example.com"],
  language: ["ISO 639-1", "en"],
  text: ["The text in that language, at most 512 characters", "Second level, behind the lift"],

  // Amounts.
  currency: ["ISO 4217 code of every amount beside it", "EUR"],
  exclVat: ["Amount without VAT, in the currency beside it", 12.6],
  inclVat: ["Amount with VAT, in the currency beside it", 15.25],
  vat: ["Percent of VAT on the price; missing where no VAT applies, which is not the same as 0", 21],

  // Names that several kinds of object share.
  ocppVersion: ["The OCPP version that was spoken, as the subprotocol names it", "ocpp1.6"],
  securityProfile: ["OCPP's security profile: 0 none, 1 password, 2 password over TLS, 3 client certificate", 2],
  serialNumber: ["Serial number as the charger reported it; null where it reported none", "VX22-004711"],
  firmwareVersion: ["Firmware version as the charger reported it; null where it reported none", "3.2.1"],
  active: ["Whether events are posted to it"],
  problem: ["What went wrong, in words for people; null where nothing did", "HTTP 503"],
  httpStatus: ["Status of the HTTP answer; null where there was none", 200],
  durationMs: ["Milliseconds from sending to the end of the answer", 84],
  tries: ["How often it was tried so far", 1],
  dueAt: ["When it became due"],
  parkedAt: ["When it was given up; null where it was not"],
  direction: ["`in` came to this service, `out` left it"],
  module: ["OCPI's module", "sessions"],
  status: ["Its state", "Available"],
  remoteAddress: ["IP address that it came from", "203.0.113.24"],
  version: ["Counts its changes from 1", 3]
}
