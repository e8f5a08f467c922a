/** What a page shows while things change: events within half a second, nothing missing after a lost connection, and nothing without permission. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, firstOf, type Town, town, Visitor } from "./browser.ts"
import { Station } from "./station.ts"

describe.skipIf(!canBrowse)("the console", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(3)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const ask = (method: string, path: string, body?: unknown) => place.service.ask(method, path, body)

  const station = async (id: string, name: string): Promise<Station> => {
    const made = await ask("POST", "chargers", { name, chargerId: id, securityProfile: 1, generatePassword: true })
    const one = new Station(place.service.ocppUrl, id, String(made["password"]))
    await one.start()
    return one
  }

  const stateOf = (page: Page, id: string) => page.locator(`tr[data-key="${id}"] .c-state .status`)

  /** Milliseconds until a state is shown. */
  const shownAfter = async (page: Page, id: string, state: string): Promise<number> => {
    const began = performance.now()
    await stateOf(page, id)
      .and(page.locator(`[title="${state}"]`))
      .waitFor({ timeout: 10_000 })
    return performance.now() - began
  }

  it("shows what a charger reports within half a second (median of ten)", async () => {
    const one = await station("LIVE-1", "Live 1")
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.goto("/chargers")
    await stateOf(page, "LIVE-1").waitFor()
    const took: Array<number> = []
    for (let n = 0; n < 10; n++) {
      const state = n % 2 === 0 ? "Faulted" : "Available"
      const shown = shownAfter(page, "LIVE-1", state)
      await one.status(state, n % 2 === 0 ? "GroundFailure" : "NoError")
      took.push(await shown)
    }
    const median = took.toSorted((a, b) => a - b)[5]!
    expect(median).toBeLessThan(500)
    await one.stop()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("catches up after a lost connection, and then shows what a reloaded page shows", async () => {
    const one = await station("LIVE-2", "Live 2")
    const { context, page } = await Visitor.signedIn(place, desk)
    await page.goto("/chargers")
    await stateOf(page, "LIVE-2").waitFor()
    await page.locator(".line-state.is-live").waitFor()
    await context.setOffline(true)
    // The browser notices that an open stream is lost only when the service closes the connection.
    await place.service.stop()
    await place.service.start()
    await page.locator(".line-state:not(.is-live)").waitFor({ timeout: 20_000 })
    await one.stop().catch(() => undefined)
    const two = await station("LIVE-3", "Live 3")
    await two.status("Faulted", "OtherError", "while away")
    await context.setOffline(false)
    await shownAfter(page, "LIVE-3", "Faulted")
    // The town's cars come and go meanwhile: its chargers must be listed, but their states are not compared.
    const seen = async () => {
      const rows = await page.evaluate<ReadonlyArray<readonly [string, string]>>(
        "[...document.querySelectorAll('tr.line')].map((row) => [row.dataset.key, row.querySelector('.status').title])"
      )
      return rows.map(([key, state]) => (key.startsWith("LIVE") ? `${key} ${state}` : key))
    }
    const rows = await seen()
    await page.reload()
    await stateOf(page, "LIVE-3").waitFor()
    await expect.poll(seen).toEqual(rows)
    await two.stop()
    await context.close()
  }, 120_000)

  it("shows what changed between loading a list and opening the stream", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    let open = () => {}
    const mayOpen = new Promise<void>((resolve) => (open = resolve))
    await page.route("**/cpo/v2/events", async (route) => {
      await mayOpen
      await route.continue()
    })
    await page.goto("/sites")
    const list = page.locator("main")
    await list.locator("tr.line").first().waitFor()
    await ask("POST", "sites", { name: "Between" })
    expect(await list.getByText("Between").count()).toBe(0)
    open()
    await list.getByText("Between").first().waitFor()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("shows the number of waiting items beside the link to them, and updates it when the service does", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    await page.locator(".line-state.is-live").waitFor()
    const shown = async (): Promise<number> => {
      const badge = page.locator(".rail .waiting")
      return (await badge.count()) === 0 ? 0 : Number(await badge.innerText())
    }
    const waiting = async () =>
      Object.values(await ask("GET", "work")).reduce<number>((sum, items) => sum + Number(items), 0)
    await expect.poll(async () => (await shown()) - (await waiting()), { timeout: 20_000 }).toBe(0)
    const before = await shown()
    const stranger = new Station(place.service.ocppUrl, "LIVE-STRANGER", "no password of anyone")
    await stranger.start().catch(() => undefined)
    await expect.poll(shown, { timeout: 20_000 }).toBeGreaterThan(before)
    await page.keyboard.press("g")
    await page.keyboard.press("w")
    await page.getByRole("link", { name: /Unknown chargers 1/ }).click()
    await page.getByText("LIVE-STRANGER").waitFor()
    await page.getByRole("button", { name: "Ignore" }).click()
    await page.getByText("No unknown charger has tried to connect.").waitFor()
    await expect.poll(async () => (await shown()) - (await waiting()), { timeout: 20_000 }).toBe(0)
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("shows hostile names, errors and frames as text", async () => {
    const hostile = `<img src=x onerror="document.title='broken'">"'><script>document.title='broken'</script>`
    const one = await station("LIVE-4", hostile.slice(0, 100))
    await one.status("Faulted", "OtherError", hostile.slice(0, 50))
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    for (const path of ["/", "/chargers", "/chargers/LIVE-4", "/events", "/audit-log", "/sites"]) {
      await page.goto(path)
      await page.waitForTimeout(700)
      expect(await page.locator("img[src=x], main script").count(), path).toBe(0)
      expect(await page.title(), path).not.toBe("broken")
    }
    await one.stop()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("shows a viewer which permissions are missing, and signs out a disabled operator's open tab within two seconds", async () => {
    const invited = await ask("POST", "invitations", { email: "viewer@demo.example", roleId: "Viewer" })
    const visitor = await Visitor.open(place.browser, place.service.url, desk)
    const { context, page } = visitor
    await page.goto(String(invited["link"]))
    await page.getByLabel("Your name").fill("Vera")
    // The link's token is removed from the address as soon as it has been read.
    expect(new URL(page.url()).hash).toBe("")
    await page.getByLabel("Password", { exact: true }).fill("a long password of Vera's")
    await page.getByRole("button", { name: "Go on" }).click()
    await page.locator(".shell").waitFor()
    await page.goto("/chargers")
    const add = page.getByRole("button", { name: "Add charger" })
    expect(await add.getAttribute("aria-disabled")).toBe("true")
    expect(await add.getAttribute("title")).toContain("chargers:write")
    await page.goto("/audit-log")
    await page.getByText("Needs audit:read").waitFor()
    await page.goto("/chargers")
    await page.locator(".line-state.is-live").waitFor()
    const { items } = (await ask("GET", "operators")) as { readonly items: ReadonlyArray<Record<string, unknown>> }
    const vera = items.find(({ email }) => email === "viewer@demo.example")
    const began = performance.now()
    await ask("PATCH", `operators/${String(vera?.["id"])}`, { state: "Disabled" })
    await page.waitForURL(/\/sign-in/, { timeout: 10_000 })
    expect(performance.now() - began).toBeLessThan(2_000)
    await context.close()
  }, 60_000)

  it("keeps no secret in the address, the storage or a cookie that scripts can read", async () => {
    const { context, page } = await Visitor.signedIn(place, desk)
    const kept = await page.evaluate<string>(
      "JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie])"
    )
    expect(kept).not.toMatch(/password|voltlane=|vl_/i)
    const [cookie] = await context.cookies()
    expect([cookie?.httpOnly, cookie?.sameSite]).toEqual([true, "Lax"])
    await context.close()
  })

  it("goes to every page by its keys, and lists the keys in its help", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    const places = {
      o: "/",
      w: "/work",
      s: "/sites",
      c: "/chargers",
      e: "/sessions",
      r: "/reservations",
      f: "/files-and-firmware",
      t: "/tariffs",
      d: "/cdrs",
      k: "/cards",
      p: "/roaming",
      v: "/events",
      a: "/audit-log",
      ",": "/settings"
    }
    for (const [key, path] of Object.entries(places)) {
      await page.keyboard.press("g")
      await page.keyboard.press(key)
      await page.waitForURL(`${place.service.url}${path}`)
    }
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    await page.locator("tr.line").first().waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog").locator("dt").first().waitFor()
    const listed = await page.getByRole("dialog").locator("dt").allInnerTexts()
    expect(listed.length).toBeGreaterThan(Object.keys(places).length + 4)
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    // A charger that is listed whatever the cars do.
    const wanted = String(await page.locator("tr.line").first().getAttribute("data-key"))
    await page.keyboard.type(wanted)
    await page.waitForURL((url) => url.searchParams.get("q") === wanted)
    await page.locator(`tr.line[data-key="${wanted}"]`).waitFor()
    await expect.poll(() => page.locator("tr.line").count()).toBe(1)
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.locator("tr.line a:focus").waitFor()
    await page.keyboard.press("Enter")
    await page.locator(".side").waitFor()
    await page.keyboard.press("Escape")
    await page.locator(".side").waitFor({ state: "detached" })
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("handles the keys of a list, of a charger's page and of a card's page", async () => {
    const { context, page, problems } = await Visitor.signedIn(place, desk)
    const charger = await firstOf(place, "chargers", "chargerId")
    const { siteId } = await ask("GET", `chargers/${charger}`)
    const card = await firstOf(place, "tokens", "uid")
    const dialog = page.locator("dialog[open]")
    /** Presses a key that opens a dialog, and closes the dialog with Escape. */
    const opens = async (key: string): Promise<void> => {
      await page.keyboard.press(key)
      await dialog.waitFor()
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
    }
    await page.goto("/chargers")
    await page.locator("tr.line").nth(1).waitFor()
    const focused = () => page.evaluate<string>("document.activeElement?.closest('tr')?.dataset.key ?? ''")
    await page.keyboard.press("j")
    await expect.poll(focused).not.toBe("")
    const first = await focused()
    await page.keyboard.press("j")
    await expect.poll(focused).not.toBe(first)
    await page.keyboard.press("k")
    await expect.poll(focused).toBe(first)
    await page.keyboard.press("x")
    await expect.poll(() => page.locator(`tr[data-key="${first}"] input`).isChecked()).toBe(true)
    await opens("c")
    await opens("Control+k")
    await opens("?")
    // The palette lists a site found by its name before the chargers at it.
    const site = await ask("GET", `sites/${String(siteId)}`)
    await page.keyboard.press("Control+k")
    await dialog.locator("input").fill(String(site["name"]))
    await page.keyboard.press("Enter")
    await page.waitForURL(`${place.service.url}/sites/${String(siteId)}**`)
    await page.goto(`/chargers/${charger}`)
    await page.locator("ol.log").waitFor()
    await opens("s")
    await opens("r")
    await page.goto(`/cards/${card}`)
    await page.getByRole("button", { name: "Edit" }).waitFor()
    await opens("e")
    await context.close()
    expect(problems).toEqual([])
  }, 90_000)

  it("shows ten thousand chargers with at most sixty rows in the document", async () => {
    const { context, page } = await Visitor.signedIn(place, desk)
    const count = 10_000
    await page.route("**/cpo/v2/charger-rows?*", async (route) => {
      const cursor = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0)
      const items = Array.from({ length: 1_000 }, (_, n) => {
        const id = `MANY-${String(cursor + n).padStart(5, "0")}`
        return {
          id,
          chargerId: id,
          name: `Charger ${cursor + n}`,
          siteId: null,
          siteName: null,
          connected: true,
          everConnected: true,
          lastSeenAt: new Date().toISOString(),
          state: "Available",
          vendor: "Maker",
          model: "Model",
          firmwareVersion: "1.0",
          protocol: "ocpp1.6",
          connectors: [{ evseId: 1, connectorId: 1, status: "Available", since: new Date().toISOString() }],
          powerW: 0,
          activeSessions: 0
        }
      })
      const next = cursor + 1_000
      await route.fulfill({ json: { items, nextCursor: next < count ? String(next) : null } })
    })
    await page.goto("/chargers")
    await page.getByText("10,000 of 10,000 connected").waitFor()
    expect(await page.locator("tr.line").count()).toBeLessThanOrEqual(60)
    expect(await page.locator("table").getAttribute("aria-rowcount")).toBe("10001")
    await page.getByLabel("Name, id, site", { exact: false }).fill("MANY-09999")
    await page.locator("tr.line", { hasText: "Charger 9999" }).waitFor()
    expect(await page.locator("tr.line").count()).toBe(1)
    const heap = await page.evaluate<number>("performance.memory.usedJSHeapSize")
    expect(heap).toBeLessThan(60_000_000)
    await context.close()
  }, 60_000)
})
