/** A long log of a charger in the browser: only a few of its lines are in the document, and an opened line is still open after scrolling back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

describe.skipIf(!canBrowse)("the log of a charger", () => {
  let place: Town
  let station: Station
  beforeAll(async () => {
    place = await town(1)
    const charger = { name: "Log 1", chargerId: "LOG-1", securityProfile: 1, generatePassword: true }
    const made = await place.service.ask("POST", "chargers", charger)
    station = new Station(place.service.ocppUrl, "LOG-1", String(made["password"]))
    await station.start()
  })
  afterAll(async () => {
    await station.stop()
    await place[Symbol.asyncDispose]()
  })

  it("keeps at most 60 of 2,000 lines in the document, and neither moves nor closes lines while older ones are read", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    for (let n = 0; n < 20; n++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          station.status("Faulted", "OtherError", `m${String(n * 100 + i).padStart(4, "0")}x`)
        )
      )
    }
    await page.goto("/chargers/LOG-1")
    const lines = page.locator("ol.log > li")
    const newest = lines.filter({ hasText: "m1999x" })
    await newest.getByRole("button").press("Enter")
    await page.locator(".frames pre").first().waitFor()
    expect(await page.evaluate<string>("document.activeElement?.closest('li')?.textContent ?? ''")).toContain("m1999x")
    // Scrolls down to the oldest line, page after page; the number of drawn lines stays small.
    let most = 0
    await expect
      .poll(
        async () => {
          const [drawn = 0, all = 0] = await page.evaluate<ReadonlyArray<number>>(`(() => {
            const box = document.querySelector(".log-box")
            box.scrollTop = box.scrollHeight
            const lines = box.querySelectorAll("li")
            return [lines.length, Number(lines[0]?.getAttribute("aria-setsize"))]
          })()`)
          most = Math.max(most, drawn)
          return all
        },
        { timeout: 120_000, interval: 20 }
      )
      .toBeGreaterThanOrEqual(2_000)
    expect(most).toBeLessThanOrEqual(60)
    await page.getByRole("button", { name: "Follow", exact: true }).waitFor()
    // New lines do not move the old lines that are being read.
    const first = lines.nth(4)
    const before = await first.innerText()
    await station.status("Faulted", "OtherError", "m2000x")
    await until(
      () => "the service has the new frame",
      10_000,
      async () => JSON.stringify(await place.service.ask("GET", "chargers/LOG-1/messages?q=m2000x")).includes("m2000x")
    )
    expect(await first.innerText()).toBe(before)
    expect(await visitor.axe()).toEqual([])
    // Back at the top the line is still open; following again shows what arrived meanwhile.
    await page.evaluate("document.querySelector('.log-box').scrollTop = 0")
    await newest.locator(".frames pre").first().waitFor()
    await page.getByRole("button", { name: "Follow", exact: true }).click()
    await lines.filter({ hasText: "m2000x" }).waitFor()
    await context.close()
    expect(problems).toEqual([])
  }, 240_000)
})
