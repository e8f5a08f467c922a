/** How many keys an operator presses, from the overview, for the most frequent questions and tasks. A typed name counts as one key. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

/** Counts what is pressed and typed; nothing is clicked, filled or focused in another way. */
class Counted {
  readonly page: Page
  keys = 0

  constructor(page: Page) {
    this.page = page
  }

  async press(...keys: ReadonlyArray<string>): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
    this.keys += keys.length
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text)
    this.keys++
  }

  /** Uses the palette: types a name, and presses Enter once it is found. */
  async jump(words: string, found = words): Promise<void> {
    await this.press("Control+k")
    await this.page.locator("input[role=combobox]:focus").waitFor()
    await this.type(words)
    await this.page.getByRole("option", { selected: true }).filter({ hasText: found }).waitFor()
    await this.press("Enter")
  }
}

describe.skipIf(!canBrowse)("the number of keys to press", () => {
  let place: Town
  let visitor: Visitor
  beforeAll(async () => {
    place = await town(4)
    visitor = await Visitor.signedIn(place, desk)
  })
  afterAll(async () => {
    await visitor.context.close()
    await place[Symbol.asyncDispose]()
  })

  /** `most`: how many keys it may take. */
  const within = (most: number, question: string, answer: (hands: Counted) => Promise<void>) =>
    it(`is at most ${most} from the overview: ${question}`, async () => {
      const { page } = visitor
      await page.goto("/")
      await page.locator(".overview").waitFor()
      await page.locator(".line-state.is-live").waitFor()
      const hands = new Counted(page)
      await answer(hands)
      expect(hands.keys).toBeLessThanOrEqual(most)
      expect(visitor.problems).toEqual([])
    }, 60_000)

  const charger = () => place.built.chargers[0]!
  const chargerName = async () =>
    String((await place.service.ask("GET", `chargers/${charger().plan.chargerId}`))["name"])

  within(0, "which chargers need me now?", ({ page }) => page.locator(".needs").waitFor())
  within(0, "how much power flows now?", ({ page }) => page.locator(".figures").first().waitFor())

  within(4, "why can this driver not charge?", async (hands) => {
    await hands.jump(place.built.cards[3]!.uid)
    await hands.page.locator(".why .checks li").first().waitFor()
  })

  within(3, "what did this charger say?", async (hands) => {
    await hands.jump(await chargerName())
    await hands.page.locator("ol.log > li").first().waitFor()
  })

  within(3, "is it me or the charger?", async (hands) => {
    await hands.jump(await chargerName())
    await hands.page.locator(".connected-day svg").waitFor()
    // The last frames are on the screen at the same time.
    const last = hands.page.locator("ol.log > li").first()
    await last.waitFor()
    const box = await last.boundingBox()
    expect((box?.y ?? desk.height) + (box?.height ?? 0)).toBeLessThan(desk.height)
  })

  within(4, "why was this session priced like this?", async (hands) => {
    await hands.press("g", "e")
    await hands.page.locator("tr.line").first().waitFor()
    await hands.press("j")
    await hands.page.locator("tr.line a:focus").waitFor()
    await hands.press("Enter")
    await hands.page.locator(".tab-link.on", { hasText: "Price" }).waitFor()
  })

  within(5, "start a charge for a caller", async (hands) => {
    const name = await chargerName()
    for (let n = 0; n < 4; n++) charger().pullCable()
    await hands.jump(`start ${name}`, `Start a session at ${name}`)
    await hands.page.getByRole("dialog").getByLabel("Card").and(hands.page.locator(":focus")).waitFor()
    await hands.type(place.built.cards[1]!.uid)
    await hands.press("Enter")
    await hands.page.locator(".command", { hasText: "Start" }).waitFor()
    await hands.page.locator(".command.is-done", { hasText: "Start" }).waitFor()
  })

  it("is 2 on the page of a running session: stop it", async () => {
    const { page } = visitor
    const { items } = (await place.service.ask("GET", "sessions?status=ACTIVE")) as {
      readonly items: ReadonlyArray<{ readonly id: string }>
    }
    await page.goto(`/sessions/${items[0]!.id}`)
    // Until the chargers are loaded the button is disabled, and so is its key.
    await page.getByRole("button", { name: "Stop…", disabled: false }).waitFor()
    await page.locator(".line-state.is-live").waitFor()
    const hands = new Counted(page)
    await hands.press("s")
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Stop", exact: true })
      .and(page.locator(":focus"))
      .waitFor()
    await hands.press("Enter")
    await page.locator(".command.is-done", { hasText: "Stop" }).waitFor()
    expect(hands.keys).toBe(2)
  }, 60_000)

  within(4, "what does this partner see?", async (hands) => {
    const { items } = (await place.service.ask("GET", "partners")) as {
      readonly items: ReadonlyArray<{ readonly name: string }>
    }
    await hands.jump(items[0]!.name)
    await hands.page.getByRole("link", { name: "What it sees" }).or(hands.page.locator(".tab-link").nth(3)).waitFor()
    await hands.press("4")
    await hands.page.waitForURL(/tab=view/)
    await hands.page.locator(".side pre").first().waitFor()
  })

  within(2, "is a partner up to date?", async (hands) => {
    await hands.press("g", "p")
    await hands.page.waitForURL(/\/roaming/)
    await hands.page.locator("tr.line").first().waitFor()
  })

  within(4, "which chargers run old firmware?", async (hands) => {
    await hands.press("g", "c")
    await hands.page.waitForURL(/\/chargers/)
    await hands.page.locator("tr.line").first().waitFor()
    await hands.press("/")
    await hands.type("firmware:<6.6")
    await hands.page.waitForURL(/q=firmware/)
  })

  within(3, "give a script access", async (hands) => {
    await hands.jump("api key", "Add API key")
    await hands.page.getByRole("dialog").getByLabel("Name").waitFor()
  })

  within(3, "add a charger", async (hands) => {
    await hands.press("g", "c")
    await hands.page.waitForURL(/\/chargers/)
    await hands.page.locator("tr.line").first().waitFor()
    await hands.press("c")
    await hands.page.getByRole("dialog").getByLabel("Charger id").waitFor()
  })

  it("is 1 each on the page of a charger: copy a link for a colleague, who changed this?", async () => {
    const { context, page } = visitor
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    const path = `/chargers/${charger().plan.chargerId}?tab=security`
    await page.goto(path)
    await page.locator(".side .plugs").waitFor()
    await page.keyboard.press("y")
    await page.getByRole("status").filter({ hasText: "Link copied" }).waitFor({ state: "attached" })
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(`${place.service.url}${path}`)
    await page.keyboard.press("h")
    await page.waitForURL(/\/audit-log\?subject=charger/)
    expect(visitor.problems).toEqual([])
  }, 60_000)
})
