/** The optional details that operators give of places, and locations that are not published to everyone. */
import { describe, expect, it } from "vitest"
import { assumedEquipment } from "../../../src/domain/site/Connector.ts"
import { describedEquipment, describedEvses } from "../../../src/domain/charger/Describing.ts"
import { evseDetailsOf, siteDetailsOf, siteFieldsOf } from "../../../src/domain/site/Details.ts"
import { dueOf, removedShownDays } from "../../../src/domain/site/Location.ts"
import { asForEverybody } from "../../../src/domain/site/Publication.ts"
import { evseDetails, publishAllowedTo, siteDetails, terms } from "../../support/details.ts"
import { charger, day, made, minute, now, sources, withCharger, withSite } from "../../support/locationSources.ts"

describe("the details of a site", () => {
  it("are part of the location, and the site's operator replaces the party as operator", () => {
    const { operator, ...rest } = siteDetails
    const location = made(withSite(siteDetails))
    expect(location.operator).toEqual(operator)
    expect(location.details).toEqual(rest)
    expect(made(sources).operator).toEqual({ name: "Charge AG" })
    expect(made(sources).details).toBeUndefined()
  })

  it("update only the location when they change, and nothing when they do not", () => {
    const before = made(sources)
    const after = made(withSite({ images: siteDetails.images }), before, now + minute)
    expect(after.lastUpdated).toBe(now + minute)
    expect(after.evses).toEqual(before.evses)
    expect(made(withSite({ images: siteDetails.images }), after, now + 2 * minute)).toBe(after)
    // No change either for a location without details that was made before details existed.
    expect(made(withSite(siteFieldsOf(undefined)), before, now + minute)).toBe(before)
  })

  it("are stored only if they say something: no empty lists, and not the default of being published", () => {
    expect(siteDetailsOf({ publish: true, images: [], directions: undefined })).toBeUndefined()
    expect(siteDetailsOf({ publish: false, images: [], chargingWhenClosed: false })).toEqual({
      publish: false,
      chargingWhenClosed: false
    })
    expect(evseDetailsOf({ parkingRestrictions: [] })).toBeUndefined()
  })
})

describe("the details of an evse or a connector", () => {
  it("update it and what contains it, and nothing else", () => {
    const before = made(sources)
    const after = made(withCharger({ evses: [{ evseId: 2, ...evseDetails }] }), before, now + minute)
    expect(after.evses.map(({ details, lastUpdated }) => [details, lastUpdated])).toEqual([
      [undefined, now],
      [evseDetails, now + minute]
    ])
    expect(after.lastUpdated).toBe(now + minute)
    const [first, second] = charger.connectors
    const connectors = [
      { ...first!, equipment: { ...assumedEquipment, termsAndConditions: terms }, assumed: false },
      second!
    ]
    const [evse] = made(withCharger({ connectors }), before, now + minute).evses
    expect(evse?.connectors[0]).toMatchObject({ termsAndConditions: terms, lastUpdated: now + minute })
  })

  it("are merged into the stored ones, field by field; null removes a field", () => {
    const stored = [{ evseId: 2, ...evseDetails }]
    expect(describedEvses(stored, [{ evseId: 1, floorLevel: "0" }])).toEqual([
      { evseId: 1, floorLevel: "0" },
      ...stored
    ])
    const { images: _, ...left } = evseDetails
    expect(describedEvses(stored, [{ evseId: 2, images: null, floorLevel: undefined }])).toEqual([
      { evseId: 2, ...left }
    ])
    const nothing = Object.fromEntries(Object.keys(evseDetails).map((key) => [key, null]))
    expect(describedEvses(stored, [{ evseId: 2, ...nothing }])).toEqual([])
  })

  it("keep a connector's terms that are not named, and remove them when null", () => {
    const one = { evseId: 1, connectorId: 1, ...assumedEquipment }
    const stored = [{ ...one, termsAndConditions: terms }]
    expect(describedEquipment([], stored)).toEqual(stored)
    expect(describedEquipment(stored, [{ ...one, maxAmperage: 16 }])).toEqual([{ ...stored[0], maxAmperage: 16 }])
    expect(describedEquipment(stored, [{ ...one, termsAndConditions: null }])).toEqual([one])
  })
})

describe("a location that is not published to everyone", () => {
  const hidden = withSite({ publish: false, publishAllowedTo })

  it("is not shown where that cannot be expressed, if it never was published to everyone", () => {
    const location = made(hidden)
    expect(location.details).toEqual({ publish: false, publishAllowedTo })
    expect(asForEverybody(location)).toBeUndefined()
    expect(dueOf(location, hidden, now)).toBeUndefined()
  })

  it("is shown there as removed for ninety days if it was, without any later change to it", () => {
    const shown = made(sources)
    expect(asForEverybody(shown)).toBe(shown)
    const after = made(hidden, shown, now + minute)
    const busy = made({ ...hidden, chargers: [{ ...charger, connected: false }] }, after, now + day)
    expect(busy.lastUpdated).toBe(now + day)
    const gone = asForEverybody(busy)
    expect(gone?.lastUpdated).toBe(now + minute)
    expect(gone?.evses.map(({ evseId, lastUpdated, status }) => [evseId, status, lastUpdated])).toEqual([
      ["NL*ABC*E000001", "REMOVED", now + minute],
      ["NL*ABC*E000002", "REMOVED", now + minute]
    ])
    const end = now + minute + removedShownDays * day
    expect(dueOf(busy, hidden, now + day)).toBe(end)
    expect(asForEverybody(made(hidden, busy, end - 1))).toBeDefined()
    const forgotten = made(hidden, busy, end)
    expect(asForEverybody(forgotten)).toBeUndefined()
    // It is published to everyone again.
    const back = made(sources, forgotten, end + day)
    expect(asForEverybody(back)).toBe(back)
    expect(back.lastUpdated).toBe(end + day)
  })
})
