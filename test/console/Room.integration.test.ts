/** Where there is little room, in a real browser: beside an open panel and on a phone, what people look for is whole, or ends in an ellipsis. */
import type { Locator } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

const usual: Screen = { ...phone, width: 390, height: 844 }

/** The longest name that a site may have. */
const longName = "Long-".repeat(20).slice(0, 100)

const boxOf = async (one: Locator) => {
  const { height = 0, width = 0, x = 0, y = 0 } = (await one.boundingBox()) ?? {}
  return { left: x, right: x + width, top: y, bottom: y + height, width, height }
}

/** Whether text is wider than what it is shown in. */
const isCut = (one: Locator): Promise<boolean> =>
  one.evaluate(
    ({ clientWidth, scrollWidth }: { readonly clientWidth: number; readonly scrollWidth: number }) =>
      scrollWidth > clientWidth
  )

describe.skipIf(!canBrowse)("the console with little room", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(40)
  }, 120_000)
  afterAll(() => place[Symbol.asyncDispose]())

  const ask = (method: string, path: string, body?: Json) => place.service.ask(method, path, body)
  const items = async (path: string) => (await ask("GET", path))["items"] as ReadonlyArray<Json>

  const on = async (screen: Screen) => {
    const visitor = await Visitor.signedIn(place, screen)
    return {
      visitor,
      page: visitor.page,
      end: async () => {
        expect(await visitor.axe()).toEqual([])
        expect(await visitor.sideways()).toBe(0)
        await visitor.context.close()
        expect(visitor.problems).toEqual([])
      }
    }
  }

  it.each([1440, 1120])(
    "shows the names of sites beside an open panel, a long one cut off, at %i px",
    async (width) => {
      const { id } = await ask("POST", "sites", { name: longName, timeZone: "Europe/Stockholm" })
      const { end, page } = await on({ ...desk, width })
      await page.goto(`/sites/${String(id)}`)
      await page.locator(".side h1", { hasText: longName }).waitFor()
      const cell = page.locator(".line.open .c-name")
      expect((await boxOf(cell)).width).toBeGreaterThan(200)
      expect(await isCut(cell)).toBe(true)
      const other = page.locator(".line:not(.open) .c-name").first()
      expect(await isCut(other)).toBe(false)
      await end()
      await ask("DELETE", `sites/${String(id)}`)
    },
    60_000
  )

  it("shows the full names and ids of chargers beside an open panel, and scrolls to the open row", async () => {
    const last = (await items("charger-rows?limit=100"))
      .map(({ chargerId, name }) => [String(name), String(chargerId)] as const)
      .sort(([one], [other]) => one.localeCompare(other))
      .at(-1)!
    const { end, page } = await on(desk)
    await page.goto("/chargers")
    await page.locator(".line").nth(10).waitFor()
    const open = page.locator(".line.open")
    const isSeen = async () => {
      await open.waitFor()
      const [row, list] = [await boxOf(open), await boxOf(page.locator(".scroll"))]
      return row.top >= list.top && row.bottom <= list.bottom
    }
    await page.keyboard.press("Control+k")
    await page.locator("input[role=combobox]:focus").waitFor()
    await page.keyboard.type(last[1])
    await page.getByRole("option", { selected: true }).filter({ hasText: last[1] }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/chargers/${last[1]}`)
    expect(await isSeen()).toBe(true)
    for (const cell of await page.locator(".c-name").all()) expect(await isCut(cell)).toBe(false)
    // The keys continue from that row.
    await page.keyboard.press("k")
    await page.locator(".row-link:focus").waitFor()
    await page.reload()
    expect(await isSeen()).toBe(true)
    await end()
  }, 60_000)

  it("shows the number of waiting items beside the word Work on a phone", async () => {
    const { end, page } = await on(usual)
    const work = await ask("GET", "work")
    await page.route("**/cpo/v2/work", (route) => route.fulfill({ json: { ...work, unknownChargers: 12 } }))
    await page.goto("/")
    await page.locator(".foot-tab").last().click()
    const place = page.locator(".rail .place", { hasText: "Work" })
    const [word, badge] = [await boxOf(place.locator("span")), await boxOf(place.locator(".waiting"))]
    expect(badge.left).toBeGreaterThan(word.right)
    expect(Math.abs(badge.top + badge.bottom - word.top - word.bottom)).toBeLessThan(6)
    await end()
  }, 60_000)

  it("keeps the buttons of a long form visible on a phone, and never over the field that has the focus", async () => {
    const { end, page } = await on(usual)
    await page.goto("/sites?do=add")
    const add = page.getByRole("dialog").getByRole("button", { name: "Add site" })
    await add.waitFor()
    const dialog = await boxOf(page.getByRole("dialog"))
    expect((await boxOf(add)).bottom).toBeLessThan(dialog.bottom)
    await page.getByLabel("Longitude").focus()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    const field = await boxOf(page.locator(":focus"))
    expect(field.bottom).toBeLessThanOrEqual((await boxOf(page.locator(".form-acts"))).top + 1)
    await end()
  }, 60_000)

  it("aligns the two dates of a filter on a phone", async () => {
    const { end, page } = await on(usual)
    await page.goto("/cdrs")
    // The two are measured one after the other, while the page is still being drawn.
    const offset = async () => {
      const from = await boxOf(page.getByLabel("From", { exact: true }))
      const to = await boxOf(page.getByLabel("To", { exact: true }))
      return [to.top - from.top, to.width - from.width]
    }
    await expect.poll(offset, { timeout: 10_000 }).toEqual([0, 0])
    await end()
  }, 60_000)

  it("says what is counted on a phone, where no column has a title", async () => {
    const { end, page } = await on(usual)
    await page.goto("/roaming")
    const parked = page.locator(".line .c-parked .on-phone").first()
    await parked.waitFor()
    expect(await parked.innerText()).toMatch(/^\d+ parked$/)
    await page.goto("/sites")
    const chargers = page.locator(".line .c-chargers .on-phone").first()
    await chargers.waitFor()
    expect(await chargers.innerText()).toMatch(/^\d+ chargers?$/)
    await end()
  }, 60_000)
})
