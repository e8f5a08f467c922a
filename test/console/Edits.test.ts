/** What a form of the console sends when a thing is edited: the fields that were changed, and no others. */
import { describe, expect, it } from "vitest"
import { type CardFields, cardOf, fieldsOf, patchOf } from "../../console/src/pages/card/fields.ts"

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
