/**
 * Every page full, empty, failed and not permitted, in both themes at three widths: nothing is wider than the screen, and no text is cut off or
 * outside its box. Pixels are not compared, since they differ with fonts. Each page is checked in one of the four states; with
 * `SCREENSHOTS=folder` in all of them, and a screenshot of each is saved.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { Service } from "../../demo/Service.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"
import { type Paths, pagesOf } from "./pages.ts"

const widths = [360, 768, 1440]
const schemes = ["light", "dark"] as const

const folder = process.env["SCREENSHOTS"]

const states = ["full", "empty", "failed", "not permitted"] as const
type State = (typeof states)[number]

/** What is wrong with the layout of the current page: text that is cut and has no title with its full form, and text outside its box. */
const overflowing = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const scrolls = (style) => /auto|scroll/.test(style)
    const isShown = (one) => one.checkVisibility() && one.closest(".hide, svg, [aria-hidden=true]") === null
    const hasText = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")
    const named = (one) => (one.id || [...one.classList].join(".") || one.tagName.toLowerCase()) + ": " + one.textContent.trim().slice(0, 60)
    const found = []
    const wide = document.documentElement.scrollWidth - innerWidth
    if (wide > 0) found.push(wide + " px wider than the screen")
    for (const one of document.querySelectorAll("body *")) {
      if (!hasText(one) || !isShown(one) || one.matches("option, textarea, pre, script, style")) continue
      const style = getComputedStyle(one)
      // Elements of one pixel are for screen readers.
      if (style.display === "inline" || scrolls(style.overflowX) || one.clientWidth <= 1) continue
      const isCut = one.scrollWidth > one.clientWidth + 1
      const isLow = one.scrollHeight > one.clientHeight + 2 && style.overflowY !== "visible" && !scrolls(style.overflowY)
      if (!isCut && !isLow) continue
      const isClipped = style.overflowX !== "visible"
      const hasTitle = one.closest("[title]") !== null || one.querySelector("[title]") !== null
      if (isClipped && hasTitle) continue
      found.push((isClipped || isLow ? "cut " : "outside its box ") + named(one))
    }
    return found
  })()`)

/** Pages that show only what the browser knows, or wait for events. */
const readsNothing: ReadonlySet<string> = new Set(["events", "no such page", "about"])

/** The file name of a page's screenshot. */
const fileOf = (state: State, name: string, width: number, scheme: string): string =>
  `${state} ${name} ${width} ${scheme}.png`.replaceAll(/[^\w.-]+/g, "-")

describe.skipIf(!canBrowse)("every page", () => {
  let place: Town
  let paths: Paths
  let fresh: Service
  let freshFolder: string
  beforeAll(async () => {
    place = await town(8)
    paths = await pagesOf(place)
    freshFolder = mkdtempSync(join(tmpdir(), "console-screens-"))
    fresh = new Service({ port: await freePort(), dataDir: join(freshFolder, "data") })
    await fresh.start()
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
  })
  afterAll(async () => {
    await fresh.stop()
    rmSync(freshFolder, { recursive: true, force: true })
    await place[Symbol.asyncDispose]()
  })

  /** An empty service has no pages of single things. */
  const isOfList = (path: string): boolean => !/\/[0-9a-f-]{36}|\/chargers\/|\/cards\/[^?]/.test(path)

  /** An operator who may read only the audit log. */
  const unpermitted = async (): Promise<Visitor> => {
    const role = await place.service.ask("POST", "roles", { name: "Auditor", permissions: ["audit:read"] })
    const invited = await place.service.ask("POST", "invitations", {
      email: "auditor@demo.example",
      roleId: String(role["id"])
    })
    const visitor = await Visitor.open(place.browser, place.service.url, desk)
    await visitor.page.goto(String(invited["link"]))
    await visitor.page.getByLabel("Your name").fill("Ada")
    await visitor.page.getByLabel("Password", { exact: true }).fill("a long password of Ada's")
    await visitor.page.getByRole("button", { name: "Go on" }).click()
    await visitor.page.locator(".shell").waitFor()
    return visitor
  }

  /** Every read is answered 500, except that of the signed-in operator and of events. */
  const failing = async (): Promise<Visitor> => {
    const visitor = await Visitor.signedIn(place, desk)
    const problem = { type: "about:blank", title: "Internal Server Error", status: 500, code: "internal_error" }
    await visitor.page.route(/\/cpo\/v2\/(?!me$|events)/, (route) =>
      route.request().method() === "GET"
        ? route.fulfill({
            status: 500,
            contentType: "application/problem+json",
            body: JSON.stringify({
              ...problem,
              detail: "The service could not answer. Look for the request's id in its log."
            })
          })
        : route.continue()
    )
    return visitor
  }

  const visitorOf = (state: State): Promise<Visitor> => {
    if (state === "failed") return failing()
    if (state === "not permitted") return unpermitted()
    return Visitor.signedIn(state === "empty" ? { ...place, service: fresh } : place, desk)
  }

  it.each(states)(
    "in the state %s has nothing wider than the screen, and no text that is cut off",
    async (state) => {
      const visitor = await visitorOf(state)
      const { context, page } = visitor
      const wrong = new Map<string, string>()
      const ofState = state === "empty" ? paths.filter(([, path]) => isOfList(path)) : paths
      const part = states.indexOf(state)
      const chosen = ofState.filter((_, index) => folder !== undefined || index % states.length === part)
      for (const [name, path] of chosen) {
        await page.setViewportSize({ width: 1440, height: 900 })
        await page.goto(path)
        await page.locator("h1, h2, .empty, .failed").first().waitFor()
        // A read that is repeated is shown as failed only after its last try.
        await page.locator(".loading").first().waitFor({ state: "detached", timeout: 30_000 })
        // A read is tried three times before it has failed.
        if (state === "failed" && !readsNothing.has(name)) {
          const failed = page.locator(".failed").first().waitFor({ timeout: 15_000 })
          await failed.catch(() => wrong.set(`${name}: says nothing of what failed`, ""))
        }
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          for (const colorScheme of schemes) {
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
            for (const problem of await overflowing(page)) {
              const key = `${name}: ${problem}`
              if (!wrong.has(key)) wrong.set(key, `at ${width} px, ${colorScheme}`)
            }
            if (folder !== undefined) {
              await page.screenshot({ path: join(folder, fileOf(state, name, width, colorScheme)) })
            }
          }
        }
      }
      await context.close()
      expect(Object.fromEntries(wrong)).toEqual({})
    },
    600_000
  )
})
