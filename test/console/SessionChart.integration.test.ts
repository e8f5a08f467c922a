/** The chart of a session: power and energy, limits as a dashed step, the periods of the tariff behind them, and one key to see the figures. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

type Json = Readonly<Record<string, unknown>>

const minute = 60_000

describe.skipIf(!canBrowse)("the chart of a session", () => {
  let place: Town
  const stations: Array<Station> = []
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(async () => {
    for (const station of stations) await station.stop()
    await place[Symbol.asyncDispose]()
  })

  const items = async (path: string) => (await place.service.ask("GET", path))["items"] as ReadonlyArray<Json>

  /** A session that began 40 minutes ago, with a reading every ten minutes. */
  const charged = async (chargerId: string, offered: (reading: number) => ReadonlyArray<object>) => {
    const charger = { name: chargerId, chargerId, securityProfile: 1, generatePassword: true }
    const made = await place.service.ask("POST", "chargers", charger)
    const station = new Station(place.service.ocppUrl, chargerId, String(made["password"]))
    stations.push(station)
    await station.start()
    const began = Date.now() - 40 * minute
    await station.begin(String((await items("tokens?limit=1"))[0]?.["uid"]), new Date(began))
    for (let n = 1; n <= 4; n++) await station.meter(new Date(began + n * 10 * minute), n * 500, ...offered(n))
    let session: Json | undefined
    await until(
      () => `the session of ${chargerId} has its readings`,
      20_000,
      async () => {
        session = (await items(`sessions?chargerId=${chargerId}`))[0]
        return session?.["energyWh"] === 5_000
      }
    )
    return { station, id: String(session?.["id"]) }
  }

  const look = async (screen: Screen, id: string) => {
    const visitor = await Visitor.signedIn(place, screen)
    await visitor.page.goto(`/sessions/${id}?tab=energy`)
    await visitor.page.locator(".chart-line").nth(1).waitFor()
    return visitor
  }

  const done = async (visitor: Visitor) => {
    expect(await visitor.axe()).toEqual([])
    expect(await visitor.sideways()).toBe(0)
    await visitor.context.close()
    expect(visitor.problems).toEqual([])
  }

  it("shows what the charger offered as a dashed step, also after the session has ended", async () => {
    const { id, station } = await charged("OFFERED-1", (n) => [
      { value: n < 3 ? "11000" : "3.7", measurand: "Power.Offered", unit: n < 3 ? "W" : "kW" }
    ])
    for (const screen of [desk, phone]) {
      if (screen === phone) await station.end()
      const visitor = await look(screen, id)
      const { page } = visitor
      const limit = page.locator(".chart-limit")
      await page
        .getByText("Dashed: what the charger offered to the vehicle, as it reported it (Power.Offered).")
        .waitFor()
      // One step down, and on to the end.
      expect(await limit.getAttribute("d")).toMatch(/^M[\d.]+ [\d.]+H[\d.]+V[\d.]+H[\d.]+$/)
      expect(
        await page.evaluate<string>("getComputedStyle(document.querySelector('.chart-limit')).strokeDasharray")
      ).not.toBe("none")
      // The town's tariff has one price at this time or several: each has a band, which is described below the chart.
      await page.locator(".chart-parts li").first().waitFor()
      const bands = await page.locator(".chart-parts li").allInnerTexts()
      for (const band of bands) expect(band).toMatch(/ – .+ · Element \d+ · [\d.]+ [A-Z]{3}\/kWh$/)
      expect(await page.locator(".chart").first().locator(".chart-part").count()).toBe(bands.length)
      // One key shows the figures, and the same key shows the chart again.
      await page.keyboard.press("t")
      const rows = page.locator(".chart-table tbody tr")
      await rows.first().waitFor()
      const cells = await page.evaluate<ReadonlyArray<ReadonlyArray<string>>>(
        "[...document.querySelectorAll('.chart-table tbody tr')].map((row) => [...row.querySelectorAll('td.num')].map((cell) => cell.textContent))"
      )
      expect(cells).toEqual(
        [
          ["3 kW", "11 kW"],
          ["6 kW", "11 kW"],
          ["9 kW", "3.7 kW"],
          ["12 kW", "3.7 kW"]
        ].slice(0, cells.length)
      )
      expect(cells.length).toBeGreaterThanOrEqual(3)
      await page.keyboard.press("t")
      await page.locator(".chart-line").nth(1).waitFor()
      await done(visitor)
    }
  }, 120_000)

  it("shows the limit of the profiles in force from now on, and says so when it shows no limit", async () => {
    const { id, station } = await charged("PLANNED-1", () => [])
    const visitor = await look(desk, id)
    const { page } = visitor
    await page.getByText("No limit is drawn: the charger does not report what it offers").waitFor()
    expect(await page.locator(".chart-limit").count()).toBe(0)
    await place.service.ask("POST", "chargers/PLANNED-1/commands?wait=20", {
      type: "SetChargingProfile",
      connectorId: 1,
      csChargingProfiles: {
        chargingProfileId: 1,
        stackLevel: 0,
        chargingProfilePurpose: "TxDefaultProfile",
        chargingProfileKind: "Absolute",
        chargingSchedule: {
          chargingRateUnit: "W",
          startSchedule: new Date().toISOString(),
          chargingSchedulePeriod: [
            { startPeriod: 0, limit: 9000 },
            { startPeriod: 300, limit: 4000 }
          ]
        }
      }
    })
    // The command's event makes the page load the profiles in force.
    await page
      .getByText("Dashed, from now on: what the charging profiles in force come to.")
      .waitFor({ timeout: 20_000 })
    expect(await page.locator(".chart-limit").getAttribute("d")).toMatch(/^M[\d.]+ [\d.]+H[\d.]+V[\d.]+H600\.0$/)
    // It begins where the readings end.
    const begins = Number(/^M([\d.]+)/.exec((await page.locator(".chart-limit").getAttribute("d")) ?? "")?.[1])
    expect(begins).toBeGreaterThan(300)
    await done(visitor)
    await station.end()
    const secondVisit = await look(desk, id)
    await secondVisit.page.getByText("No limit is drawn").waitFor()
    await done(secondVisit)
  }, 120_000)
})
