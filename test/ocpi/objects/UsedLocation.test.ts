/** The location within sessions and records of 2.1.1: all fields of a Location, with only the EVSE and connector that were used. */
import { describe, expect, it } from "vitest"
import type { ShownPlace } from "../../../src/domain/site/CdrLocation.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { evseDetails, terms } from "../../support/details.ts"
import { schemasOf } from "../schemas/Schemas.ts"
import { cdr, ids, place, session } from "./charged.ts"
import { details, operator, whole } from "./located.ts"

type Json = Readonly<Record<string, unknown>>

const { cdrs, location, sessions } = wireObjects["2.1.1"]

const shown: ShownPlace = {
  operator,
  timeZone: "Europe/Amsterdam",
  openingHours: { twentyfourseven: true },
  details,
  capabilities: ["RFID_READER", "CHARGING_PREFERENCES_CAPABLE"],
  evse: evseDetails,
  termsAndConditions: terms
}
const seen = { ...place, shown }

const first = (value: unknown): Json => (Array.isArray(value) ? ((value as ReadonlyArray<Json>)[0] ?? {}) : {})
const keysOf = (value: Json) => Object.keys(value).toSorted()

/** The fields of the location, its EVSE and its connector. */
const fieldsOf = (location: Json) => {
  const evse = first(location["evses"])
  return [keysOf(location), keysOf(evse), keysOf(first(evse["connectors"]))]
}

const expected = location.encode({
  ...whole,
  evses: whole.evses.map((evse) => ({
    ...evse,
    connectors: evse.connectors.map((connector) => ({ ...connector, tariffId: ids.tariff }))
  }))
}) as Json

const within: ReadonlyArray<readonly [string, Json]> = [
  ["session", sessions.encode({ ...session, place: seen })["location"] as Json],
  ["record", (cdrs.encode({ ...cdr, body: { ...cdr.body, place: seen } }) as Json)["location"] as Json]
]

describe.each(within)("the location of a %s in 2.1.1", (_, used) => {
  it("has every field of the Location, and no other EVSE", () => {
    expect(fieldsOf(used)).toEqual(fieldsOf(expected))
    for (const field of ["operator", "time_zone", "opening_times", "type", "energy_mix", "images", "facilities"]) {
      expect([field, used[field]]).toEqual([field, expected[field]])
    }
    expect(first(used["evses"])).toMatchObject({
      uid: ids.evse,
      capabilities: ["RFID_READER"],
      physical_reference: "Bay 12",
      connectors: [{ id: "2", tariff_id: ids.tariff, terms_and_conditions: terms }]
    })
  })
})

it("both fit the standard's tables", () => {
  expect(schemasOf["2.1.1"].Session(sessions.encode({ ...session, place: seen }), "session")).toEqual([])
  const record = cdrs.encode({ ...cdr, body: { ...cdr.body, place: seen } })
  expect(schemasOf["2.1.1"].CDR(record, "cdr")).toEqual([])
})
