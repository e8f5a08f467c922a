/** What facts touch of what partners are told, and what their answers mean. */
import { describe, expect, it } from "vitest"
import type { JournaledFact } from "../../../src/domain/event/Subscription.ts"
import { hashOf, sameHash } from "../../../src/ocpi/push/Hash.ts"
import { isGoneThere, isReachable, isUnknownThere, outcomeOf } from "../../../src/ocpi/push/Outcomes.ts"
import { touchedBy } from "../../../src/ocpi/push/ChangedObjects.ts"

const site = "01990000-0000-7000-8000-000000000001"
const other = "01990000-0000-7000-8000-000000000002"
const id = "01990000-0000-7000-8000-000000000003"

const fact = (type: string, body: unknown, subject = "charger:C1"): JournaledFact => ({
  position: 1,
  organisationId: "o",
  type,
  subject,
  at: 0,
  heardAt: 0,
  body
})

describe("a fact", () => {
  const cases: ReadonlyArray<readonly [string, JournaledFact, ReadonlyArray<unknown>]> = [
    [
      "of a connector touches its evse's status",
      fact("ConnectorStatusChanged", { evseId: 2, connectorId: 1 }),
      [{ _tag: "Status", chargerId: "C1", evseId: 2 }]
    ],
    [
      "of connector 0 touches those of all the charger's",
      fact("ConnectorStatusChanged", { evseId: 0, connectorId: 0 }),
      [{ _tag: "Status", chargerId: "C1", evseId: undefined }]
    ],
    [
      "of a connection does so too, whatever the charger's id has in it",
      fact("ChargerDisconnected", {}, "charger:a:b"),
      [{ _tag: "Status", chargerId: "a:b", evseId: undefined }]
    ],
    [
      "of a charger that moves touches both sites",
      fact("ChargerChanged", { before: { siteId: site }, after: { siteId: other } }),
      [
        { _tag: "Charger", chargerId: "C1" },
        { _tag: "Site", siteId: site },
        { _tag: "Site", siteId: other }
      ]
    ],
    [
      "of a charger that is let in or refused touches its evses' statuses as well",
      fact("ChargerChanged", {
        before: { siteId: site, registration: "Accepted" },
        after: { siteId: site, registration: "Rejected" }
      }),
      [
        { _tag: "Charger", chargerId: "C1" },
        { _tag: "Status", chargerId: "C1", evseId: undefined },
        { _tag: "Site", siteId: site },
        { _tag: "Site", siteId: site }
      ]
    ],
    ["of a site touches it", fact("SiteChanged", {}, `site:${site}`), [{ _tag: "Site", siteId: site }]],
    [
      "of what changed by itself touches the location, and the evses whose status it is",
      fact("LocationChanged", { evses: [id] }, `site:${site}`),
      [
        { _tag: "Site", siteId: site },
        { _tag: "Evses", siteId: site, uids: [id] }
      ]
    ],
    [
      "of a default tariff touches every location, and the tariff, which is seen from then on",
      fact("TariffAssigned", { after: { scope: "organisation", tariffId: id } }),
      [{ _tag: "Tariff", tariffId: id }, { _tag: "Sites" }]
    ],
    [
      "of a tariff's new price touches the tariff alone",
      fact("TariffChanged", { before: { id }, after: { id } }),
      [{ _tag: "Tariff", tariffId: id }]
    ],
    [
      "of a tariff's new times touches every location as well",
      fact("TariffChanged", { before: { id }, after: { id, endDateTime: 5 } }),
      [{ _tag: "Tariff", tariffId: id }, { _tag: "Sites" }]
    ],
    [
      "of a start touches the sessions that it ends",
      fact("SessionStarted", { sessionId: id, supersedes: [other] }),
      [
        { _tag: "Session", sessionId: id },
        { _tag: "Session", sessionId: other }
      ]
    ],
    ["of a reading outside of any session touches nothing", fact("MeterRead", { evseId: 1 }), []],
    [
      "of a record touches its session, whose price is known then, before itself",
      fact("CdrIssued", { after: { id, sessionId: other } }),
      [
        { _tag: "Session", sessionId: other },
        { _tag: "Cdr", cdrId: id }
      ]
    ],
    ["that nobody knows touches nothing", fact("SomethingElse", { sessionId: id }), []],
    [
      "of a price that was awaited touches its session",
      fact("SessionPriced", { sessionId: id }, `session:${id}`),
      [{ _tag: "Session", sessionId: id }]
    ],
    ["that cannot be read touches nothing", fact("CdrIssued", { after: "?" }), []]
  ]
  it.each(cases)("%s", (_, one, touched) => {
    expect(touchedBy(one)).toEqual(touched)
  })
})

describe("an answer", () => {
  const failed = (http: number | undefined, status?: number) => ({
    http,
    status,
    message: "m",
    retryAfterMillis: undefined
  })

  it.each([
    [400, 2000],
    [404, 2003],
    [405, 2000],
    [409, 1000],
    [422, 2001],
    [200, 2001]
  ])("of HTTP %s with status %s is about the object", (http, status) => {
    expect(outcomeOf(failed(http, status))._tag).toBe("Refused")
  })

  it.each([
    [undefined, undefined],
    [200, undefined],
    [200, 3000],
    [302, undefined],
    [401, 2001],
    [403, 2000],
    [408, undefined],
    [429, undefined],
    [500, 2001],
    [503, undefined]
  ])("of HTTP %s with status %s is about the partner", (http, status) => {
    expect(outcomeOf(failed(http, status))).toEqual({ _tag: "Failed", message: "m", retryAfterMillis: undefined })
  })

  it.each([
    [400, "object"],
    [409, "object"],
    [413, "object"],
    [422, "object"],
    [403, "place"],
    [404, "place"],
    [405, "place"],
    [410, "place"]
  ])("of HTTP %s without an envelope may come from anybody: if from the partner, it is about the %s", (http, doubt) => {
    expect(outcomeOf(failed(http))).toMatchObject({ _tag: "Failed", doubt })
  })

  it("to the question whether it is there is somebody's where it speaks OCPI or looks at tokens", () => {
    const somebody = [failed(400, 2000), failed(404, 2003), failed(403, 2000), failed(401), failed(200, 3000)]
    expect(somebody.map(isReachable)).toEqual([true, true, true, true, true])
    const nobody = [
      failed(undefined),
      failed(200),
      failed(302),
      failed(403),
      failed(404),
      failed(429),
      failed(429, 2000),
      failed(500, 2000)
    ]
    expect(nobody.filter(isReachable)).toEqual([])
  })

  it("to the deletion of what it does not have is its end, and a bare 404 only after many tries", () => {
    const gone = (http: number, status: number | undefined, tries: number) =>
      isGoneThere(failed(http, status), { tries })
    expect([gone(404, 2003, 0), gone(404, undefined, 9), gone(404, undefined, 10), gone(400, 2003, 20)]).toEqual([
      true,
      false,
      true,
      false
    ])
  })

  it("to a change of what the partner does not know asks for the whole", () => {
    expect([failed(404), failed(405), failed(200, 2003)].map(isUnknownThere)).toEqual([true, true, true])
    expect([failed(400), failed(500, 2003), failed(undefined)].map(isUnknownThere)).toEqual([false, false, false])
  })
})

it("is told again only when more has changed than times and the order of fields", () => {
  const one = { id: "x", last_updated: "a", evses: [{ uid: "u", status: "AVAILABLE", last_updated: "a" }] }
  const later = {
    evses: [{ last_updated: "b", status: "AVAILABLE", uid: "u" }],
    last_updated: "b",
    id: "x",
    none: undefined
  }
  expect(sameHash(hashOf(one), hashOf(later))).toBe(true)
  expect(sameHash(hashOf(one), hashOf({ ...one, evses: [] }))).toBe(false)
  expect(sameHash(undefined, hashOf(one))).toBe(false)
})
