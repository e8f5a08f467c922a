/** What a start's fact says was chosen for it, by what was known when it was decided. */
import { describe, expect, it } from "vitest"
import { at, evse, minute, started, token } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const service = () => {
  const made = new ModelService()
  made.journal.tokens.set("anna", token("Anna"))
  return made
}

describe("the tariff of a start", () => {
  const valid = { startsAt: minute(10), endsAt: minute(20) }
  const none = { startsAt: undefined, endsAt: undefined }
  const tariffs = [
    { tariffId: "wide", version: 3, assignment: { scope: "organisation" as const }, ...none },
    {
      tariffId: "narrow",
      version: 7,
      assignment: { scope: "connector" as const, chargerId: "CP-1", ...evse(2) },
      ...valid
    }
  ]

  it("is that of its connector at the time that it began, with its version and the site's time zone", () => {
    const made = service()
    made.journal.start = { ...made.journal.start, timeZone: "Europe/Berlin", tariffs }
    const charger = made.charger({ chargerId: "CP-1" })
    const tariffAt = (evseId: number, time: number) => {
      charger.now = minute(30)
      charger.start(started({ place: evse(evseId), time: at(minute(time)) }))
      return charger.sessions.at(-1)?.start.body.tariff
    }
    const wide = { tariffId: "wide", version: 3, timeZone: "Europe/Berlin" }
    expect(tariffAt(2, 15)).toEqual({ tariffId: "narrow", version: 7, timeZone: "Europe/Berlin" })
    expect(tariffAt(2, 20)).toEqual(wide)
    expect(tariffAt(1, 15)).toEqual(wide)
  })

  it("is also that of a start whose card was refused, and none where none is assigned", () => {
    const made = service()
    const charger = made.charger({ chargerId: "CP-1" })
    charger.start(started())
    made.journal.start = { ...made.journal.start, tariffs }
    charger.start(started({ tokenUid: "STRANGER", time: at(minute(5)), meterStartWh: 5 }))
    expect(charger.sessions.map(({ start }) => start.body.tariff?.tariffId)).toEqual([undefined, "wide"])
  })
})
