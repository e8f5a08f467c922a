import { describe, expect, it } from "vitest"
import { endpointsOf, rowsOf } from "../../src/ocpi/protocol/EndpointTable.ts"
import { refusalOf, type Reason } from "../../src/ocpi/protocol/Status.ts"
import { factsOf, mutual, versions } from "../../src/ocpi/protocol/Version.ts"

const base = "https://cpo.example/ocpi"

describe("version details", () => {
  it("of 2.1.1 have no roles, and have the addresses of product.md", () => {
    const endpoints = endpointsOf(factsOf("2.1.1"), base)
    expect(endpoints).toEqual([
      { identifier: "credentials", url: `${base}/2.1.1/credentials` },
      { identifier: "locations", url: `${base}/2.1.1/cpo/locations` },
      { identifier: "sessions", url: `${base}/2.1.1/cpo/sessions` },
      { identifier: "cdrs", url: `${base}/2.1.1/cpo/cdrs` },
      { identifier: "tariffs", url: `${base}/2.1.1/cpo/tariffs` },
      { identifier: "tokens", url: `${base}/2.1.1/cpo/tokens` },
      { identifier: "commands", url: `${base}/2.1.1/cpo/commands` }
    ])
  })

  it.each(["2.2", "2.2.1"] as const)(
    "of %s have each module with its role, and credentials with both roles",
    (version) => {
      const endpoints = endpointsOf(factsOf(version), base)
      expect(endpoints.map(({ identifier, role }) => `${identifier} ${role}`)).toEqual([
        "credentials SENDER",
        "credentials RECEIVER",
        "locations SENDER",
        "sessions SENDER",
        "cdrs SENDER",
        "tariffs SENDER",
        "tokens RECEIVER",
        "commands RECEIVER",
        "chargingprofiles RECEIVER",
        "hubclientinfo RECEIVER"
      ])
      expect(endpoints.at(-1)?.url).toBe(`${base}/${version}/hubclientinfo`)
    }
  )

  it("have each module once per role, since partners look it up by role", () => {
    for (const facts of versions) {
      const keys = endpointsOf(facts, base).map(({ identifier, role }) => `${identifier} ${role}`)
      expect(new Set(keys).size).toBe(keys.length)
    }
  })
})

it("charging preferences, charging profiles and hub client info exist from 2.2 on", () => {
  const paths = (version: "2.1.1" | "2.2") =>
    rowsOf(version).map(({ method, module, path }) => `${method} ${module}${path}`)
  expect(paths("2.2").filter((path) => !paths("2.1.1").includes(path))).toEqual([
    "PUT sessions/:sessionId/charging_preferences",
    "GET chargingprofiles/:sessionId",
    "PUT chargingprofiles/:sessionId",
    "DELETE chargingprofiles/:sessionId",
    "GET hubclientinfo/:countryCode/:partyId",
    "PUT hubclientinfo/:countryCode/:partyId"
  ])
})

it("both sides use the newest version that they have in common", () => {
  expect(mutual(["2.1.1", "2.2", "2.3.0"])).toBe("2.2")
  expect(mutual(["2.1.1", "2.2.1", "2.2"])).toBe("2.2.1")
  expect(mutual(["2.0", "3.0"])).toBeUndefined()
})

describe("a refusal", () => {
  const detail = "why"
  const cases: ReadonlyArray<readonly [Reason, number, number]> = [
    [{ _tag: "Unauthorized", why: "Unknown" }, 401, 2001],
    [{ _tag: "Suspended" }, 403, 2000],
    [{ _tag: "Unreadable", detail }, 400, 2001],
    [{ _tag: "UnknownPath" }, 404, 2000],
    [{ _tag: "MethodNotAllowed", allowed: ["GET"] }, 405, 2000],
    [{ _tag: "WrongRegistration", detail }, 405, 2000],
    [{ _tag: "NotFound", object: "Location", detail }, 404, 2003],
    [{ _tag: "NotFound", object: "Token", detail }, 404, 2004],
    [{ _tag: "NotFound", object: "Session", detail }, 404, 2001],
    [{ _tag: "Invalid", detail }, 200, 2001],
    [{ _tag: "NotEnoughInformation", detail }, 200, 2002],
    [{ _tag: "PartnerUnusable", detail }, 200, 3001],
    [{ _tag: "UnsupportedVersion", detail }, 200, 3002],
    [{ _tag: "EndpointsMissing", detail }, 200, 3003],
    [{ _tag: "TooLarge", limitBytes: 9 }, 413, 2000],
    [{ _tag: "TooMany", retryAfterSeconds: 9 }, 429, 2000],
    [{ _tag: "Failed" }, 500, 3000]
  ]
  it.each(cases)("%j is HTTP %i with %i", (reason, http, status) =>
    expect(refusalOf(reason, 2004)).toMatchObject({ http, status })
  )

  it("of an unknown token has the code of its version", () =>
    expect(refusalOf({ _tag: "NotFound", object: "Token", detail }, 2001).status).toBe(2001))
})
