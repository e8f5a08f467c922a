/** What a form of the console sends when a thing is edited: the fields that were changed, and no others. */
import { describe, expect, it } from "vitest"
import { type CardFields, cardOf, fieldsOf, patchOf } from "../../console/src/pages/card/fields.ts"
import { siteOptions } from "../../console/src/pages/charger/siteOptions.ts"
import { textsOf } from "../../console/src/pages/tariff/texts.ts"

describe("an edited card", () => {
  const card = {
    type: "RFID",
    status: "Expired",
    note: "pool car",
    visualNumber: null,
    parentUid: null,
    expiresAt: "2026-11-30T18:00:00.000Z"
  } as const
  const expired = fieldsOf(card)
  const sent = (typed: Partial<CardFields>, shown = expired) => patchOf(shown, { ...shown, ...typed })

  it("stays expired, and keeps the hour of its expiry, if only its note was changed", () => {
    expect(sent({ note: "pool car 2" })).toEqual({ note: "pool car 2" })
  })

  it("is blocked by the box, and accepted if a blocked card's box is cleared", () => {
    expect(sent({ isBlocked: true })).toEqual({ status: "Blocked" })
    expect(sent({ isBlocked: false }, fieldsOf({ ...card, status: "Blocked" }))).toEqual({ status: "Accepted" })
  })

  it("gets the day of expiry that was chosen, or none if the day was cleared", () => {
    expect(sent({ expiresOn: "2027-01-31" })).toEqual({ expiresAt: "2027-01-31T00:00:00.000Z" })
    expect(sent({ expiresOn: "" })).toEqual({ expiresAt: null })
  })

  it("loses what was cleared", () => {
    expect(sent({ note: " " })).toEqual({ note: null })
  })

  it("that is new is sent whole", () => {
    expect(cardOf({ ...fieldsOf(undefined), note: "guest" })).toEqual({
      type: "RFID",
      status: "Accepted",
      note: "guest",
      visualNumber: null,
      parentUid: null,
      expiresAt: null
    })
  })
})

describe("the texts of an edited tariff", () => {
  const day = [
    { language: "sv", text: "Dagtaxa" },
    { language: "de", text: "Tag" }
  ]

  it("are not sent if the name was not changed, or was cleared", () => {
    expect(textsOf(day, "Dagtaxa")).toBe(undefined)
    expect(textsOf(day, "")).toBe(undefined)
  })

  it("are all kept if the name was changed, and the name stays in its language", () => {
    expect(textsOf(day, "Ny taxa")).toEqual([{ language: "sv", text: "Ny taxa" }, day[1]])
  })

  it("begin with an English one", () => {
    expect(textsOf([], "Day")).toEqual([{ language: "en", text: "Day" }])
  })
})

describe("the sites to choose from", () => {
  const harbour = { id: "s1", name: "Harbour" }
  const quay = { id: "s510", name: "Quay" }
  const optionsFor = (own: typeof harbour) => siteOptions([harbour], own).map(([id]) => id)

  it("include the charger's own, even if it is not in the list", () => {
    expect(optionsFor(harbour)).toEqual(["s1"])
    expect(optionsFor(quay)).toEqual(["s510", "s1"])
  })
})
