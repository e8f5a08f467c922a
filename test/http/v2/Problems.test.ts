/** Every error in REST v2 is a problem document (RFC 9457) that says what is wrong and where, without internal details. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Answer, type Asked, fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeAll(async () => {
  app = await fakeApp()
  await app.ask("POST", "/cpo/v2/sites", { key: app.key, body: { name: "A site" } })
  await app.ask("POST", "/cpo/v2/chargers", { key: app.key, body: { name: "A charger", chargerId: "CP-1" } })
})
afterAll(() => app.close())

const ask = (method: string, path: string, asked: Asked = {}) => app.ask(method, path, { key: app.key, ...asked })

/** The parts of an answer that are alike in every problem document. */
const said = ({ headers, json, status }: Answer) => ({
  status,
  contentType: headers.get("content-type"),
  cacheControl: headers.get("cache-control"),
  ...json,
  errors: undefined
})

/** What every problem document looks like. */
const problem = (status: number, code: string, path: string) => ({
  status,
  contentType: "application/problem+json",
  cacheControl: "no-store",
  type: `urn:voltlane:problem:${code}`,
  title: expect.any(String),
  detail: expect.any(String),
  instance: path,
  code,
  errors: undefined
})

const sites = "/cpo/v2/sites"
const chargers = "/cpo/v2/chargers"
const tokens = "/cpo/v2/tokens"
const organisations = "/cpo/v2/organisations"
const connector = {
  connectorId: 1,
  standard: "CHADEMO",
  format: "CABLE",
  powerType: "DC",
  maxVoltage: 400,
  maxAmperage: 125
}

/** An invalid body, and the pointers of its errors. */
const badBodies: ReadonlyArray<readonly [string, string, Json, ReadonlyArray<string>]> = [
  ["POST", sites, {}, ["/name"]],
  ["POST", sites, [], [""]],
  ["POST", sites, null, [""]],
  ["POST", sites, "text", [""]],
  ["POST", sites, { name: null }, ["/name"]],
  ["POST", sites, { name: "" }, ["/name"]],
  ["POST", sites, { name: "a\u0000b" }, ["/name"]],
  ["POST", sites, { name: 1, latitude: 91, longitude: "x" }, ["/name", "/latitude", "/longitude"]],
  ["POST", sites, { name: "A", country: "Finland", timeZone: "Mars/Olympus" }, ["/timeZone", "/country"]],
  ["POST", sites, { name: "A", openingHours: { twentyfourseven: 1 } }, ["/openingHours/twentyfourseven"]],
  [
    "POST",
    sites,
    {
      name: "A",
      openingHours: { twentyfourseven: false, regularHours: [{ weekday: 8, periodBegin: "25:00", periodEnd: "9" }] }
    },
    [
      "/openingHours/regularHours/0/weekday",
      "/openingHours/regularHours/0/periodBegin",
      "/openingHours/regularHours/0/periodEnd"
    ]
  ],
  ["POST", chargers, { name: "A" }, ["/chargerId"]],
  ["POST", chargers, { chargerId: "a/b" }, ["/name", "/chargerId"]],
  ["POST", chargers, { name: "A", chargerId: "." }, ["/chargerId"]],
  ["POST", chargers, { name: "A", chargerId: "B", siteId: "1" }, ["/siteId"]],
  ["POST", chargers, { name: "A", chargerId: "B", securityProfile: 4 }, ["/securityProfile"]],
  ["POST", chargers, { name: "A", chargerId: "B", securityProfile: 1 }, ["/securityProfile"]],
  [
    "POST",
    chargers,
    { name: "A", chargerId: "B", securityProfile: 0, password: "0123456789abcdef" },
    ["/securityProfile"]
  ],
  ["POST", chargers, { name: "A", chargerId: "B", securityProfile: 3, generatePassword: true }, ["/securityProfile"]],
  ["POST", chargers, { name: "A", chargerId: "B", password: "short" }, ["/password"]],
  ["POST", chargers, { name: "A", chargerId: "B", password: "with blank in it" }, ["/password"]],
  [
    "POST",
    chargers,
    { name: "A", chargerId: "B", password: "0123456789abcdef", generatePassword: true },
    ["/generatePassword"]
  ],
  ["PATCH", `${chargers}/CP-1`, { registration: "Maybe" }, ["/registration"]],
  ["PATCH", `${chargers}/CP-1`, { securityProfile: 2 }, ["/securityProfile"]],
  [
    "PATCH",
    `${chargers}/CP-1`,
    { connectors: [{}] },
    ["connectorId", "standard", "format", "powerType", "maxVoltage", "maxAmperage"].map(
      (name) => `/connectors/0/${name}`
    )
  ],
  [
    "PATCH",
    `${chargers}/CP-1`,
    { connectors: [{ ...connector, format: "PLUG", maxVoltage: 0 }] },
    ["/connectors/0/format", "/connectors/0/maxVoltage"]
  ],
  ["PATCH", `${chargers}/CP-1`, { connectors: [connector, { ...connector, evseId: 1 }] }, ["/connectors"]],
  ["POST", tokens, { uid: "x".repeat(37) }, ["/uid"]],
  [
    "POST",
    tokens,
    { uid: "A", type: "CARD", status: "Lost", expiresAt: "tomorrow" },
    ["/type", "/status", "/expiresAt"]
  ],
  ["POST", "/cpo/v2/api-keys", { name: "A", permissions: ["sites:read", "sites:fly"] }, ["/permissions/1"]],
  [
    "PATCH",
    "/cpo/v2/organisation",
    { heartbeatIntervalSeconds: 1, unknownTokens: "Maybe", closeSilentSessionsAfterHours: 0 },
    ["/unknownTokens", "/heartbeatIntervalSeconds", "/closeSilentSessionsAfterHours"]
  ],
  ["POST", organisations, { name: "A", countryCode: "NLD", partyId: "ab" }, ["/countryCode", "/partyId"]],
  [
    "POST",
    organisations,
    { name: "A", countryCode: "NL", partyId: "ABC", operatorEmail: "no address" },
    ["/operatorEmail"]
  ]
]

const tariffs = "/cpo/v2/tariffs"
const energy = { type: "ENERGY", price: 0.25, stepSize: 1 }
const sound = { currency: "EUR", elements: [{ priceComponents: [energy] }] }
const example = { startedAt: "2026-05-20T10:00:00Z", endedAt: "2026-05-20T11:00:00Z", readings: [] }

/** An unknown name in or around a tariff, its pointer, and the name that was meant. */
const misspelt: ReadonlyArray<readonly [string, Json, string, string]> = [
  [
    "POST",
    { ...sound, elements: [{ priceComponents: [{ ...energy, VAT: 21 }] }] },
    "/elements/0/priceComponents/0/VAT",
    "vat"
  ],
  [
    "POST",
    { ...sound, elements: [{ priceComponents: [energy], restrictions: { dayOfWeeks: ["MONDAY"] } }] },
    "/elements/0/restrictions/dayOfWeeks",
    "dayOfWeek"
  ],
  [
    "POST",
    { ...sound, elements: [{ priceComponents: [energy], restriction: {} }] },
    "/elements/0/restriction",
    "restrictions"
  ],
  ["POST", { ...sound, max_price: { exclVat: 5 } }, "/max_price", "maxPrice"],
  ["POST", { ...sound, maxPrice: { exclVat: 5, inklVat: 6 } }, "/maxPrice/inklVat", "inclVat"],
  ["POST", { ...sound, energyMix: { isGreenEnergy: true, supplier: "S" } }, "/energyMix/supplier", "supplierName"],
  ["POST", { ...sound, tariffAltText: [{ language: "en", text: "T", txt: "T" }] }, "/tariffAltText/0/txt", "text"],
  ["PATCH", { minprice: { exclVat: 5 } }, "/minprice", "minPrice"],
  [
    "PATCH",
    { elements: [{ priceComponents: [{ ...energy, stepsize: 1 }] }] },
    "/elements/0/priceComponents/0/stepsize",
    "stepSize"
  ],
  ["PREVIEW", { tariff: { ...sound, minPrise: null }, session: example }, "/tariff/minPrise", "minPrice"],
  ["PREVIEW", { tariff: sound, session: { ...example, timezone: "UTC" } }, "/session/timezone", "timeZone"],
  ["PREVIEW", { tariff: sound, session: example, reserved: {} }, "/reserved", "reservation"]
]

const badQueries: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  [`${sites}?limit=0`, ["/limit"]],
  [`${sites}?limit=501`, ["/limit"]],
  [`${sites}?limit=-1`, ["/limit"]],
  [`${sites}?limit=1.5`, ["/limit"]],
  [`${sites}?limit=1e2`, ["/limit"]],
  [`${sites}?limit=`, ["/limit"]],
  [`${sites}?limit=ten`, ["/limit"]],
  [`${sites}?limit=1&limit=2`, ["/limit"]],
  [`${sites}?cursor=`, ["/cursor"]],
  [`${sites}?cursor=nonsense`, ["/cursor"]],
  [`${chargers}?siteId=1`, ["/siteId"]],
  [`/cpo/v2/sessions?status=DONE&from=yesterday&to=2026-02-30T00:00:00Z`, ["/status", "/from", "/to"]],
  [`/cpo/v2/sessions?held=yes&needsCorrection=1`, ["/held", "/needsCorrection"]],
  [`/cpo/v2/sessions?held=&needsCorrection=TRUE`, ["/held", "/needsCorrection"]],
  [`${chargers}/CP-1/messages?from=1`, ["/from"]]
]

describe("bad input", () => {
  for (const [method, path, body, pointers] of badBodies) {
    it(`${method} ${path} ${JSON.stringify(body).slice(0, 90)} is refused at ${pointers.join(" ") || "the whole"}`, async () => {
      const answer = await ask(method, path, { body })
      expect(said(answer)).toEqual(problem(400, "invalid_input", path))
      expect(answer.json.errors.map((one: Json) => one.pointer)).toEqual(pointers)
      expect(answer.json.errors.every((one: Json) => one.detail.length > 5)).toBe(true)
    })
  }

  for (const [method, body, pointer, meant] of misspelt) {
    it(`${method} of a tariff with ${pointer} is refused with the known name ${meant}, and without names that are ignored`, async () => {
      const id = (await ask("POST", tariffs, { body: sound })).json.id
      const path = method === "POST" ? tariffs : `${tariffs}/${method === "PATCH" ? id : "preview"}`
      const answer = await ask(method === "PATCH" ? "PATCH" : "POST", path, { body })
      expect(said(answer)).toEqual(problem(400, "invalid_input", path))
      const found = answer.json.errors.find((one: Json) => one.pointer === pointer)
      expect(found?.detail).toMatch(new RegExp(`^Is not a known name\\. Known names: ${meant}(?:,|$)`))
      expect(found?.detail).not.toMatch(/countryCode|lastUpdated|\bid\b/)
    })
  }

  for (const [url, pointers] of badQueries) {
    it(`GET ${url} is refused at ${pointers.join(" ")}`, async () => {
      const answer = await ask("GET", url)
      expect(said(answer)).toEqual(problem(400, "invalid_input", url.split("?")[0] ?? ""))
      expect(answer.json.errors.map((one: Json) => one.pointer)).toEqual(pointers)
    })
  }

  it("changes nothing if one of several fields is invalid", async () => {
    await ask("PATCH", `${chargers}/CP-1`, { body: { name: "Changed", registration: "Maybe" } })
    const { json } = await ask("GET", `${chargers}/CP-1`)
    expect(json.name).toBe("A charger")
  })

  it("is never repeated in the answer, because it may be a password", async () => {
    const answer = await ask("POST", chargers, { body: { name: "A", chargerId: "B", password: "hunter2 hunter2" } })
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain("hunter2")
  })

  it("is answered with at most a hundred errors", async () => {
    const regularHours = Array.from({ length: 300 }, () => ({ weekday: 8, periodBegin: "25:00", periodEnd: "9" }))
    const answer = await ask("POST", sites, {
      body: { name: "A", openingHours: { twentyfourseven: false, regularHours } }
    })
    expect([answer.status, answer.json.errors.length]).toEqual([400, 100])
  })
})

describe("bodies", () => {
  it("that are not JSON are refused with 400", async () => {
    for (const raw of ["{", "", "name=A", "\u0000"]) {
      expect(said(await ask("POST", sites, { raw }))).toEqual(problem(400, "invalid_input", sites))
    }
  })

  it("of another media type are refused with 415 and the media type to send", async () => {
    for (const contentType of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
      const answer = await ask("POST", sites, { raw: "name=A", headers: { "content-type": contentType } })
      expect(said(answer)).toEqual(problem(415, "unsupported_media_type", sites))
      expect(answer.json.detail).toContain("application/json")
    }
  })

  it("may have a charset in their media type", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" }
    expect((await ask("POST", sites, { body: { name: "Zürich" }, headers })).json.name).toBe("Zürich")
    for (const type of ['application/json;charset="UTF-8"', "application/json; Charset=utf8"])
      expect((await ask("POST", sites, { body: { name: "Zürich" }, headers: { "content-type": type } })).status).toBe(
        200
      )
  })

  it("in another charset are refused with 415, because they would be read as UTF-8", async () => {
    for (const charset of ["utf-16", "UTF-16LE", "iso-8859-1", '"utf-16"', "", "utf-8; charset=utf-16"]) {
      const headers = { "content-type": `application/json; charset=${charset}` }
      const answer = await ask("POST", sites, { body: { name: "A" }, headers })
      expect(said(answer), charset).toEqual(problem(415, "unsupported_media_type", sites))
      expect(answer.json.detail).toContain("UTF-8")
    }
  })

  it("may begin with a byte order mark, which is ignored (RFC 8259 §8.1)", async () => {
    const answer = await ask("POST", sites, { raw: `\uFEFF{"name":"Zürich"}` })
    expect([answer.status, answer.json.name]).toEqual([200, "Zürich"])
  })

  it("larger than 1 MiB are refused with 413, by their announced or actual length", async () => {
    const name = (bytes: number) => `{"name":"${"x".repeat(bytes - '{"name":""}'.length)}"}`
    expect(said(await ask("POST", sites, { raw: name(1_048_577) }))).toEqual(problem(413, "payload_too_large", sites))
    expect(said(await ask("POST", sites, { raw: "{}", headers: { "content-length": "1048577" } }))).toEqual(
      problem(413, "payload_too_large", sites)
    )
    // One byte less is read and refused because the name is too long.
    expect(said(await ask("POST", sites, { raw: name(1_048_576) }))).toEqual(problem(400, "invalid_input", sites))
  })

  it("are not read for a caller without a key", async () => {
    expect(said(await ask("POST", sites, { key: undefined, raw: "x".repeat(1_048_577) }))).toEqual(
      problem(401, "unauthorized", sites)
    )
  })
})

describe("paths", () => {
  it("that do not exist are 404 for every method", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expect(said(await ask(method, "/cpo/v2/nothing"))).toEqual(problem(404, "unknown_path", "/cpo/v2/nothing"))
      expect(said(await ask(method, "/cpo"))).toEqual(problem(404, "unknown_path", "/cpo"))
    }
  })

  it("answer 405 with Allow for other methods", async () => {
    const answer = await ask("DELETE", sites)
    expect(said(answer)).toEqual(problem(405, "method_not_allowed", sites))
    expect(answer.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS")
    expect((await ask("PUT", `${chargers}/CP-1`)).headers.get("allow")).toBe("DELETE, GET, HEAD, PATCH, OPTIONS")
    for (const method of ["PROPFIND", "TRACE-ALIKE", "LINK"])
      expect(said(await ask(method, sites))).toEqual(problem(405, "method_not_allowed", sites))
    for (const page of ["/cpo/docs", "/cpo/swagger.json"])
      expect(said(await ask("POST", page))).toEqual(problem(405, "method_not_allowed", page))
  })

  it("answer HEAD as GET without a body", async () => {
    const answer = await ask("HEAD", sites)
    expect([answer.status, answer.text]).toEqual([200, ""])
  })

  it("with an impossible id are 404, like those with an unknown id", async () => {
    for (const path of [
      `${sites}/1`,
      `${sites}/01900000-0000-7000-8000-ffffffffffff`,
      `${chargers}/unknown`,
      `${chargers}/a%2Fb`,
      `${chargers}/${"x".repeat(300)}`,
      "/cpo/v2/sessions/1",
      `${tokens}/unknown`,
      `${tokens}/%00`
    ]) {
      expect(said(await ask("GET", path))).toEqual(problem(404, "not_found", path))
    }
  })

  it("ignore the case of letters, but ids do not", async () => {
    expect((await ask("GET", "/CPO/v2/Chargers/CP-1")).status).toBe(200)
    expect((await ask("GET", `${chargers}/cp-1`)).status).toBe(404)
  })
})

describe("failures of the service", () => {
  it("of storage are answered 503 with Retry-After, and name no host", async () => {
    for (const reason of ["down", "busy", "full", "unknown"] as const) {
      app.world.unavailable = reason
      const answer = await ask("GET", sites)
      app.world.unavailable = undefined
      expect(said(answer)).toEqual(problem(503, "storage_unavailable", sites))
      expect(answer.headers.get("retry-after")).toBe("5")
      expect(answer.text).not.toContain("secret-host")
    }
  })

  it("of an unexpected kind are answered 500 without details, and logged once without the query", async () => {
    app.logged.length = 0
    app.world.defect = new Error("relation charger does not exist")
    const answer = await ask("GET", `${sites}?limit=7`)
    app.world.defect = undefined
    expect(said(answer)).toEqual(problem(500, "internal_error", sites))
    expect(answer.text).not.toContain("relation")
    const about = app.logged.filter((line) => line.includes("relation charger"))
    expect(about).toHaveLength(1)
    expect(about[0]).not.toContain("limit=7")
  })
})
