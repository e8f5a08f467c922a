/** Editing in a real browser: a form changes what was typed into it, and nothing that it cannot show or that changed meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, visiting } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("an edit", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const ask = (method: string, path: string, body?: Json) => place.service.ask(method, path, body)

  it("of a card's note leaves the card expired, with the hour of its expiry", async () => {
    const uid = "EDITED-1"
    await ask("POST", "tokens", { uid, status: "Expired", note: "pool car", expiresAt: "2026-11-30T18:00:00.000Z" })
    const { end, page } = await visiting(place, desk)
    await page.goto(`/cards/${uid}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Note").fill("pool car 2")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await ask("GET", `tokens/${uid}`)).toMatchObject({
      note: "pool car 2",
      status: "Expired",
      expiresAt: "2026-11-30T18:00:00.000Z"
    })
    await end()
  }, 60_000)

  it("of a card's note keeps a block that another operator made while the form was open", async () => {
    const uid = "EDITED-2"
    await ask("POST", "tokens", { uid, note: "pool car" })
    const { end, page } = await visiting(place, desk)
    await page.goto(`/cards/${uid}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await ask("PATCH", `tokens/${uid}`, { status: "Blocked" })
    // The page behind the dialog has the new state.
    await page.locator(".side .pill", { hasText: "Blocked" }).first().waitFor()
    await dialog.getByLabel("Note").fill("stolen")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await ask("GET", `tokens/${uid}`)).toMatchObject({ note: "stolen", status: "Blocked" })
    await end()
  }, 60_000)

  it("of a tariff's price keeps its texts in all languages", async () => {
    const tariffAltText = [
      { language: "sv", text: "Dagtaxa" },
      { language: "en", text: "Day" },
      { language: "de", text: "Tag" }
    ]
    const { id } = await ask("POST", "tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [{ type: "ENERGY", price: 0.4, stepSize: 1 }] }],
      tariffAltText
    })
    const { end, page } = await visiting(place, desk)
    const save = async (label: string, value: string) => {
      await page.goto(`/tariffs/${String(id)}`)
      await page.getByRole("button", { name: "New version" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel(label).fill(value)
      await dialog.getByRole("button", { name: "Save as a new version" }).click()
      await dialog.waitFor({ state: "detached" })
      return await ask("GET", `tariffs/${String(id)}`)
    }
    const priced = await save("Price (EUR/kWh)", "0.5")
    expect(priced).toMatchObject({ version: 2, elements: [{ priceComponents: [{ price: 0.5 }] }], tariffAltText })
    const named = await save("Name", "Ny dagtaxa")
    expect(named["tariffAltText"]).toEqual([{ language: "sv", text: "Ny dagtaxa" }, ...tariffAltText.slice(1)])
    await end()
  }, 60_000)

  it("of a charger's name leaves the charger at its site, also if the site is on no page of the list", async () => {
    const { id: other } = await ask("POST", "sites", { name: "Another site", timeZone: "Europe/Stockholm" })
    const { items } = await ask("GET", "charger-rows")
    const { chargerId, siteId } = (items as ReadonlyArray<Json>)[0]!
    const sites = (await ask("GET", "sites"))["items"] as ReadonlyArray<Json>
    const first = sites.filter(({ id }) => id === other)
    const second = sites.filter(({ id }) => id !== other && id !== siteId)
    const { end, page } = await visiting(place, desk)
    await page.route(/\/v2\/sites\?/, (route) =>
      route.fulfill({
        json: route.request().url().includes("cursor=")
          ? { items: second, nextCursor: null }
          : { items: first, nextCursor: "second" }
      })
    )
    await page.goto(`/chargers/${String(chargerId)}?tab=security`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const dialog = page.getByRole("dialog")
    const choice = dialog.getByLabel("Site")
    expect(await choice.inputValue()).toBe(siteId)
    expect(await choice.locator("option").count()).toBe(sites.length)
    await dialog.getByLabel("Name").fill("Renamed")
    const sent = page.waitForRequest((request) => request.method() === "PATCH")
    await dialog.getByRole("button", { name: "Save" }).click()
    expect((await sent).postDataJSON()).toEqual({ name: "Renamed" })
    await dialog.waitFor({ state: "detached" })
    expect(await ask("GET", `chargers/${String(chargerId)}`)).toMatchObject({ name: "Renamed", siteId })
    await end()
  }, 60_000)
})
