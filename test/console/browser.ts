/** Drives Chromium (Debian's) on a service of its own, and records what a page must not do: errors, policy violations, requests to other hosts. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { expect } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { build, type Built } from "../../demo/Build.ts"
import { Service } from "../../demo/Service.ts"
import { randomFrom } from "../../demo/Town.ts"
import { builtConsole } from "./built.ts"

/** The shell comes first: it is the same engine, and a new profile in it costs half as much. */
const executables = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]
const executablePath = process.env["CHROMIUM"] ?? executables.find((path) => existsSync(path))

/** These tests run on Node only. CI requires a browser; elsewhere a machine without one reports these tests as skipped. */
export const canBrowse =
  !("Deno" in globalThis) && (executablePath !== undefined || process.env["TEST_BROWSER"] === "required")

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export interface Town extends AsyncDisposable {
  readonly service: Service
  readonly built: Built
  readonly browser: Browser
}

/** `without`: Playwright's default flags that this browser is started without. */
export const launched = (without: ReadonlyArray<string> = []): Promise<Browser> =>
  chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox"],
    ignoreDefaultArgs: [...without]
  })

/** A service with some active chargers, two partners, and a browser. */
export const town = async (chargers: number, settings: Readonly<Record<string, string>> = {}): Promise<Town> => {
  builtConsole()
  const folder = mkdtempSync(join(tmpdir(), "console-test-"))
  const service = new Service({ port: await freePort(), dataDir: join(folder, "data"), settings })
  await service.start()
  const built = await build(service, { random: randomFrom(3), chargers, speed: 1, say: () => undefined })
  for (const charger of built.chargers) {
    charger.remember(1, 2, 0.6)
    charger.start()
  }
  let last = Date.now()
  const ticks = setInterval(() => {
    const now = Date.now()
    for (const charger of built.chargers) charger.tick(now, 0, now - last)
    last = now
  }, 1_000)
  const browser = await launched()
  return {
    service,
    built,
    browser,
    [Symbol.asyncDispose]: async () => {
      clearInterval(ticks)
      await browser.close()
      for (const charger of built.chargers) charger.stop()
      await service.stop()
      await Promise.all(built.partners.map(({ partner }) => partner.server.down()))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** A signed-in page for one test; `end` checks that the page did nothing that it must not do. */
export const visiting = async (place: Town, screen: Screen) => {
  const { context, page, problems } = await Visitor.signedIn(place, screen)
  const end = async (): Promise<void> => {
    await context.close()
    expect(problems).toEqual([])
  }
  return { end, page }
}

/** The key of the first item of a list, encoded for a URL. */
export const firstOf = async ({ service }: Town, path: string, key = "id"): Promise<string> => {
  const { items } = (await service.ask("GET", path)) as { readonly items: ReadonlyArray<Record<string, unknown>> }
  return encodeURIComponent(String(items[0]?.[key]))
}

/** The id of the newest record that is not a credit and was not credited. Records are issued during a test, so positions in the list change. */
export const uncredited = async ({ service }: Town): Promise<string> => {
  const { items } = (await service.ask("GET", "cdrs")) as {
    readonly items: ReadonlyArray<{ readonly id: string; readonly creditReferenceId: string | null }>
  }
  const credited = new Set(items.map(({ creditReferenceId }) => creditReferenceId))
  const found = items.find(({ creditReferenceId, id }) => creditReferenceId === null && !credited.has(id))
  if (found === undefined) throw new Error("each record is credited")
  return found.id
}

/** The cookies of a sign-in. A sign-in of its own for each visitor would take half of these tests' time. */
type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>

const signIns = new WeakMap<Service, Cookies>()

const isSignedIn = async ({ url }: Service, cookies: Cookies): Promise<boolean> => {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
  return (await fetch(`${url}/cpo/v2/me`, { headers: { cookie } })).ok
}

interface Found {
  readonly violations: ReadonlyArray<{ readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }>
}

export interface Screen {
  readonly width: number
  readonly height: number
  readonly scheme: "light" | "dark"
  /** The few colours of the system in place of the page's (as in the contrast themes of Windows). */
  readonly forcedColors?: "active"
}

export const desk: Screen = { width: 1440, height: 900, scheme: "light" }
export const phone: Screen = { width: 360, height: 740, scheme: "light" }

export class Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page did and must not do. */
  readonly problems: Array<string> = []
  /** Requests to the other host that the page may call. */
  readonly asked: Array<string> = []

  private constructor(context: BrowserContext, page: Page, url: string, other: string | undefined) {
    this.context = context
    this.page = page
    // Answers such as 401 and 404 are expected; a browser logs them as errors.
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of (?:401|403|404|409|422|429)/.test(message.text())) {
        this.problems.push(message.text())
      }
    })
    page.on("pageerror", (error) => this.problems.push(`error: ${error.message}`))
    page.on("request", (request) => {
      if (request.url().startsWith(url) || request.url().startsWith("data:")) return
      if (other !== undefined && request.url().startsWith(`${other}/`)) this.asked.push(request.url())
      else this.problems.push(`asked ${request.url()}`)
    })
  }

  /** `other`: another origin that its pages may call. */
  static async open(
    browser: Browser,
    url: string,
    { forcedColors, height, scheme, width }: Screen,
    other?: string
  ): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      ...(forcedColors === undefined ? {} : { forcedColors }),
      baseURL: url,
      locale: "en-GB",
      hasTouch: width < 500
    })
    await context.addInitScript({
      content:
        "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
    })
    return new Visitor(context, await context.newPage(), url, other)
  }

  /** Signs in with the link that the demo prints. */
  static async newlySignedIn({ browser, service }: Town, screen: Screen, other?: string): Promise<Visitor> {
    const visitor = await Visitor.open(browser, service.url, screen, other)
    await visitor.page.goto(service.link)
    await visitor.page.locator(".shell").waitFor()
    return visitor
  }

  /** Shares the sign-in of an earlier visitor of the service if there is one that has not ended. */
  static async signedIn(place: Town, screen: Screen, other?: string): Promise<Visitor> {
    const { browser, service } = place
    const earlier = signIns.get(service)
    if (earlier === undefined || !(await isSignedIn(service, earlier))) {
      const visitor = await Visitor.newlySignedIn(place, screen, other)
      signIns.set(service, await visitor.context.cookies())
      return visitor
    }
    const visitor = await Visitor.open(browser, service.url, screen, other)
    await visitor.context.addCookies([...earlier])
    await visitor.page.goto("/")
    await visitor.page.locator(".shell").waitFor()
    return visitor
  }

  /** What axe finds on the page in its current state: rule and element. */
  async axe(): Promise<ReadonlyArray<string>> {
    await this.page.evaluate(axeSource)
    const { violations } = await this.page.evaluate<Found>("axe.run()")
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`)
  }

  /** By how many pixels the page is wider than the screen. */
  sideways(): Promise<number> {
    return this.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
  }

  /** Waits until the page has loaded its data. */
  async settled(): Promise<void> {
    await this.page.locator("h1, h2").first().waitFor({ state: "attached" })
    await this.page.locator(".loading").first().waitFor({ state: "detached", timeout: 20_000 })
  }
}
