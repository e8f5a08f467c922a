/** From the set-up link to the first charge record in a browser, with a third-party charger and an empty database, on a large and a small screen. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { describe, expect, it, onTestFinished } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { Service } from "../../demo/Service.ts"
import { builtConsole } from "./built.ts"
import { canBrowse, desk, launched, phone, type Screen, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

const newService = async (): Promise<Service> => {
  builtConsole()
  const folder = mkdtempSync(join(tmpdir(), "first-run-"))
  const service = new Service({ port: await freePort(), dataDir: join(folder, "data"), isNew: true })
  onTestFinished(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await service.start()
  return service
}

const addCharger = async (page: Page, dialog: Locator): Promise<readonly [address: string, password: string]> => {
  await page.getByRole("link", { name: "Add a charger" }).click()
  await dialog.getByLabel("Name", { exact: true }).fill("Quay 1")
  await dialog.getByLabel("Charger id").fill("VL-0001")
  await dialog.getByLabel("Name of its site").fill("Harbour")
  await dialog.getByRole("button", { name: "Add charger" }).click()
  await dialog.locator("dd code").nth(1).waitFor()
  const [address = "", password = ""] = await dialog.locator("dd code").allInnerTexts()
  return [address, password]
}

const addTariff = async (page: Page, dialog: Locator): Promise<void> => {
  await page.goto("/tariffs?do=add")
  await dialog.getByLabel("Name").fill("Day")
  await dialog.getByLabel("Price").first().fill("0.45")
  await dialog.getByRole("button", { name: "Price an example" }).click()
  // 42 kWh at 0.45.
  await dialog.getByText("EUR 18.90").first().waitFor()
  await dialog.getByRole("button", { name: "Add tariff" }).click()
  await page.locator(".row-link").first().click()
  await page.getByRole("button", { name: "Assign…" }).click()
  await dialog.getByRole("button", { name: "Assign", exact: true }).click()
  await page.locator(".side .tree", { hasText: "Everywhere" }).waitFor()
}

const addCard = async (page: Page, dialog: Locator): Promise<void> => {
  await page.goto("/cards?do=add")
  await dialog.getByLabel("Number", { exact: true }).fill("CARD-1")
  await dialog.getByRole("button", { name: "Add card" }).click()
  await page.locator("tr.line", { hasText: "CARD-1" }).waitFor()
}

const screens: ReadonlyArray<readonly [string, Screen]> = [
  ["at a desk", desk],
  ["on a phone", phone]
]

describe.skipIf(!canBrowse)("a new operator", () => {
  it.each(screens)(
    "gets from the set-up link to the first charge record, %s",
    async (_, screen) => {
      const service = await newService()
      const browser = await launched()
      onTestFinished(() => browser.close())
      const { page, problems } = await Visitor.open(browser, service.url, screen)
      const dialog = page.getByRole("dialog")
      await page.goto(service.setUpLink)
      await page.getByLabel("Email").fill("ada@example.com")
      await page.getByLabel("Your name").fill("Ada Operator")
      await page.getByLabel("Password", { exact: true }).fill("a rather long pass phrase")
      await page.getByRole("button", { name: "Begin" }).click()
      await page.getByText("First steps").waitFor()
      const [address, password] = await addCharger(page, dialog)
      const station = new Station(address.replace(/\/VL-0001$/, ""), "VL-0001", password)
      await station.start()
      await dialog.locator(".steps .done", { hasText: "reported its connectors" }).waitFor()
      // The steps stay until there is a record, each marked once it is done.
      await page.goto("/")
      await page.locator(".first-steps .done", { hasText: "Connect it" }).waitFor()
      await addTariff(page, dialog)
      await addCard(page, dialog)
      await page.goto("/")
      await page.locator(".first-steps .done", { hasText: "Say where the tariff applies" }).waitFor()
      expect(await page.locator(".first-steps li:not(.done)").allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringContaining("Charge for the first time")])
      )
      await page.goto("/chargers/VL-0001")
      await page.getByRole("button", { name: "Start…" }).click()
      await dialog.getByLabel("Card").fill("CARD-1")
      await dialog.getByRole("button", { name: "Start", exact: true }).click()
      await page.locator(".side .now-charging").waitFor()
      await page.keyboard.press("s")
      await dialog.getByRole("button", { name: "Stop", exact: true }).click()
      await page.locator(".side .now-charging").waitFor({ state: "detached" })
      await page.goto("/cdrs")
      // The record appears by itself: the page is not reloaded.
      await page.locator(".row-link").first().click()
      await page.locator(".price tfoot").waitFor()
      expect(await page.locator(".price tfoot b").innerText()).toMatch(/^EUR.0\.0[45]$/)
      await page.goto("/")
      await page.locator(".overview").waitFor()
      await expect.poll(() => page.locator(".first-steps").count()).toBe(0)
      // The link works only once.
      await page.goto(service.setUpLink)
      await page.getByLabel("Email").fill("eve@example.com")
      await page.getByLabel("Your name").fill("Eve")
      await page.getByLabel("Password", { exact: true }).fill("a rather long pass phrase")
      await page.getByRole("button", { name: "Begin" }).click()
      await page.getByText("This link was used").waitFor()
      await station.stop()
      expect(problems).toEqual([])
    },
    120_000
  )
})
