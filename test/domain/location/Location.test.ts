import { describe, expect, it } from "vitest"
import { assumedEquipment, type ConnectorStatus } from "../../../src/domain/site/Connector.ts"
import { statusOf } from "../../../src/domain/site/EvseStatus.ts"
import { dueOf, type Location, locationOf, removedShownDays, tariffsOf } from "../../../src/domain/site/Location.ts"
import { missingOf } from "../../../src/domain/site/Missing.ts"
import type { LocationSources, SourceCharger } from "../../../src/domain/site/LocationSources.ts"
import { charger, day, made, minute, now, sources, withCharger } from "../../support/locationSources.ts"

describe("the status of an EVSE for partners", () => {
  const on = { connected: true, registration: "Accepted", wholeStatus: undefined } as const
  const table: ReadonlyArray<readonly [ConnectorStatus, string]> = [
    ["Available", "AVAILABLE"],
    ["Preparing", "CHARGING"],
    ["Charging", "CHARGING"],
    ["SuspendedEV", "CHARGING"],
    ["SuspendedEVSE", "CHARGING"],
    ["Finishing", "CHARGING"],
    ["Reserved", "RESERVED"],
    ["Unavailable", "INOPERATIVE"],
    ["Faulted", "OUTOFORDER"]
  ]
  it.each(table)("is derived from the charger's: %s is %s, or UNKNOWN when the charger is offline", (status, meant) => {
    expect(statusOf(on, [{ status }])).toBe(meant)
    expect(statusOf({ ...on, connected: false }, [{ status }])).toBe("UNKNOWN")
  })

  it("is that of a connector in use or free, if there are several", () => {
    const of = (...all: ReadonlyArray<ConnectorStatus>) =>
      statusOf(
        on,
        all.map((status) => ({ status }))
      )
    expect(of("Available", "Charging")).toBe("CHARGING")
    expect(of("Faulted", "Available")).toBe("AVAILABLE")
    expect(of("Unavailable", "Faulted")).toBe("INOPERATIVE")
  })

  it("is the whole charger's fault for every evse that is not in use", () => {
    const of = (status: ConnectorStatus, change: object) => statusOf({ ...on, ...change }, [{ status }])
    expect(of("Available", { wholeStatus: "Faulted" })).toBe("OUTOFORDER")
    expect(of("Available", { wholeStatus: "Unavailable" })).toBe("INOPERATIVE")
    expect(of("Charging", { wholeStatus: "Faulted" })).toBe("CHARGING")
    expect(of("Faulted", { wholeStatus: "Unavailable" })).toBe("OUTOFORDER")
    expect(of("Available", { registration: "Rejected" })).toBe("INOPERATIVE")
  })
})

describe("a location", () => {
  it("does not reveal the charger's id", () => {
    expect(JSON.stringify(made())).not.toContain("SECRET")
  })

  it.each(["streetAddress", "city", "country", "latitude", "longitude"] as const)(
    "does not exist without %s",
    (field) => {
      const site = sources.site === undefined ? undefined : { ...sources.site, [field]: undefined }
      const lacking = { ...sources, site }
      expect(missingOf(lacking)).toEqual([field])
      expect(locationOf(lacking, undefined, now)).toBeUndefined()
    }
  )

  it("does not exist until a charger has reported its connectors", () => {
    expect(missingOf(withCharger({ connectors: [] }))).toEqual(["chargers"])
    expect(locationOf(withCharger({ connectors: [] }), undefined, now)).toBeUndefined()
    expect(missingOf(sources)).toEqual([])
  })

  it("has the capabilities of its charger", () => {
    const capabilities = (change: Partial<SourceCharger>) => made(withCharger(change)).evses[0]?.capabilities
    expect(capabilities({})).toEqual(["RFID_READER", "REMOTE_START_STOP_CAPABLE", "UNLOCK_CAPABLE"])
    expect(capabilities({ featureProfiles: ["Core", "SmartCharging", "Reservation"] })).toEqual([
      "RFID_READER",
      "REMOTE_START_STOP_CAPABLE",
      "UNLOCK_CAPABLE",
      "RESERVABLE",
      "CHARGING_PROFILE_CAPABLE",
      "CHARGING_PREFERENCES_CAPABLE"
    ])
    const [first] = charger.connectors
    if (first === undefined) throw new Error("no connector")
    const two = [first, { ...first, connectorId: 2, equipment: { ...assumedEquipment, format: "CABLE" as const } }]
    expect(capabilities({ connectors: two })).toContain("START_SESSION_CONNECTOR_REQUIRED")
  })

  it("is the same object if nothing has changed", () => {
    const before = made()
    expect(locationOf(sources, before, now + minute)).toBe(before)
    // Also when it was stored and loaded in between.
    const stored = JSON.parse(JSON.stringify(before)) as Location
    expect(locationOf(sources, stored, now + minute)).toBe(stored)
  })

  it("updates the time of what changed and of what contains it, and of nothing else", () => {
    const before = made()
    const [first, second] = charger.connectors
    if (first === undefined || second === undefined) throw new Error("no connectors")
    const changed = withCharger({
      connectors: [first, { ...second, equipment: { ...assumedEquipment, maxAmperage: 16 }, assumed: false }]
    })
    const after = made(changed, before, now + minute)
    expect([after.lastUpdated, ...after.evses.map(({ lastUpdated }) => lastUpdated)]).toEqual([
      now + minute,
      now,
      now + minute
    ])
    expect(after.evses[1]?.connectors[0]?.lastUpdated).toBe(now + minute)
    // A status belongs to the evse, not the connector.
    const faulted = made(withCharger({ wholeStatus: "Faulted" }), before, now + minute)
    expect(faulted.evses[0]?.lastUpdated).toBe(now + minute)
    expect(faulted.evses[0]?.connectors[0]?.lastUpdated).toBe(now)
    // A name belongs to the location.
    const site = sources.site === undefined ? undefined : { ...sources.site, name: "Port" }
    const renamed = made({ ...sources, site }, before, now + minute)
    expect(renamed.lastUpdated).toBe(now + minute)
    expect(renamed.evses).toEqual(before.evses)
  })

  it("shows what is gone as removed for ninety days, and does not exist once all of it is forgotten", () => {
    const before = made()
    const without = { ...sources, chargers: [] }
    const after = made(without, before, now + minute)
    expect(after.evses.map(({ evseId, status }) => [status, evseId])).toEqual([
      ["REMOVED", "NL*ABC*E000001"],
      ["REMOVED", "NL*ABC*E000002"]
    ])
    // One whose charger is at another site now has none, and was removed when it was.
    const usedAgain = { ...without, evses: sources.evses.map((evse, n) => ({ ...evse, usedAgain: n === 0 })) }
    for (const [elsewhere, at] of [
      [made(usedAgain, before, now + minute), now + minute],
      [made(usedAgain, after, now + 2 * minute), now + 2 * minute],
      [made({ ...usedAgain, site: undefined }, before, now + minute), now + minute]
    ] as const) {
      expect(elsewhere.evses.map(({ evseId, lastUpdated }) => [evseId, lastUpdated])).toEqual([
        [undefined, now + minute],
        ["NL*ABC*E000002", now + minute]
      ])
      expect(elsewhere.lastUpdated).toBe(at)
    }
    // It stays as it was removed.
    const ninetyDaysOn = now + minute + removedShownDays * day
    expect(locationOf(without, after, ninetyDaysOn - 1)).toBe(after)
    expect(dueOf(after, without, now + minute)).toBe(ninetyDaysOn)
    expect(locationOf(without, after, ninetyDaysOn)).toBeUndefined()
    // And a charger that comes back is the same evse.
    expect(made(sources, after, now + 2 * minute).evses.map(({ status, uid }) => [uid, status])).toEqual([
      ["uid-1", "AVAILABLE"],
      ["uid-2", "CHARGING"]
    ])
  })

  it("names no tariff for removed connectors, since the tariff may end before they are forgotten", () => {
    const assignment = { scope: "organisation" } as const
    const tariffs = [{ tariffId: "t", assignment, startsAt: undefined, endsAt: undefined }]
    const before = made({ ...sources, tariffs })
    const connectorsOf = ({ evses }: Location) => evses.flatMap(({ connectors }) => connectors)
    expect(connectorsOf(before).map(({ tariffId }) => tariffId)).toEqual(["t", "t"])
    for (const gone of [{ chargers: [] }, { site: undefined }]) {
      const after = made({ ...sources, tariffs, ...gone }, before, now + minute)
      const none = { tariffId: undefined, laterTariffIds: [], lastUpdated: now + minute }
      expect(connectorsOf(after)).toEqual(connectorsOf(before).map((one) => ({ ...one, ...none })))
    }
    // A connector that named no tariff keeps its time.
    expect(connectorsOf(made({ ...sources, chargers: [] }, made(), now + minute))).toEqual(connectorsOf(made()))
  })

  it("is withdrawn when its site is deleted or has lost its address", () => {
    const before = made()
    const lost = made({ ...sources, site: undefined }, before, now + minute)
    expect(lost).toMatchObject({ name: "Harbour", lastUpdated: now + minute })
    expect(lost.evses.every(({ status }) => status === "REMOVED")).toBe(true)
  })
})

describe("the tariffs of a connector", () => {
  const place = { chargerId: "SECRET-1", evseId: 1, connectorId: 1 }
  const tariff = (tariffId: string, assignment: object, startsAt?: number, endsAt?: number) => ({
    tariffId,
    assignment: assignment as LocationSources["tariffs"][number]["assignment"],
    startsAt,
    endsAt
  })
  const organisation = tariff("organisation", { scope: "organisation" })
  const site = tariff("site", { scope: "site", siteId: "x" })
  const ofCharger = { scope: "charger", chargerId: "SECRET-1" }
  const connector = { scope: "connector", ...place }

  it("are the ones with the narrowest assignment, as for sessions", () => {
    expect(tariffsOf(place, [organisation, site], now)).toEqual({ tariffId: "site", laterTariffIds: [] })
    const narrow = tariff("connector", connector)
    expect(tariffsOf(place, [organisation, narrow, site], now).tariffId).toBe("connector")
    expect(tariffsOf({ ...place, connectorId: 2 }, [organisation, narrow], now).tariffId).toBe("organisation")
    expect(tariffsOf({ ...place, chargerId: "other" }, [tariff("charger", ofCharger)], now).tariffId).toBeUndefined()
  })

  it("include those that begin later, and no longer those that have ended", () => {
    const begins = tariff("later", ofCharger, now + day)
    const ended = tariff("ended", connector, undefined, now)
    expect(tariffsOf(place, [organisation, begins, ended], now)).toEqual({
      tariffId: "organisation",
      laterTariffIds: ["later"]
    })
    expect(tariffsOf(place, [organisation, begins, ended], now + day).tariffId).toBe("later")
    expect(dueOf(made(), { ...sources, tariffs: [organisation, begins, ended] }, now)).toBe(now + day)
  })
})
