/** Double clicks, clicks outside a dialog, and forms saved after a small change: nothing is lost, created twice or changed by accident. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

type Items = { readonly items: ReadonlyArray<Record<string, unknown>> }

describe.skipIf(!canBrowse)("an impatient operator", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("still sees a secret that is shown once after a double click and a click outside the dialog", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    const dialog = page.getByRole("dialog")
    await page.goto("/chargers?do=add")
    await dialog.getByLabel("Name", { exact: true }).fill("Twice")
    await dialog.getByLabel("Charger id").fill("TWICE-1")
    await dialog.getByRole("button", { name: "Add charger" }).dblclick({ delay: 40 })
    await dialog.locator("dd code").nth(1).waitFor()
    await page.mouse.click(5, 5)
    await page.waitForTimeout(300)
    expect((await dialog.locator("dd code").nth(1).innerText()).length).toBeGreaterThan(10)
    await page.goto("/settings/developer?do=add")
    await dialog.getByLabel("Name").fill("a script")
    await dialog.getByRole("button", { name: "Add API key" }).dblclick({ delay: 40 })
    await dialog.locator("code.secret").waitFor()
    await page.mouse.click(5, 5)
    await page.waitForTimeout(300)
    expect(await dialog.locator("code.secret").innerText()).toMatch(/^vl_/)
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("creates one tariff with a double click", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    const before = ((await place.service.ask("GET", "tariffs")) as unknown as Items).items.length
    const dialog = page.getByRole("dialog")
    await page.goto("/tariffs?do=add")
    await dialog.getByLabel("Name").fill("Twice")
    await dialog.getByLabel("Price").first().fill("0.45")
    await dialog.getByRole("button", { name: "Add tariff" }).dblclick()
    await page.locator(".row-link", { hasText: "Twice" }).first().waitFor()
    await page.waitForTimeout(500)
    expect(((await place.service.ask("GET", "tariffs")) as unknown as Items).items.length).toBe(before + 1)
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it.each(["UTC", "Asia/Kolkata", "Europe/Kyiv"])(
    "keeps the time zone %s of a site when changing its city",
    async (timeZone) => {
      const { context, page, problems } = await Visitor.signedIn(place, desk)
      const { id } = await place.service.ask("POST", "sites", { name: `In ${timeZone}`, timeZone })
      const dialog = page.getByRole("dialog")
      await page.goto(`/sites/${String(id)}`)
      await page.getByRole("button", { name: "Edit" }).click()
      await dialog.getByLabel("City").fill("Pune")
      await dialog.getByRole("button", { name: "Save" }).click()
      await dialog.waitFor({ state: "detached" })
      expect(await place.service.ask("GET", `sites/${String(id)}`)).toMatchObject({ timeZone, city: "Pune" })
      await context.close()
      expect(problems).toEqual([])
    },
    60_000
  )

  it("sees sessions in the order of their starts, newest first", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.goto("/sessions")
    await page.locator("tr.line").nth(3).waitFor()
    const times = await page
      .locator("tr.line time")
      .evaluateAll((all) => all.map((one) => Date.parse((one as unknown as { readonly dateTime: string }).dateTime)))
    expect(times.length).toBeGreaterThan(3)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
