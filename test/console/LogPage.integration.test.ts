/** A charger's log in the browser: live while it is looked at, searched by the service, drawn as a sequence, and downloaded as a file. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { APIResponse, Page } from "playwright-core"
import { canBrowse, desk, phone, type Town, town, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

describe.skipIf(!canBrowse)("the log of a charger", () => {
  let place: Town
  let station: Station
  beforeAll(async () => {
    place = await town(1)
    const made = await place.service.ask("POST", "chargers", {
      name: "Log 1",
      chargerId: "LOG-1",
      securityProfile: 1,
      generatePassword: true
    })
    station = new Station(place.service.ocppUrl, "LOG-1", String(made["password"]))
    await station.start()
  })
  afterAll(async () => {
    await station.stop()
    await place[Symbol.asyncDispose]()
  })

  /** What the pattern matches in the lines, from the first to the last that was loaded at the beginning; scrolls back to the top at the end. */
  const walked = async (page: Page, pattern: RegExp): Promise<ReadonlyArray<string>> => {
    const texts = await page.evaluate<ReadonlyArray<string>>(`(async () => {
      const box = document.querySelector(".log-box")
      const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const texts = new Set()
      const last = box.scrollHeight
      // By half of what is seen: a line that a busy browser has not drawn in time is seen at the next step.
      for (let top = 0; top < last; top += box.clientHeight / 2) {
        box.scrollTop = top
        await frame()
        for (const line of box.querySelectorAll("li")) texts.add(line.textContent)
      }
      box.scrollTop = 0
      await frame()
      return [...texts]
    })()`)
    return texts.flatMap((text) => pattern.exec(text)?.[1] ?? [])
  }

  const hostile = `<img src=x onerror="document.title='broken'">`

  it("shows frames as they arrive, as text, and opens one with Enter", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.goto("/chargers/LOG-1")
    const lines = page.locator("ol.log > li")
    await lines.filter({ hasText: "BootNotification" }).waitFor()
    for (let n = 0; n < 5; n++) await station.status("Faulted", "OtherError", `${hostile.slice(0, 40)} ${n}`)
    // The service asks a charger for its settings and states after a start: only the frames of this test are counted.
    const own = lines.filter({ hasText: "<img src=x" })
    await expect.poll(() => own.count()).toBe(5)
    expect(await page.locator("img[src=x]").count()).toBe(0)
    await own.first().getByRole("button").press("Enter")
    await page.locator(".frames pre").first().waitFor()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("finds frames by a text or by several types, keeps both in the address, and downloads what it found", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.goto("/chargers/LOG-1")
    const lines = page.locator("ol.log > li")
    await lines.first().waitFor()
    await page.getByPlaceholder("Search the frames").fill("station 1")
    await page.waitForURL((url) => url.searchParams.get("text") === "station 1")
    await expect
      .poll(async () => (await lines.allInnerTexts()).map((text) => /BootNotification/.test(text)), { timeout: 10_000 })
      .toEqual([true])
    await page.getByPlaceholder("Search the frames").fill("")
    await page.waitForURL((url) => !url.searchParams.has("text"))
    await page.getByText("All types").click()
    await page.getByRole("checkbox", { name: "BootNotification" }).check()
    await page.getByRole("checkbox", { name: "Heartbeat" }).check()
    await page.waitForURL((url) => url.searchParams.get("action") === "BootNotification,Heartbeat")
    await expect.poll(() => lines.count(), { timeout: 10_000 }).toBe(1)
    await page.keyboard.press("Escape")
    await page.getByRole("checkbox", { name: "Heartbeat" }).waitFor({ state: "hidden" })
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click()
    ])
    const text = readFileSync((await download.path()) ?? "", "utf8")
    const actions = text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { action: string }).action)
    expect([download.suggestedFilename(), actions]).toEqual([
      "messages.jsonl",
      ["BootNotification", "BootNotification"]
    ])
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it.each([
    ["1440", desk],
    ["360", phone]
  ] as const)(
    "draws the frames as a sequence, at %s px",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const { context, page, problems } = visitor
      await page.goto("/chargers/LOG-1?log=sequence")
      const steps = page.locator(".sequence li")
      await steps.first().waitFor()
      expect(await steps.first().innerText()).toMatch(/BootNotification[^]*Accepted/)
      expect(await visitor.sideways()).toBeLessThanOrEqual(0)
      expect(await visitor.axe()).toEqual([])
      await context.close()
      expect(problems).toEqual([])
    },
    60_000
  )

  it("has no gap after more frames than it keeps, nor after the tab was hidden", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.goto("/chargers/LOG-1")
    await page.locator("ol.log > li").first().waitFor()
    let sent = 0
    const send = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++)
        await station.status("Faulted", "OtherError", `n${String(sent++).padStart(4, "0")}x`)
    }
    /** How many frames are missing between the newest one sent and the oldest one of the list, found by scrolling through the list. */
    const holes = async (): Promise<number> => {
      const numbers = new Set(await walked(page, /n(\d{4})x/))
      await page.getByRole("button", { name: "Follow", exact: true }).click()
      return numbers.size === 0 ? sent : sent - Math.min(...[...numbers].map(Number)) - numbers.size
    }
    await send(1_100)
    await expect.poll(holes, { timeout: 20_000 }).toBe(0)
    const away = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} }); document.dispatchEvent(new Event("visibilitychange"))`
      )
    await away(true)
    await send(150)
    await away(false)
    await send(5)
    await expect.poll(holes, { timeout: 20_000 }).toBe(0)
    await context.close()
    expect(problems).toEqual([])
  }, 120_000)

  it("keeps the live lines when scrolling ends the following, and says that it has ended", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    // The list always gets its first answer, so that new lines can only have arrived live.
    let first: Promise<APIResponse> | undefined
    await page.route("**/chargers/LOG-1/messages?*", async (route) => {
      first ??= route.fetch()
      await route.fulfill({ response: await first })
    })
    await page.goto("/chargers/LOG-1")
    await page.getByRole("button", { name: "Following", exact: true }).waitFor()
    await page.locator("ol.log > li").first().waitFor()
    for (let n = 0; n < 40; n++) await station.status("Faulted", "OtherError", `k${String(n).padStart(4, "0")}x`)
    await page.locator("ol.log > li").filter({ hasText: "k0039x" }).waitFor()
    const numbers = await walked(page, /k(\d{4})x/)
    expect(numbers.length).toBe(40)
    await page.getByRole("button", { name: "Follow", exact: true }).waitFor()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("loads the older lines that were scrolled to, even if everything is loaded again meanwhile", async () => {
    for (let n = 0; n < 60; n++) await station.status("Faulted", "OtherError", `old ${n}`)
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    const asked = Promise.withResolvers<void>()
    // The stream opens late, and lists are loaded again once it is open: requests on their way are aborted.
    await context.route("**/cpo/v2/events*", async (route) => {
      await asked.promise
      await route.continue()
    })
    let older = 0
    await context.route("**/cpo/v2/chargers/LOG-1/messages?*cursor=*", async (route) => {
      older++
      if (older > 1) return route.continue()
      // The page receives no further scroll events.
      await page.evaluate("addEventListener('scroll', (event) => event.stopImmediatePropagation(), true)")
      asked.resolve()
      await new Promise((done) => setTimeout(done, 10_000))
      await route.continue().catch(() => undefined)
    })
    await page.goto("/chargers/LOG-1")
    const newest = page.locator("ol.log > li").first()
    await newest.waitFor()
    const all = async () => Number(await newest.getAttribute("aria-setsize"))
    const before = await all()
    await page.evaluate("document.querySelector('.log-box').scrollTop = 1e6")
    await expect.poll(all, { timeout: 9_000 }).toBeGreaterThan(before)
    expect(older).toBeGreaterThan(1)
    await context.close()
    expect(problems.filter((one) => !one.includes("ERR_ABORTED"))).toEqual([])
  }, 60_000)
})
