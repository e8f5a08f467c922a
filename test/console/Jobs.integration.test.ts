/** An operator's main jobs in a real browser: by mouse, by keyboard and on a phone, with a third-party charger connected. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, phone, type Screen, type Town, town, uncredited, visiting } from "./browser.ts"
import { Station } from "./station.ts"

/** Presses the keys one after the other, where the focus is. */
const press = async (page: Page, ...keys: ReadonlyArray<string>): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

/** Uses the palette: types words, and presses Enter. */
const jump = async (page: Page, words: string): Promise<void> => {
  await press(page, "Control+k")
  await page.getByRole("combobox").fill(words)
  await page.getByRole("option").first().waitFor()
  await press(page, "Enter")
}

describe.skipIf(!canBrowse)("an operator", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(4)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const signedIn = (screen: Screen) => visiting(place, screen)

  const screens: ReadonlyArray<readonly [string, Screen]> = [
    ["at a desk", desk],
    ["on a phone", phone]
  ]

  it.each(screens)(
    "adds a charger, sees it connect, and starts and stops a charge, %s",
    async (where, screen) => {
      const { end, page } = await signedIn(screen)
      const id = `VL-${where.length}`
      await page.goto("/chargers")
      await page.getByRole("button", { name: "Add charger" }).first().click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill("Quay 1")
      await dialog.getByLabel("Charger id").fill(id)
      await dialog.getByRole("button", { name: "Add charger" }).click()
      const password = await dialog.locator("dd code").nth(1).innerText()
      expect(await dialog.locator("dd code").first().innerText()).toBe(`${place.service.ocppUrl}/${id}`)
      const station = new Station(place.service.ocppUrl, id, password)
      await station.start()
      await dialog.locator(".steps .done", { hasText: "reported its connectors" }).waitFor()
      await dialog.getByRole("link", { name: "Open the charger" }).click()
      await page.getByRole("button", { name: "Start…" }).click()
      await page.getByRole("dialog").getByLabel("Card").fill(place.built.cards[0]!.uid)
      await page.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click()
      // The command's status changes from sent to done by itself.
      await page.locator(".command.is-done", { hasText: "Start" }).waitFor()
      await page.locator(".side .now-charging").waitFor()
      await page.locator(".commands").getByRole("button", { name: "Dismiss" }).first().click()
      await page.getByRole("button", { name: "Stop…" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click()
      await page.locator(".side .now-charging").waitFor({ state: "detached" })
      await page.locator(".log", { hasText: "StopTransaction" }).waitFor()
      await station.stop()
      await page.locator(".side").getByText("Offline").first().waitFor()
      await end()
    },
    90_000
  )

  it("finds a charger and starts and stops a charge on it by keyboard", async () => {
    const { end, page } = await signedIn(desk)
    const id = "VL-KEYS"
    const made = await place.service.ask("POST", "chargers", {
      name: "Quay keys",
      chargerId: id,
      securityProfile: 1,
      generatePassword: true
    })
    const station = new Station(place.service.ocppUrl, id, String(made["password"]))
    await station.start()
    await jump(page, "quay keys")
    await page.locator(".side h1", { hasText: "Quay keys" }).waitFor()
    await page.locator(".side .plugs").waitFor()
    await press(page, "s")
    await page.getByRole("dialog").getByLabel("Card").waitFor()
    await page.keyboard.type(place.built.cards[1]!.uid)
    await press(page, "Enter")
    await page.locator(".side .now-charging").waitFor()
    await press(page, "s")
    await page.getByRole("dialog").waitFor()
    await press(page, "Tab", "Tab", "Tab", "Tab")
    await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).focus()
    await press(page, "Enter")
    await page.locator(".side .now-charging").waitFor({ state: "detached" })
    await press(page, "Escape")
    await page.locator(".side").waitFor({ state: "detached" })
    expect(new URL(page.url()).pathname).toBe("/chargers")
    await station.stop()
    await end()
  }, 60_000)

  it.each(screens)(
    "sees why a session costs what it costs, and credits its record, %s",
    async (_, screen) => {
      const { end, page } = await signedIn(screen)
      const id = await uncredited(place)
      await page.goto("/cdrs")
      await page.locator(`.row-link[href^="/cdrs/${id}"]`).click()
      await page.locator(".price tbody tr").first().waitFor()
      const title = await page.locator(".side h1").innerText()
      const total = await page.locator(".price tfoot b").innerText()
      expect(title.replace(/\s/g, " ")).toContain(total.replace(/\s/g, " "))
      await page.getByRole("button", { name: "Credit this record" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Credit this record" }).click()
      await page.getByText("This is a credit: it takes another record back.").waitFor()
      expect(await page.locator(".side h1").innerText()).toMatch(/[-−]/)
      await end()
    },
    60_000
  )

  it.each(screens)(
    "invites a partner with a token that is shown once, %s",
    async (where, screen) => {
      const { end, page } = await signedIn(screen)
      await page.goto("/roaming")
      await page.getByRole("button", { name: "Add partner" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill(`Partner ${where}`)
      await dialog.getByLabel("Country code").fill("NL")
      await dialog.getByLabel("Party id").fill(where === "at a desk" ? "ABC" : "ABD")
      await dialog.getByRole("button", { name: "Add partner" }).click()
      await dialog.locator("dd code").first().waitFor()
      const codes = await dialog.locator("dd code").allInnerTexts()
      expect(codes[0]).toMatch(/\/ocpi\/versions|\/ocpi/)
      expect(codes[1]?.length).toBeGreaterThan(20)
      await dialog.getByRole("button", { name: "Done" }).click()
      await page
        .locator(".line", { hasText: `Partner ${where}` })
        .getByText("Invited")
        .waitFor()
      await end()
    },
    60_000
  )

  it.each(screens)(
    "creates an API key that works, and revokes it, %s",
    async (where, screen) => {
      const { end, page } = await signedIn(screen)
      await jump(page, "api key")
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill(`Script ${where}`)
      await dialog.getByLabel("chargers:read").check()
      await dialog.getByRole("button", { name: "Add API key" }).click()
      const key = await dialog.locator(".secret").innerText()
      const ask = () => fetch(`${place.service.url}/cpo/v2/chargers`, { headers: { "x-api-key": key } })
      expect((await ask()).status).toBe(200)
      expect(await dialog.locator("pre").innerText()).toContain(`${place.service.url}/cpo/v2/chargers`)
      await dialog.getByRole("button", { name: "Close" }).click()
      await page
        .locator("li", { hasText: `Script ${where}` })
        .getByRole("button", { name: "Revoke" })
        .click()
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
      await page
        .locator("li", { hasText: `Script ${where}` })
        .getByText("revoked")
        .waitFor()
      expect((await ask()).status).toBe(401)
      await end()
    },
    60_000
  )

  it("finds out why a card may not charge", async () => {
    const { end, page } = await signedIn(desk)
    await page.goto(`/cards/${place.built.cards[2]!.uid}`)
    await page.getByText("It may charge").waitFor()
    await page.getByRole("button", { name: "Block" }).click()
    // The page updates by itself: the change is an event.
    await page.getByText("It may not: Blocked").waitFor()
    expect(await page.locator(".checks .trouble").count()).toBeGreaterThan(0)
    await end()
  }, 60_000)
})
