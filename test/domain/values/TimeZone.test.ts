/** Names of time zones are stored as the IANA database spells them, whatever the case of the letters in which they were given. */
import { describe, expect, it } from "vitest"
import { timeZoneSpelled } from "../../../src/domain/values/TimeZone.ts"

describe("the name of a time zone", () => {
  it("is spelled as in the database, for every zone that the runtime lists", () => {
    const wrong = Intl.supportedValuesOf("timeZone").flatMap((zone) =>
      [zone, zone.toLowerCase(), zone.toUpperCase()].filter((given) => timeZoneSpelled(given) !== zone)
    )
    expect(wrong).toEqual([])
  })

  it.each([
    "Asia/Kolkata",
    "Europe/Kyiv",
    "US/Pacific",
    "US/East-Indiana",
    "UTC",
    "Etc/UTC",
    "Etc/GMT+5",
    "Etc/GMT",
    "GMT",
    "EST5EDT",
    "Antarctica/McMurdo",
    "America/Argentina/ComodRivadavia",
    "America/Knox_IN",
    "W-SU",
    "NZ",
    "Etc/Universal",
    "Japan",
    "GB",
    "PRC"
  ])("stays itself if it is the alias %s", (zone) => {
    expect(timeZoneSpelled(zone.toLowerCase())).toBe(zone)
    expect(timeZoneSpelled(zone)).toBe(zone)
  })
})
