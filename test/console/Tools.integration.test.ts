/** Previews for an operator in a real browser: the week and an example price of a tariff, and a credit before it is issued. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("an operator who previews prices", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const dark: Screen = { ...desk, scheme: "dark" }
  const screens: ReadonlyArray<readonly [string, Screen]> = [
    ["at a desk", desk],
    ["in the dark theme", dark],
    ["on a phone", phone]
  ]

  it.each(screens)(
    "sees the week of a tariff, when energy is free, and the price of an example session, %s",
    async (_, screen) => {
      const energy = (price: number) => [{ type: "ENERGY", price, stepSize: 1 }]
      const { id } = await place.service.ask("POST", "tariffs", {
        currency: "EUR",
        elements: [
          { priceComponents: energy(0.25), restrictions: { startTime: "22:00", endTime: "06:00" } },
          { priceComponents: energy(0.39), restrictions: { startTime: "08:00", endTime: "22:00" } },
          {
            priceComponents: energy(0.5),
            restrictions: { dayOfWeek: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"] }
          }
        ]
      })
      const visitor = await Visitor.signedIn(place, screen)
      const { page } = visitor
      await page.goto(`/tariffs/${String(id)}`)
      await page.locator(".week-legend li").first().waitFor()
      expect(await page.locator(".week-legend li").allInnerTexts()).toEqual([
        expect.stringContaining("Energy 0.25 EUR/kWh"),
        expect.stringContaining("Energy 0.5 EUR/kWh"),
        expect.stringContaining("Energy 0.39 EUR/kWh"),
        expect.stringContaining("Energy free")
      ])
      expect(await page.locator(".week svg").count()).toBe(7)
      await page.getByText("Nothing fits Sun 06:00–08:00: Energy is free then.").waitFor()
      await page.getByText("As a table").click()
      await page.getByRole("row", { name: "Sun 06:00–08:00 Energy free" }).waitFor()
      // Sunday from seven to nine: an hour that is free, then ten kWh at 0.39.
      const example = page.getByRole("region", { name: "Example" })
      await example.getByLabel("Starts").fill("2026-11-22T07:00")
      await example.getByLabel("Charging (min)").fill("120")
      await example.getByLabel("Energy (kWh)").fill("20")
      await example.getByLabel("Then parked (min)").fill("0")
      await example.getByLabel("Then parked (min)").press("Enter")
      await example.getByText("EUR 3.90").first().waitFor()
      expect(await visitor.axe()).toEqual([])
      expect(await visitor.sideways()).toBe(0)
      await visitor.context.close()
      expect(visitor.problems).toEqual([])
    },
    60_000
  )

  it.each([screens[0]!, screens[2]!])(
    "sees the totals of a record and its credit before the credit is issued, %s",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const { page } = visitor
      await page.goto("/cdrs")
      await page.locator(".line").filter({ hasNotText: "credit" }).first().locator(".row-link").click()
      await page.getByRole("button", { name: "Credit this record" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.locator("tfoot b").nth(1).waitFor()
      const [billed = "", credited = ""] = await dialog.locator("tfoot b").allInnerTexts()
      expect(credited.replaceAll(/[-\u2212]/g, "")).toBe(billed)
      expect(credited).not.toBe(billed)
      expect(await visitor.axe()).toEqual([])
      expect(await visitor.sideways()).toBe(0)
      await dialog.getByRole("button", { name: "Cancel" }).click()
      // The preview issued nothing.
      expect(await page.getByRole("button", { name: "Credit this record" }).isEnabled()).toBe(true)
      await visitor.context.close()
      expect(visitor.problems).toEqual([])
    },
    60_000
  )
})
