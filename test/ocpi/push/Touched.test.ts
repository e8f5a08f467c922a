/** Which of a partner's objects a fact concerns, and what a partner's answers mean. */
import { describe, expect, it } from "vitest"
import type { JournaledFact } from "../../../src/domain/event/Subscription.ts"
import { hashOf, sameHash } from "../../../src/ocpi/push/Hash.ts"
import { isGoneThere, isReachable, isRefusal, isUnknownThere, outcomeOf } from "../../../src/ocpi/push/Outcomes.ts"
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
      "about a connector concerns its EVSE's status",
      fact("ConnectorStatusChanged", { evseId: 2, connectorId: 1 }),
      [{ _tag: "Status", chargerId: "C1", evseId: 2 }]
    ],
    [
      "about connector 0 concerns the status of all EVSEs of the charger",
      fact("ConnectorStatusChanged", { evseId: 0, connectorId: 0 }),
      [{ _tag: "Status", chargerId: "C1", evseId: undefined }]
    ],
    [
      "about a connection does so too, whatever characters the charger's id has",
      fact("ChargerDisconnected", {}, "charger:a:b"),
      [{ _tag: "Status", chargerId: "a:b", evseId: undefined }]
    ],
    [
      "about a charger that moves concerns both sites",
      fact("ChargerChanged", { before: { siteId: site }, after: { siteId: other } }),
      [
        { _tag: "Charger", chargerId: "C1" },
        { _tag: "Site", siteId: site },
        { _tag: "Site", siteId: other }
      ]
    ],
    [
      "about a charger that is accepted or rejected concerns the status of its EVSEs as well",
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
    ["about a site concerns it", fact("SiteChanged", {}, `site:${site}`), [{ _tag: "Site", siteId: site }]],
    [
      "about a time-driven change concerns the location, and the EVSEs whose status changed",
      fact("LocationChanged", { evses: [id] }, `site:${site}`),
      [
        { _tag: "Site", siteId: site },
        { _tag: "Evses", siteId: site, uids: [id] }
      ]
    ],
    [
      "about a default tariff concerns every location, and the tariff, which partners see from then on",
      fact("TariffAssigned", { after: { scope: "organisation", tariffId: id } }),
      [{ _tag: "Tariff", tariffId: id }, { _tag: "Sites" }]
    ],
    [
      "about a tariff's new price concerns the tariff only",
      fact("TariffChanged", { before: { id }, after: { id } }),
      [{ _tag: "Tariff", tariffId: id }]
    ],
    [
      "about a tariff's new times concerns every location as well",
      fact("TariffChanged", { before: { id }, after: { id, endDateTime: 5 } }),
      [{ _tag: "Tariff", tariffId: id }, { _tag: "Sites" }]
    ],
    [
      "about a start concerns the sessions that it ends, too",
      fact("SessionStarted", { sessionId: id, supersedes: [other] }),
      [
        { _tag: "Session", sessionId: id },
        { _tag: "Session", sessionId: other }
      ]
    ],
    ["about a reading outside of any session concerns nothing", fact("MeterRead", { evseId: 1 }), []],
    [
      "about a record concerns its session, whose price is known then, before the record",
      fact("CdrIssued", { after: { id, sessionId: other } }),
      [
        { _tag: "Session", sessionId: other },
        { _tag: "Cdr", cdrId: id }
      ]
    ],
    ["of an unknown type concerns nothing", fact("SomethingElse", { sessionId: id }), []],
    [
      "about a price that was awaited concerns its session",
      fact("SessionPriced", { sessionId: id }, `session:${id}`),
      [{ _tag: "Session", sessionId: id }]
    ],
    ["that cannot be read concerns nothing", fact("CdrIssued", { after: "?" }), []]
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
    [401, 2001],
    [401, 3000],
    [403, 2000],
    [408, undefined],
    [502, 3000],
    [503, undefined]
  ])("of HTTP %s with status %s is about the partner", (http, status) => {
    expect(outcomeOf(failed(http, status))).toEqual({ _tag: "Failed", message: "m", retryAfterMillis: undefined })
  })

  it.each([
    [200, 4000],
    [200, 4001],
    [200, 4002],
    [200, 4003],
    [404, 4001],
    [504, 4002]
  ])("of HTTP %s with status %s is a hub's, about one receiver behind it: only this object waits", (http, status) => {
    expect(outcomeOf(failed(http, status))).toEqual({
      _tag: "Failed",
      message: "m",
      retryAfterMillis: undefined,
      isAlone: true
    })
  })

  it("of a hub that cannot reach a party does not say that the party refuses or lacks an object", () => {
    expect([isRefusal(failed(404, 4001)), isGoneThere(failed(404, 4001), { tries: 20 })]).toEqual([false, false])
  })

  it("with a hub's error and a time to wait asks for that wait, which applies to all objects", () => {
    const asked = { ...failed(503, 4002), retryAfterMillis: 5_000 }
    expect(outcomeOf(asked)).toEqual({ _tag: "Failed", message: "m", retryAfterMillis: 5_000 })
  })

  it.each([
    [400, "object"],
    [409, "object"],
    [413, "object"],
    [422, "object"],
    [403, "place"],
    [404, "place"],
    [405, "place"],
    [410, "place"],
    [302, "place"],
    [500, "place"],
    [501, "place"]
  ])(
    "of HTTP %s without an envelope may come from an ingress: if from the partner, it is about the %s",
    (http, doubt) => {
      expect(outcomeOf(failed(http))).toMatchObject({ _tag: "Failed", doubt })
    }
  )

  it.each([
    [200, 3000],
    [500, 3000],
    [500, 2001],
    [501, 3001]
  ])(
    "of HTTP %s with status %s is of the partner's code: only this object waits, if it is reachable",
    (http, status) => {
      expect(outcomeOf(failed(http, status))).toMatchObject({ _tag: "Failed", doubt: "place" })
    }
  )

  it("of HTTP 429 makes this object wait alone, whatever the wait", () => {
    const alone = { _tag: "Failed", message: "m", isAlone: true }
    expect([outcomeOf(failed(429)), outcomeOf({ ...failed(429, 2000), retryAfterMillis: 5_000 })]).toEqual([
      alone,
      alone
    ])
  })

  it("of HTTP 501 to a PATCH says that the object must be sent whole", () => {
    expect([501, 500].map((http) => isUnknownThere(failed(http, 3000)))).toEqual([true, false])
  })

  it("to a check of whether the partner can be reached proves it if it speaks OCPI or checks tokens", () => {
    const reachable = [failed(400, 2000), failed(404, 2003), failed(403, 2000), failed(401), failed(200, 3000)]
    expect(reachable.map(isReachable)).toEqual([true, true, true, true, true])
    const unreachable = [
      failed(undefined),
      failed(200),
      failed(302),
      failed(403),
      failed(404),
      failed(429),
      failed(429, 2000),
      failed(500, 2000)
    ]
    expect(unreachable.filter(isReachable)).toEqual([])
  })

  it("to the deletion of an unknown object counts as success, a bare 404 only after many tries", () => {
    const gone = (http: number, status: number | undefined, tries: number) =>
      isGoneThere(failed(http, status), { tries })
    expect([gone(404, 2003, 0), gone(404, undefined, 9), gone(404, undefined, 10), gone(400, 2003, 20)]).toEqual([
      true,
      false,
      true,
      false
    ])
  })

  it("to a change of an unknown object asks for the whole object", () => {
    expect([failed(404), failed(405), failed(200, 2003)].map(isUnknownThere)).toEqual([true, true, true])
    expect([failed(400), failed(500, 2003), failed(undefined)].map(isUnknownThere)).toEqual([false, false, false])
  })
})

it("an object is sent again only if more than times and the order of fields has changed", () => {
  const one = { id: "x", last_updated: "a", evses: [{ uid: "u", status: "AVAILABLE", last_updated: "a" }] }
  const reordered = {
    evses: [{ last_updated: "b", status: "AVAILABLE", uid: "u" }],
    last_updated: "b",
    id: "x",
    none: undefined
  }
  expect(sameHash(hashOf(one), hashOf(reordered))).toBe(true)
  expect(sameHash(hashOf(one), hashOf({ ...one, evses: [] }))).toBe(false)
  expect(sameHash(undefined, hashOf(one))).toBe(false)
})
