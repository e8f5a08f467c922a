/** What the journal stores of a change of a record: what differs, what identifies the record, and nothing else. */
import { expect, it } from "vitest"
import { recordMaxLength, storedBody } from "../../../src/domain/event/RecordDifference.ts"

const changed = (before: object, after: object) => {
  const { after: fresh, before: old } = storedBody("SiteChanged", { by: "key:1", before, after }) as Record<
    string,
    Record<string, unknown>
  >
  return { old, fresh }
}

it("A change stores only the fields that differ, and those that identify the record", () => {
  const site = { id: "1", name: "A", city: "Kiruna", details: { images: [{ url: "u" }], directions: "left" } }
  const { fresh, old } = changed(site, { ...site, details: { ...site.details, directions: "right" }, updatedAt: 2 })
  expect(old).toEqual({ id: "1", name: "A", details: { directions: "left" } })
  expect(fresh).toEqual({ id: "1", name: "A", details: { directions: "right" }, updatedAt: 2 })
})

it("A field that was added or removed is on one side only", () => {
  const { fresh, old } = changed({ uid: "C", note: "old" }, { uid: "C", city: "new" })
  expect([old, fresh]).toEqual([
    { uid: "C", note: "old" },
    { uid: "C", city: "new" }
  ])
})

it("Of a list whose elements have ids, a change stores those that differ, each with its id and what differs of it", () => {
  const equipment = Array.from({ length: 50 }, (_, n) => ({
    evseId: n + 1,
    connectorId: 1,
    powerW: 11_000,
    label: "x"
  }))
  const after = equipment.map((one) => (one.evseId === 7 ? { ...one, powerW: 22_000 } : one)).slice(0, 49)
  expect(changed({ chargerId: "CP", equipment }, { chargerId: "CP", equipment: after })).toEqual({
    old: { chargerId: "CP", equipment: [{ evseId: 7, connectorId: 1, powerW: 11_000 }, equipment[49]] },
    fresh: { chargerId: "CP", equipment: [{ evseId: 7, connectorId: 1, powerW: 22_000 }] }
  })
  const keys = [
    { key: "HeartbeatInterval", value: "300" },
    { key: "LightIntensity", value: "50" }
  ]
  const reversed = keys.toReversed()
  expect(changed({ keys }, { keys: reversed })).toEqual({ old: { keys }, fresh: { keys: reversed } })
})

it("Of a list whose elements have no ids, it stores those between the first and the last that differ", () => {
  const element = (price: number) => ({ priceComponents: [{ type: "ENERGY", price }] })
  const elements = [1, 2, 3, 4].map(element)
  const after = [element(1), element(9), element(8), element(3), element(4)]
  expect(changed({ id: "t", version: 1, elements }, { id: "t", version: 2, elements: after })).toEqual({
    old: { id: "t", version: 1, elements: [element(2)] },
    fresh: { id: "t", version: 2, elements: [element(9), element(8)] }
  })
})

it("A list of texts is stored as a whole, so that it can be read", () => {
  expect(changed({ id: "r", permissions: ["a", "b"] }, { id: "r", permissions: ["a"] })).toEqual({
    old: { id: "r", permissions: ["a", "b"] },
    fresh: { id: "r", permissions: ["a"] }
  })
})

it("A record that is created or removed is stored as a whole, up to a length; then its longest fields are cut", () => {
  const after = { id: "1", name: "A", city: "Kiruna" }
  expect(storedBody("SiteCreated", { by: "key:1", after })).toEqual({ by: "key:1", after })
  const long = "x".repeat(recordMaxLength)
  expect(storedBody("SiteRemoved", { by: "key:1", before: { ...after, details: long } })).toEqual({
    by: "key:1",
    before: { ...after, details: `… (${recordMaxLength + 2} characters)` }
  })
})

it("Facts of sessions and records, and those without an author, are stored as they are", () => {
  const correction = { by: "key:1", before: { sessionId: "s", energyWh: 1 }, after: { sessionId: "s", energyWh: 1 } }
  expect(storedBody("SessionCorrected", correction)).toBe(correction)
  const boot = { vendor: "V" }
  expect(storedBody("ChargerBooted", boot)).toBe(boot)
})
