/** A saved view in a real browser: saved in the menu of a list, opened from the menu and from the palette. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("a view", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("is saved with its filters, opened from the menu and from the palette, and removed", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    await page.goto("/chargers?is=available&q=site%3Aa")
    await page.getByText("Views", { exact: true }).click()
    await page.getByRole("button", { name: "Keep this view…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Free ones")
    await dialog.getByRole("button", { name: "Keep this view" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.goto("/chargers")
    await page.getByText("Views", { exact: true }).click()
    await page.getByRole("link", { name: "Free ones" }).click()
    await page.waitForURL(/is=available/)
    expect(new URL(page.url()).searchParams.get("q")).toBe("site:a")
    await page.goto("/tariffs")
    await page.getByRole("heading", { name: "Tariffs" }).waitFor()
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill("free ones")
    await page
      .getByRole("option", { name: /Free ones/ })
      .first()
      .waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/chargers\?.*is=available/)
    await page.getByText("Views", { exact: true }).click()
    expect(await visitor.axe()).toEqual([])
    await page.getByRole("button", { name: "Remove Free ones" }).click()
    await page.getByText("No views of this list yet").waitFor()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
