/** The public events of each fact in the journal, checked in full. */
import { describe, expect, it } from "vitest"
import { Schema } from "effect"
import { type Event, eventData, eventTypes, formatCursor, parseCursor } from "../../../src/domain/event/Event.ts"
import { behind, eventsOf, factTypesOf } from "../../../src/domain/event/EventsOf.ts"
import { eventsOfCharging } from "../../support/eventsOfCharging.ts"
import { eventsOfRecords } from "../../support/eventsOfRecords.ts"
import { fact, iso, start } from "../../support/placedFacts.ts"

const tables = [...eventsOfCharging, ...eventsOfRecords]

describe("An event", () => {
  it.each(tables)("has the expected type and data for %s", (_, of, expected) => {
    const events = eventsOf(of)
    expect(events.map(({ at: _at, id: _id, ...event }) => event)).toEqual(expected)
    for (const event of events) {
      expect(event.at).toBe(iso)
      Schema.decodeUnknownSync(eventData[event.type] as Schema.Codec<unknown, unknown>)(event.data)
    }
  })

  it.each([
    ["ApiKeyIssued", { after: { id: "k" } }],
    ["CommandIssued", { commandId: "c" }],
    ["TokenAuthorized", { tokenUid: "CARD" }],
    ["TokenAuthorized", { tokenUid: "CARD", authorization: start.authorization }],
    ["toString", {}],
    ["SessionEnded", { sessionId: 5 }],
    ["SessionEnded", null]
  ])("is not published for %s %j", (type, body) => {
    expect(eventsOf(fact(type, body))).toEqual([])
  })

  it("exists for every event type, and is found by a filter of its type", () => {
    const published = new Map<string, Set<string>>()
    for (const [, of] of tables) {
      for (const { type } of eventsOf(of)) published.set(type, (published.get(type) ?? new Set()).add(of.type))
    }
    expect([...published.keys()].toSorted()).toEqual([...eventTypes].toSorted())
    for (const type of eventTypes)
      expect(factTypesOf([type])).toEqual(expect.arrayContaining([...published.get(type)!]))
  })
})

describe("A cursor", () => {
  const several = eventsOf(fact("SessionStarted", { ...start, supersedes: ["s0"] }))

  it("is an event's id: the fact's position, with a number when the fact has several events", () => {
    expect(eventsOf(fact("SessionStarted", start)).map(({ id }) => id)).toEqual(["41"])
    expect(several.map(({ id }) => id)).toEqual(["41.01", "41.02", "41.03"])
    for (const { id } of several) expect(formatCursor(parseCursor(id)!)).toBe(id)
  })

  it("leaves the events after it", () => {
    const left = (cursor: string): ReadonlyArray<Event["id"]> =>
      behind(several, 41, parseCursor(cursor)!).map(({ id }) => id)
    expect(left("40")).toEqual(["41.01", "41.02", "41.03"])
    expect(left("41.01")).toEqual(["41.02", "41.03"])
    expect(left("41.03")).toEqual([])
    expect(left("41")).toEqual([])
    expect(left("42")).toEqual([])
  })

  it.each(["", "-1", "01", "1.1", "1.001", "1e3", "99999999999999999", " 1", "x"])("is not %j", (text) => {
    expect(parseCursor(text)).toBeUndefined()
  })
})
