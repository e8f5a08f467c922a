/** The share of time in which connectors were available, in the browser: of a charger as it changes, of a site, and of very many connectors. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, firstOf, phone, type Town, town, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

describe.skipIf(!canBrowse)("the availability of connectors", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("is shown on the page of a charger, and falls after the charger reports a fault", async () => {
    const made = await place.service.ask("POST", "chargers", {
      name: "Share 1",
      chargerId: "SHARE-1",
      securityProfile: 1,
      generatePassword: true
    })
    const station = new Station(place.service.ocppUrl, "SHARE-1", String(made["password"]))
    await station.start()
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.goto("/chargers/SHARE-1")
    const share = page.locator(".side .spark svg")
    await share.and(page.locator('[aria-label*=" 100.0 %"]')).waitFor({ timeout: 20_000 })
    expect(await share.getAttribute("aria-label")).toBe("Available, last 24 hours · 100.0 %")
    // Loaded again with an event, and not by the clock: the charger goes on reporting until a fault has lasted for a second.
    let isFaulted = false
    await expect
      .poll(
        async () => {
          isFaulted = !isFaulted
          await station.status(isFaulted ? "Faulted" : "Charging", isFaulted ? "GroundFailure" : "NoError")
          return share.getAttribute("aria-label")
        },
        { timeout: 20_000, interval: 1_200 }
      )
      .not.toContain(" 100.0 %")
    expect(await share.locator("rect").count()).toBe(24)
    await station.stop()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  const points = (days: number) =>
    Array.from({ length: days }, (_, n) => ({
      at: new Date(Date.UTC(2026, 9, 1 + n)).toISOString(),
      value: n === 0 ? null : n === 3 ? 71.25 : 99.999
    }))

  it.each([
    ["1440", desk],
    ["360", phone]
  ] as const)(
    "is shown as a bar for each day on the overview and at a site, with the lowest day in words, at %s px",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const { context, page, problems } = visitor
      await page.route("**/statistics/series?*availability*", async (route) => {
        const asked = new URL(route.request().url()).searchParams
        const days = Math.round((Date.parse(asked.get("to")!) - Date.parse(asked.get("from")!)) / 86_400_000)
        await route.fulfill({
          json: {
            metric: "availability",
            unit: "percent",
            step: asked.get("step"),
            from: asked.get("from"),
            to: asked.get("to"),
            points: points(days),
            overall: 98.999
          }
        })
      })
      for (const path of ["/", `/sites/${await firstOf(place, "sites")}`]) {
        await page.goto(path)
        const share = page.locator(".spark").last()
        await share.waitFor()
        // Never rounded up: 98.999 is not 99.
        expect(await share.locator("b").innerText()).toBe("98.9 %")
        expect(await share.innerText()).toMatch(/lowest 71\.2 %, from .*Oct/)
        expect(await share.locator("rect").count()).toBe(30)
        expect(await share.locator("rect.spark-low").count()).toBe(1)
        expect(await share.locator("rect").nth(5).locator("title").textContent()).toMatch(/ 99\.9 %$/)
        expect(await share.locator("rect").first().locator("title").textContent()).toMatch(/not known yet$/)
        expect(await visitor.sideways()).toBeLessThanOrEqual(0)
        expect(await visitor.axe()).toEqual([])
      }
      await context.close()
      expect(problems).toEqual([])
    },
    60_000
  )

  it("is shown for seven days if the service refuses a month of so many connectors", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    const asked: Array<number> = []
    await page.route("**/statistics/series?*availability*", async (route) => {
      const { searchParams } = new URL(route.request().url())
      const days = Math.round((Date.now() - Date.parse(searchParams.get("from")!)) / 86_400_000)
      asked.push(days)
      if (days < 8) return route.continue()
      await route.fulfill({
        status: 400,
        json: { code: "invalid_input", detail: "no", errors: [{ pointer: "/from", detail: "begins a range" }] }
      })
    })
    await page.goto("/")
    await page.getByText("Available, last 7 days").waitFor()
    // Everything is loaded again once the stream is open, which on a busy machine is after the answers.
    expect(asked.length).toBeGreaterThanOrEqual(2)
    expect(asked).toEqual(asked.map((_, n) => (n % 2 === 0 ? 30 : 7)))
    await context.close()
    expect(problems.filter((problem) => !problem.includes("status of 400"))).toEqual([])
  }, 60_000)
})
