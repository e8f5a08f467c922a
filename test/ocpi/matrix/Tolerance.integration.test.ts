/**
 * Common deviations of partners from the standard, on every row of the endpoint table: each request is sent correctly and then in every way that
 * occurs in practice, and gets the same answer.
 */
import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { endpointRows, nameOf, rowsOf } from "../../../src/ocpi/protocol/EndpointTable.ts"
import type { Partner } from "../partner/Partner.ts"
import { Driver, makePlace, type Place } from "../partner/Place.ts"
import { allVersions, Roaming } from "../partner/Roaming.ts"
import { authorization, field, isJson, type Json, send, transportOf } from "../partner/Wire.ts"

const roaming = new Roaming()

interface Own {
  readonly partner: Partner
  readonly place: Place
  readonly token: Json
  readonly evseUid: string
  readonly sessionId: string
}

interface Request {
  readonly path: string
  readonly body?: Json
}

const tokenPath = ({ partner, token }: Own): string => partner.tokenPath(token)

const partyPath = ({ partner: { party } }: Own): string => `/${party.country_code}/${party.party_id}`

const response = "response_url=http%3A%2F%2F127.0.0.1%3A9%2Fresult"

const info = ({ partner: { party } }: Own): Json => ({
  ...party,
  role: "EMSP",
  status: "CONNECTED",
  last_updated: "2026-11-20T08:30:00Z"
})

/** A valid request for each row. Undefined if it cannot be repeated: `Credentials.integration.test.ts` tests these. */
const requests: Readonly<Record<string, ((own: Own) => Request) | undefined>> = {
  "GET credentials": () => ({ path: "" }),
  "POST credentials": undefined,
  "PUT credentials": undefined,
  "DELETE credentials": undefined,
  "GET locations": () => ({ path: "?offset=0&limit=1" }),
  "GET locations/:locationId": ({ place }) => ({ path: `/${place.siteId}` }),
  "GET locations/:locationId/:evseUid": ({ evseUid, place }) => ({ path: `/${place.siteId}/${evseUid}` }),
  "GET locations/:locationId/:evseUid/:connectorId": ({ evseUid, place }) => ({
    path: `/${place.siteId}/${evseUid}/1`
  }),
  "GET sessions": () => ({ path: "?date_from=2020-01-01T00:00:00Z" }),
  "PUT sessions/:sessionId/charging_preferences": ({ sessionId }) => ({
    path: `/${sessionId}/charging_preferences`,
    body: { profile_type: "REGULAR", departure_time: "2036-11-20T08:30:00Z" }
  }),
  "GET cdrs": () => ({ path: "?date_from=2020-01-01T00:00:00Z" }),
  "GET tariffs": () => ({ path: "?limit=1" }),
  "GET tokens/:countryCode/:partyId/:tokenUid": (own) => ({ path: tokenPath(own) }),
  "PUT tokens/:countryCode/:partyId/:tokenUid": (own) => ({ path: tokenPath(own), body: own.token }),
  "PATCH tokens/:countryCode/:partyId/:tokenUid": (own) => ({
    path: tokenPath(own),
    body: { issuer: "Test eMSP", last_updated: own.token["last_updated"] }
  }),
  "POST commands/:command": () => ({
    path: "/STOP_SESSION",
    body: { response_url: "http://127.0.0.1:9/result", session_id: "nothing" }
  }),
  "GET chargingprofiles/:sessionId": () => ({ path: `/nothing?duration=60&${response}` }),
  "PUT chargingprofiles/:sessionId": () => ({
    path: "/nothing",
    body: {
      response_url: "http://127.0.0.1:9/result",
      charging_profile: {
        start_date_time: "2026-11-20T08:30:00Z",
        charging_rate_unit: "A",
        charging_profile_period: [{ start_period: 0, limit: 6 }]
      }
    }
  }),
  "DELETE chargingprofiles/:sessionId": () => ({ path: `/nothing?${response}` }),
  "GET hubclientinfo/:countryCode/:partyId": (own) => ({ path: partyPath(own) }),
  "PUT hubclientinfo/:countryCode/:partyId": (own) => ({ path: partyPath(own), body: info(own) })
}

interface Raw {
  readonly method: string
  /** The address of the module. */
  readonly base: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
}

const without = (headers: Raw["headers"], ...names: ReadonlyArray<string>): Raw["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.some((one) => name.includes(one))))

/** Changes the path but not its query. */
const onPath = (path: string, change: (path: string) => string): string => {
  const [before = "", query] = path.split("?", 2)
  return `${change(before)}${query === undefined ? "" : `?${query}`}`
}

/** Adds an unknown field at each depth. */
const grown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(grown)
  if (!isJson(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, grown(item)] as const)
  return { ...Object.fromEntries(entries), added_later: { deep: [1, "two", null] } }
}

const retimed =
  (change: (text: string) => string) =>
  (value: unknown): unknown => {
    if (typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value)) return change(value)
    if (Array.isArray(value)) return value.map(retimed(change))
    if (!isJson(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, retimed(change)(item)]))
  }

const onBody = (raw: Raw, change: (value: unknown) => unknown): Raw =>
  raw.body === undefined ? raw : { ...raw, body: change(raw.body) as Json }

const withToken = (raw: Raw, partner: Partner, change: (token: string) => string): Raw => ({
  ...raw,
  headers: { ...raw.headers, authorization: `Token ${change(partner.theirToken ?? "")}` }
})

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/** Deviations that occur in practice. */
const habits: Readonly<Record<string, (raw: Raw, partner: Partner) => Raw>> = {
  "no ids": (raw) => ({ ...raw, headers: without(raw.headers, "x-request", "x-correlation") }),
  "no parties": (raw) => ({ ...raw, headers: without(raw.headers, "ocpi-") }),
  "parties in lower case": (raw) => ({
    ...raw,
    headers: Object.fromEntries(
      Object.entries(raw.headers).map(([name, value]) => [name, name.startsWith("ocpi-") ? value.toLowerCase() : value])
    )
  }),
  "no content type": (raw) => ({ ...raw, headers: without(raw.headers, "content-type") }),
  "a slash at the end": (raw) => ({ ...raw, path: onPath(raw.path, (path) => `${path}/`) }),
  "double slashes": (raw) => ({ ...raw, path: onPath(raw.path, (path) => `/${path.replaceAll("/", "//")}`) }),
  "ids in lower case": (raw) => ({ ...raw, path: onPath(raw.path, (path) => path.toLowerCase()) }),
  "ids in upper case": (raw) => ({
    ...raw,
    path: onPath(raw.path, (path) => path.toUpperCase().replace("/CHARGING_PREFERENCES", "/charging_preferences"))
  }),
  "unknown query": (raw) => ({ ...raw, path: `${raw.path}${raw.path.includes("?") ? "&" : "?"}added_later=1` }),
  "unknown fields": (raw) => onBody(raw, grown),
  "times without a zone": (raw) =>
    onBody(
      raw,
      retimed((text) => text.replace("Z", ""))
    ),
  "times with fractions and an offset": (raw) =>
    onBody(
      raw,
      retimed((text) => text.replace("Z", ".000+00:00"))
    ),
  "the token in plain text": (raw, partner) => withToken(raw, partner, (token) => token),
  "the token in Base64": (raw, partner) => withToken(raw, partner, base64),
  "the token in Base64 with a line feed": (raw, partner) => withToken(raw, partner, (token) => base64(`${token}\n`)),
  "the token in Base64 without padding": (raw, partner) =>
    withToken(raw, partner, (token) => base64(token).replace(/=+$/, ""))
}

/** The answer without its time. Links in it contain the address of the module. */
const said = async ({ base, body, headers, method, path }: Raw): Promise<unknown> => {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const got = await send({ method, url: `${base}${path}`, headers, body: text })
  const envelope: unknown = JSON.parse(got.text)
  return { http: got.http, code: field(envelope, "status_code"), data: field(envelope, "data") }
}

const owning = async (version: (typeof allVersions)[number]): Promise<Own> => {
  const place = await makePlace(roaming.world)
  const { partner } = await roaming.registered(version)
  const token = partner.cards.make(`TOLERATE-${version}`, { whitelist: "ALWAYS" })
  await partner.putToken(token)
  await new Driver(place).start(String(token["uid"]))
  const [evse] = (await partner.read(place.siteId))["evses"] as ReadonlyArray<Json>
  const [session] = await partner.pull("sessions", "?date_from=2020-01-01T00:00:00Z")
  const own = {
    partner,
    place,
    token,
    evseUid: String(evse?.["uid"]),
    sessionId: String(session?.["id"])
  }
  if (version !== "2.1.1") await partner.ask("PUT", "hubclientinfo", partyPath(own), info(own))
  return own
}

it("every row of the endpoint table has a request", () =>
  expect(Object.keys(requests).toSorted()).toEqual(endpointRows.map(nameOf).toSorted()))

describe.each(allVersions)("a partner on OCPI %s that deviates from the standard", (version) => {
  it("gets the same answer on every row", { timeout: 120_000 }, async () => {
    const own = await owning(version)
    const { partner } = own
    const { base64: encoded, modern } = transportOf(version)
    const wrong: Array<string> = []
    for (const row of rowsOf(version)) {
      const request = requests[nameOf(row)]?.(own)
      if (request === undefined) continue
      const routed = modern && !["credentials", "hubclientinfo"].includes(row.module)
      const raw: Raw = {
        method: row.method,
        base: partner.endpoint(row.module) ?? "",
        path: request.path,
        body: request.body,
        headers: {
          authorization: authorization(partner.theirToken ?? "", encoded),
          "content-type": "application/json",
          ...(modern ? { "x-request-id": randomUUID(), "x-correlation-id": randomUUID() } : {}),
          ...(routed
            ? {
                "ocpi-from-country-code": partner.party.country_code,
                "ocpi-from-party-id": partner.party.party_id,
                "ocpi-to-country-code": "NL",
                "ocpi-to-party-id": roaming.world.organisation.partyId
              }
            : {})
        }
      }
      const strict = JSON.stringify(await said(raw))
      // This charger cannot be steered, so that the address for preferences does not exist. All others do.
      const good = row.path.endsWith("/charging_preferences") ? /"http":404,"code":2001/ : /"http":20[01],"code":1000/
      if (!good.test(strict)) wrong.push(`${nameOf(row)}: ${strict.slice(0, 200)}`)
      for (const [name, habit] of Object.entries(habits)) {
        const answer = JSON.stringify(await said(habit(raw, partner)))
        if (answer !== strict) wrong.push(`${nameOf(row)} with ${name}: ${answer.slice(0, 200)}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it("may use values of later versions", async () => {
    const { partner } = await roaming.registered(version)
    const token = partner.cards.make(`LATER-${version}`)
    for (const values of [{ whitelist: "SOMETIMES" }, { language: "xx-later" }, { type: "EMAID" }]) {
      const changed = { ...token, ...values }
      const answer = await partner.ask("PUT", "tokens", partner.tokenPath(changed), changed)
      expect([answer.http < 300, answer.code], JSON.stringify(values)).toEqual([true, 1000])
    }
    expect(partner.problems).toEqual([])
  })
})
