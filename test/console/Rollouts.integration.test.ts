/** Many chargers at once, in a real browser: a command for the selected ones, and firmware in waves until each charger runs it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, visiting } from "./browser.ts"

describe.skipIf(!canBrowse)("an operator", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(4)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const signedIn = () => visiting(place, desk)

  it("selects chargers, sends them a command, and sees the result of each", async () => {
    const { end, page } = await signedIn()
    await page.goto("/chargers")
    const boxes = page.getByRole("checkbox")
    for (let i = 0; i < 3; i++) await boxes.nth(i).check()
    await page.getByRole("toolbar").getByRole("button", { name: "Clear cache" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Send to 3 chargers" }).click()
    await dialog.getByText("3 of 3 done").waitFor()
    await dialog.getByRole("link", { name: "See each charger" }).click()
    const side = page.getByRole("complementary", { name: "Command batch" })
    await side.getByText("Complete").first().waitFor()
    await expect.poll(() => side.locator(".rows .pill", { hasText: "Done" }).count(), { timeout: 20_000 }).toBe(3)
    await end()
  })

  it("updates chargers in waves, pauses and resumes the campaign, and sees them run the new version", async () => {
    await place.service.storeFirmware("town-9.1.bin", new Uint8Array(1_000))
    const { end, page } = await signedIn()
    await page.goto("/files-and-firmware/campaigns")
    await page.getByRole("button", { name: "New campaign" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Town to 9.1")
    await dialog.getByLabel("Image").selectOption({ label: "town-9.1.bin" })
    await dialog.getByLabel("New version").fill("9.1")
    await dialog.getByLabel("Chargers a minute").fill("60")
    await dialog.getByLabel("Chargers", { exact: true }).fill("no such charger")
    await dialog.getByRole("button", { name: "Update 0 chargers" }).waitFor()
    await dialog.getByLabel("Chargers", { exact: true }).fill("")
    await dialog.getByRole("button", { name: "Update 4 chargers" }).click()
    const side = page.getByRole("complementary", { name: "Firmware campaign" })
    await side.getByText("1 of 2 (1 in all)").waitFor()
    await side.getByRole("button", { name: "Pause" }).click()
    await side.getByText("Paused").first().waitFor()
    await side.getByRole("button", { name: "Resume" }).click()
    await side.getByRole("button", { name: "Pause" }).waitFor()
    // A charger of the town waits until its car has left.
    const leaving = setInterval(() => {
      for (const charger of place.built.chargers) charger.pullCable()
    }, 500)
    await side.getByText("4 of 4 done").waitFor({ timeout: 120_000 })
    clearInterval(leaving)
    await side.getByText("Complete").first().waitFor()
    await page.goto("/chargers?q=firmware%3A9.1")
    // Each charger restarts with the new version some seconds after it was installed.
    const running = () => page.locator(".c-firmware", { hasText: "9.1" }).count()
    await expect.poll(running, { timeout: 60_000 }).toBe(4)
    await end()
  }, 180_000)
})
