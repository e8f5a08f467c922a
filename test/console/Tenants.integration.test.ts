/**
 * Two organisations side by side (T25): in two browsers, and one after the other in one browser. The data of one is on no page of the other, in
 * nothing that the browser keeps, and in no tab that was left open.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { Service } from "../../demo/Service.ts"
import { builtConsole } from "./built.ts"
import { canBrowse, desk, launched, Visitor } from "./browser.ts"

const password = "a long password of theirs"

/** Names that begin with these belong to one organisation only. */
const marks = { ours: "OURS-ALONE", theirs: "THEIRS-ALONE" }
type Whose = keyof typeof marks

const other = (whose: Whose): Whose => (whose === "ours" ? "theirs" : "ours")

/** Pages by the keys that lead to them, so that the document is not loaded again. */
const places = { c: "/chargers", s: "/sites", e: "/sessions", k: "/cards", t: "/tariffs", d: "/cdrs", p: "/roaming" }

describe.skipIf(!canBrowse)("two organisations", () => {
  let service: Service
  let browser: Browser
  let folder: string
  const keys = {} as Record<Whose, string>
  const sites = {} as Record<Whose, string>
  const people = {} as Record<Whose | "both", string>

  const ask = async (whose: Whose, method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${service.url}/cpo/v2/${path}`, {
      method,
      headers: { "x-api-key": keys[whose], "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
  }

  const addCharger = (whose: Whose, id: string) =>
    ask(whose, "POST", "chargers", {
      name: `${marks[whose]} ${id}`,
      chargerId: `${marks[whose]}-${id}`,
      siteId: sites[whose]
    })

  /** Opens the link of an invitation, and signs up as the invited person. */
  const joins = async (page: Page, link: unknown, name: string): Promise<void> => {
    await page.goto(String(link))
    await page.getByLabel("Your name").fill(name)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await page.getByRole("button", { name: "Go on" }).click()
    await page.locator(".shell").waitFor()
  }

  const invited = async (whose: Whose, email: string) =>
    (await ask(whose, "POST", "invitations", { email, roleId: "Owner" }))["link"]

  beforeAll(async () => {
    builtConsole()
    folder = mkdtempSync(join(tmpdir(), "tenants-test-"))
    service = new Service({ port: await freePort(), dataDir: join(folder, "data") })
    await service.start()
    browser = await launched()
    keys.ours = service.apiKey
    const made = await ask("ours", "POST", "organisations", { name: "Theirs", countryCode: "NL", partyId: "THR" })
    keys.theirs = String(made["apiKey"])
    await ask("ours", "PATCH", "organisation", { name: "Ours" })
    for (const whose of ["ours", "theirs"] as const) {
      const mark = marks[whose]
      sites[whose] = String((await ask(whose, "POST", "sites", { name: `${mark} site` }))["id"])
      await addCharger(whose, "1")
      await ask(whose, "POST", "tokens", { uid: mark, type: "RFID", note: `${mark} note` })
      await ask(whose, "POST", "tariffs", {
        tariffAltText: [{ language: "en", text: `${mark} tariff` }],
        currency: "EUR",
        elements: [{ priceComponents: [{ type: "ENERGY", price: 0.5, stepSize: 1 }] }]
      })
      await ask(whose, "POST", "partners", {
        name: `${mark} partner`,
        countryCode: "BE",
        partyId: "XYZ",
        roles: ["EMSP"]
      })
      const email = `${whose}@demo.example`
      const { context, page } = await Visitor.open(browser, service.url, desk)
      await joins(page, await invited(whose, email), `${mark} person`)
      people[whose] = email
      await context.close()
    }
    // One person who belongs to both.
    people.both = "both@demo.example"
    for (const whose of ["ours", "theirs"] as const) {
      const { context, page } = await Visitor.open(browser, service.url, desk)
      await joins(page, await invited(whose, people.both), "Both")
      await context.close()
    }
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const signIn = async (page: Page, email: string): Promise<void> => {
    await page.goto("/sign-in")
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.locator(".line-state.is-live").waitFor()
  }

  const signOut = async (page: Page): Promise<void> => {
    await page.locator("button.me").click()
    await page.getByRole("button", { name: "Sign out" }).click()
    // Waits for the form, since the address may change more than once.
    await page.getByLabel("Email").waitFor()
  }

  const organisationOf = (page: Page) => page.locator(".organisation").innerText()

  /** The whole document in its current state. */
  const html = (page: Page) => page.evaluate<string>("document.documentElement.outerHTML")

  /** Goes to every page within the open document; returns those that name something of the other organisation. */
  const leaks = async (page: Page, whose: Whose): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = []
    for (const [key, path] of Object.entries(places)) {
      await page.keyboard.press("g")
      await page.keyboard.press(key)
      await page.waitForURL(`${service.url}${path}`)
      if (!["/sessions", "/cdrs"].includes(path))
        await page.locator("main", { hasText: marks[whose] }).first().waitFor()
      if ((await html(page)).includes(marks[other(whose)])) found.push(path)
    }
    // What the palette finds by name.
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill(marks[whose])
    await page.getByRole("option", { name: marks[whose] }).first().waitFor()
    await page.getByRole("combobox").fill(marks[other(whose)])
    await page.getByRole("option", { name: marks[whose] }).first().waitFor({ state: "detached" })
    const options = await page.getByRole("option").allInnerTexts()
    found.push(...options.filter((text) => text.includes(marks[other(whose)])))
    await page.keyboard.press("Escape")
    return found
  }

  /** What the browser keeps: storages, databases, caches. */
  const kept = (page: Page) =>
    page.evaluate<string>(
      `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), await caches.keys(), await navigator.serviceWorker.getRegistrations()]))()`
    )

  it("see only their own data in two browsers at once, live changes too", async () => {
    const pages = {} as Record<Whose, Page>
    const contexts: Array<BrowserContext> = []
    for (const whose of ["ours", "theirs"] as const) {
      const { context, page } = await Visitor.open(browser, service.url, desk)
      contexts.push(context)
      await signIn(page, people[whose])
      pages[whose] = page
    }
    expect([await leaks(pages.ours, "ours"), await leaks(pages.theirs, "theirs")]).toEqual([[], []])
    for (const page of Object.values(pages)) {
      await page.keyboard.press("g")
      await page.keyboard.press("c")
    }
    for (const whose of ["ours", "theirs"] as const) {
      await addCharger(whose, "LIVE")
      await pages[whose].locator("tr.line", { hasText: `${marks[whose]} LIVE` }).waitFor()
    }
    // Their charger was added after ours, so that ours would already be shown.
    expect(await html(pages.theirs)).not.toContain(marks.ours)
    await addCharger("ours", "LAST")
    await pages.ours.locator("tr.line", { hasText: `${marks.ours} LAST` }).waitFor()
    expect(await html(pages.ours)).not.toContain(marks.theirs)
    for (const context of contexts) await context.close()
  }, 90_000)

  it("see nothing of each other one after the other in one browser, nor with its back button", async () => {
    // A browser as people have it: its back-forward cache keeps pages that were left.
    const asPeopleHave = await launched(["--disable-back-forward-cache"])
    const { context, page } = await Visitor.open(asPeopleHave, service.url, desk)
    await signIn(page, people.ours)
    expect(await leaks(page, "ours")).toEqual([])
    await page.locator("main", { hasText: marks.ours }).first().waitFor()
    await signOut(page)
    expect(await html(page)).not.toContain(marks.ours)
    expect(await kept(page)).not.toContain(marks.ours)
    for (let n = 0; n < 3; n++) {
      await page.goBack({ waitUntil: "commit", timeout: 5_000 }).catch(() => undefined)
      await page.waitForURL(/\/sign-in/)
      await page.getByLabel("Email").waitFor()
      expect(await html(page)).not.toContain(marks.ours)
    }
    await signIn(page, people.theirs)
    expect(await organisationOf(page)).toBe("Theirs")
    expect(await leaks(page, "theirs")).toEqual([])
    expect(await kept(page)).not.toContain(marks.ours)
    await context.close()
    await asPeopleHave.close()
  }, 90_000)

  const switches: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    "another person signs in": async (page) => {
      await signOut(page)
      await signIn(page, people.theirs)
    },
    "another person signs in without a sign-out": (page) => signIn(page, people.theirs),
    "the person goes to the other organisation": async (page) => {
      await page.locator("button.me").click()
      await page.getByRole("dialog").getByRole("button", { name: "Theirs" }).click()
      await page.locator(".organisation", { hasText: "Theirs" }).waitFor()
    }
  }

  it.each(Object.entries(switches))(
    "are not mixed in an open tab while in another tab %s",
    async (how, change) => {
      const { context, page: left } = await Visitor.open(browser, service.url, desk)
      await signIn(left, how.startsWith("the person") ? people.both : people.ours)
      if ((await organisationOf(left)) !== "Ours") {
        await left.locator("button.me").click()
        await left.getByRole("dialog").getByRole("button", { name: "Ours" }).click()
        await left.locator(".organisation", { hasText: "Ours" }).waitFor()
      }
      await left.goto("/chargers")
      await left.locator("tr.line", { hasText: marks.ours }).first().waitFor()
      const page = await context.newPage()
      await page.goto("/")
      await page.locator(".shell").waitFor()
      await change(page)
      const began = performance.now()
      // The tab shows the sign-in or the other organisation, and no longer the first one.
      await left.locator(".organisation", { hasText: "Ours" }).waitFor({ state: "detached", timeout: 10_000 })
      const took = performance.now() - began
      await addCharger("theirs", `WHILE-${how.length}`)
      await page.keyboard.press("g")
      await page.keyboard.press("c")
      await page.locator("tr.line", { hasText: `WHILE-${how.length}` }).waitFor()
      expect(await html(left)).not.toContain(marks.ours)
      expect(await html(page)).not.toContain(marks.ours)
      expect(took).toBeLessThan(2_000)
      await context.close()
    },
    60_000
  )
})
