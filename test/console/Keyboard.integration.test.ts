/** An operator's main jobs by keyboard alone, at a desk and on a phone: the test clicks, fills and focuses nothing, and the focus is visible. */
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, phone, type Screen, type Town, town, uncredited, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

/** More steps of Tab than it takes to reach any element of a page. */
const stepsMost = 150

/** Keyboard input only: what is pressed and typed goes to the element that has the focus. */
class Hands {
  private readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async press(...keys: ReadonlyArray<string>): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  /** Presses Tab until the wanted element has the focus; each element on the way must be on the screen and show its focus. */
  async to(wanted: Locator): Promise<void> {
    await wanted.first().waitFor()
    for (let step = 0; step < stepsMost; step++) {
      if (await this.isAt(wanted)) return
      await this.press("Tab")
      const unseen = await this.page.evaluate<string>(unseenFocus)
      expect(unseen).toBe("")
    }
    throw new Error(`the keys do not come to ${String(wanted)}`)
  }

  async type(field: Locator, text: string): Promise<void> {
    await this.to(field)
    await this.page.keyboard.type(text)
  }

  async enter(wanted: Locator): Promise<void> {
    await this.to(wanted)
    await this.press("Enter")
  }

  /** Uses the palette: types words, and presses Enter. */
  async jump(words: string): Promise<void> {
    await this.press("Control+k")
    await this.page.locator("input[role=combobox]:focus").waitFor()
    await this.page.keyboard.type(words)
    await this.page.getByRole("option", { name: words }).first().waitFor()
    await this.press("Enter")
  }

  private isAt(wanted: Locator): Promise<boolean> {
    return wanted.first().evaluate<boolean, unknown>((one) => {
      const element = one as unknown as { readonly ownerDocument: { readonly activeElement: unknown } }
      return element.ownerDocument.activeElement === element
    })
  }
}

/** The focused element if its focus is not visible: without a ring, or off the screen. */
const unseenFocus = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body || one.matches("dialog")) return ""
  const box = one.getBoundingClientRect()
  const isOnScreen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  const rings = [one, one.closest("label, tr, li, .field") ?? one].some((it) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it)
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none"
  })
  return isOnScreen && rings ? "" : (isOnScreen ? "no ring: " : "off the screen: ") + one.outerHTML.slice(0, 200)
})()`

const screens: ReadonlyArray<readonly [string, Screen]> = [
  ["at a desk", desk],
  ["on a phone", phone]
]

describe.skipIf(!canBrowse)("by keyboard alone, an operator", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(4)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const signedIn = async (screen: Screen) => {
    const { context, page, problems } = await Visitor.signedIn(place, screen)
    const end = async () => {
      await context.close()
      return problems
    }
    await page.locator(".line-state.is-live").waitFor()
    return { end, hands: new Hands(page), page, dialog: page.getByRole("dialog") }
  }

  it.each(screens)(
    "adds a charger, starts a charge on it and stops it, %s",
    async (where, screen) => {
      const { dialog, end, hands, page } = await signedIn(screen)
      const id = `VK-${where.length}`
      await hands.press("g", "c")
      await page.waitForURL(/\/chargers$/)
      await page.locator("tr.line").first().waitFor()
      await hands.press("c")
      await hands.type(dialog.getByLabel("Name", { exact: true }), `Quay ${where}`)
      await hands.type(dialog.getByLabel("Charger id"), id)
      await hands.enter(dialog.getByRole("button", { name: "Add charger" }))
      const password = await dialog.locator("dd code").nth(1).innerText()
      const station = new Station(place.service.ocppUrl, id, password)
      await station.start()
      await dialog.locator(".steps .done", { hasText: "reported its connectors" }).waitFor()
      await hands.enter(dialog.getByRole("link", { name: "Open the charger" }))
      await page.locator(".side .plugs").waitFor()
      await hands.press("s")
      await hands.type(dialog.getByLabel("Card"), place.built.cards[where.length]!.uid)
      await hands.press("Enter")
      await page.locator(".side .now-charging").waitFor()
      await hands.press("s")
      await hands.enter(dialog.getByRole("button", { name: "Stop", exact: true }))
      await page.locator(".side .now-charging").waitFor({ state: "detached" })
      await hands.press("Escape")
      await page.locator(".side").waitFor({ state: "detached" })
      // The focus is in the list again, and not lost.
      await hands.press("j")
      await page.locator("tr.line a:focus").waitFor()
      await station.stop()
      expect(await end()).toEqual([])
    },
    120_000
  )

  it.each(screens)(
    "sees why a session costs what it costs, and credits its record, %s",
    async (_, screen) => {
      const { dialog, end, hands, page } = await signedIn(screen)
      const id = await uncredited(place)
      await hands.press("g", "d")
      await page.waitForURL(/\/cdrs$/)
      await hands.enter(page.locator(`.row-link[href^="/cdrs/${id}"]`))
      await page.locator(".price tbody tr").first().waitFor()
      await hands.enter(page.getByRole("button", { name: "Credit this record" }))
      await hands.enter(dialog.getByRole("button", { name: "Credit this record" }))
      await page.getByText("This is a credit: it takes another record back.").waitFor()
      expect(await end()).toEqual([])
    },
    120_000
  )

  it.each(screens)(
    "invites a partner, %s",
    async (where, screen) => {
      const { dialog, end, hands, page } = await signedIn(screen)
      await hands.jump("Add partner")
      await hands.type(dialog.getByLabel("Name", { exact: true }), `Partner ${where}`)
      await hands.type(dialog.getByLabel("Country code"), "NL")
      await hands.type(dialog.getByLabel("Party id"), where === "at a desk" ? "KBA" : "KBB")
      await hands.enter(dialog.getByRole("button", { name: "Add partner" }))
      await dialog.locator("dd code").first().waitFor()
      await hands.enter(dialog.getByRole("button", { name: "Done" }))
      await page
        .locator(".line", { hasText: `Partner ${where}` })
        .getByText("Invited")
        .waitFor()
      expect(await end()).toEqual([])
    },
    120_000
  )

  it.each(screens)(
    "creates an API key that works, and revokes it, %s",
    async (where, screen) => {
      const { dialog, end, hands, page } = await signedIn(screen)
      await hands.jump("Add API key")
      await hands.type(dialog.getByLabel("Name", { exact: true }), `Script ${where}`)
      await hands.to(dialog.getByLabel("chargers:read"))
      await hands.press("Space")
      await hands.enter(dialog.getByRole("button", { name: "Add API key" }))
      const key = await dialog.locator(".secret").innerText()
      const ask = () => fetch(`${place.service.url}/cpo/v2/chargers`, { headers: { "x-api-key": key } })
      expect((await ask()).status).toBe(200)
      await hands.enter(dialog.getByRole("button", { name: "Close" }))
      const row = page.locator("li", { hasText: `Script ${where}` })
      await hands.enter(row.getByRole("button", { name: "Revoke" }))
      await hands.enter(dialog.getByRole("button", { name: "Revoke" }))
      await row.getByText("revoked").waitFor()
      expect((await ask()).status).toBe(401)
      expect(await end()).toEqual([])
    },
    120_000
  )
})
