/** The map of sites in a real browser: country outlines for a wide view, street tiles only from the configured host, and use by keyboard. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

/** A local tile server, and the requests that it received. */
const tileServer = async () => {
  const asked: Array<{ readonly path: string; readonly referer: string | undefined }> = []
  const server: Server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", referer: request.headers.referer })
    response.writeHead(200, { "content-type": "image/svg+xml" }).end(
      `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="#f2efe9"/>
      <path d="M0 40H256M128 0V256M0 200L256 120" stroke="#fff" stroke-width="12"/><rect x="140" y="52" width="90" height="50" fill="#cdebb0"/></svg>`
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { asked, server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const screens: ReadonlyArray<readonly [string, Screen]> = [
  ["in the light theme", desk],
  ["in the dark theme", { ...desk, scheme: "dark" }],
  ["on a phone", phone]
]

/** Where the town's sites are moved to, so that the view is as wide as a country. */
const acrossSweden = [
  [55.6, 13.0],
  [57.7, 11.97],
  [59.33, 18.07],
  [63.83, 20.26],
  [65.58, 22.15],
  [59.34, 18.06]
] as const

const sitesOf = async ({ service }: Town) =>
  ((await service.ask("GET", "sites?limit=500"))["items"] ?? []) as ReadonlyArray<{
    readonly id: string
    readonly name: string
  }>

const moved = async (place: Town, places: ReadonlyArray<readonly [number, number]>): Promise<void> => {
  for (const [index, { id }] of (await sitesOf(place)).entries()) {
    const [latitude, longitude] = places[index % places.length]!
    await place.service.ask("PATCH", `sites/${id}`, { latitude, longitude })
  }
}

const isData = (url: string): boolean => /\/a\/countries-50m-[\w-]+\.json$/.test(url)

describe.skipIf(!canBrowse)("the map of sites without street tiles", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(8)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("shows a plain grid for the sites of one town, and loads no country outlines", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const read: Array<string> = []
    visitor.page.on("request", (request) => void (isData(request.url()) && read.push(request.url())))
    await visitor.page.goto("/sites?view=map")
    await visitor.page.locator(".map-scale", { hasText: /m$/ }).waitFor()
    expect(await visitor.page.locator(".map-grid").count()).toBe(1)
    expect(await visitor.page.locator(".map-land").count()).toBe(0)
    await visitor.context.close()
    expect([read, visitor.problems]).toEqual([[], []])
  })

  it.each(screens)(
    "draws country outlines %s if the sites are far apart, loaded once from the console's own files",
    async (_, screen) => {
      await moved(place, acrossSweden)
      const visitor = await Visitor.signedIn(place, screen)
      const { page } = visitor
      const read: Array<string> = []
      page.on("request", (request) => void (isData(request.url()) && read.push(request.url())))
      await page.goto("/sites?view=map")
      const land = page.locator(".map-land")
      await land.waitFor({ state: "attached" })
      const path = (await land.getAttribute("d")) ?? ""
      expect(path.length).toBeGreaterThan(1_000)
      // Clipped: nothing is drawn far outside the visible area.
      const { height = 0, width = 0 } = (await page.locator(".map").boundingBox()) ?? {}
      const numbers = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)]
      expect(
        numbers.filter(([, x, y]) => Math.abs(Number(x) - width / 2) > width / 2 + 10 || Number(y) > height + 10)
      ).toEqual([])
      expect(await visitor.axe()).toEqual([])
      expect(await visitor.sideways()).toBeLessThanOrEqual(0)
      // After switching to the list and back the outlines are there at once.
      await page.locator(".lenses").getByText("List", { exact: true }).click()
      await page.locator(".map").waitFor({ state: "detached" })
      await page.locator(".lenses").getByText("Map", { exact: true }).click()
      await land.waitFor({ state: "attached" })
      await visitor.context.close()
      expect(read.length).toBe(1)
      expect(visitor.problems).toEqual([])
    },
    60_000
  )

  it("says so when the outlines cannot be loaded, and still shows the sites", async () => {
    await moved(place, acrossSweden)
    const { context, page } = await Visitor.signedIn(place, desk)
    await page.route(/countries-50m/, (route) => route.abort())
    await page.goto("/sites?view=map")
    await page
      .locator(".map-note", { hasText: "The outlines of countries could not be read" })
      .waitFor({ timeout: 20_000 })
    expect(await page.locator(".map-site").count()).toBe((await sitesOf(place)).length)
    await context.close()
  }, 60_000)

  it("lets the keyboard reach every site, and shows the name of the focused one even without room for it", async () => {
    await moved(place, acrossSweden)
    const visitor = await Visitor.signedIn(place, desk)
    const { page } = visitor
    await page.goto("/sites?view=map")
    await page.locator(".map-site").first().waitFor()
    const sites = await sitesOf(place)
    await page.locator(".map-site").first().focus()
    const reached = new Set<string>()
    for (let n = 0; n < sites.length; n++) {
      const focused = page.locator(".map-site:focus")
      reached.add((await focused.locator("bdi").textContent()) ?? "")
      const box = await focused.locator("span").boundingBox()
      expect(box?.width ?? 0).toBeGreaterThan(20)
      expect(await page.evaluate("getComputedStyle(document.activeElement.querySelector('span')).clipPath")).toBe(
        "none"
      )
      await page.keyboard.press("Tab")
    }
    expect([...reached].sort()).toEqual(sites.map(({ name }) => name).sort())
    await page.locator(".map-site").first().focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/sites\/[0-9a-f-]{36}/)
    await visitor.context.close()
    expect(visitor.problems).toEqual([])
  }, 60_000)
})

describe.skipIf(!canBrowse)("the map of sites with street tiles", () => {
  let place: Town
  let tiles: Awaited<ReturnType<typeof tileServer>>
  beforeAll(async () => {
    tiles = await tileServer()
    place = await town(8, { MAP_TILES: `${tiles.origin}/{z}/{x}/{y}.png`, MAP_TILES_ATTRIBUTION: "© The surveyors" })
  })
  afterAll(async () => {
    await place[Symbol.asyncDispose]()
    tiles.server.closeAllConnections()
    await new Promise((resolve) => tiles.server.close(resolve))
  })

  it.each(screens)(
    "requests tiles %s only from the configured host, and names the provider",
    async (_, screen) => {
      tiles.asked.length = 0
      const visitor = await Visitor.signedIn(place, screen, tiles.origin)
      const { page } = visitor
      await page.goto("/")
      await page.locator(".shell").waitFor()
      expect(visitor.asked).toEqual([])
      await page.goto("/sites?view=map")
      await page.locator(".map-tiles img").first().waitFor({ state: "attached" })
      // Polled from here: the page's policy refuses the code that waitForFunction evaluates in the page.
      await until(
        () => "all tiles are there",
        20_000,
        () =>
          page.evaluate<boolean>(
            "[...document.querySelectorAll('.map-tiles img')].every((one) => one.complete && one.naturalWidth > 0)"
          )
      )
      expect(await page.locator(".map-note").textContent()).toBe("© The surveyors")
      expect(await page.locator(".map-land").count()).toBe(0)
      // The tiles cover the whole map, and at most one ring around it.
      const { height = 0, width = 0 } = (await page.locator(".map").boundingBox()) ?? {}
      const count = await page.locator(".map-tiles img").count()
      expect(count).toBeGreaterThanOrEqual(Math.floor((width * height) / 363 ** 2))
      expect(count).toBeLessThan((width / 181 + 2) * (height / 181 + 2))
      expect(tiles.asked.every(({ path }) => /^\/\d+\/\d+\/\d+\.png$/.test(path))).toBe(true)
      // The provider sees which console sends a request, never which page.
      expect([...new Set(tiles.asked.map(({ referer }) => referer))]).toEqual([`${place.service.url}/`])
      expect(await visitor.axe()).toEqual([])
      expect(await page.locator(".map-site").count()).toBe((await sitesOf(place)).length)
      await visitor.context.close()
      expect(visitor.problems).toEqual([])
      expect(visitor.asked.length).toBeGreaterThan(0)
    },
    60_000
  )

  it("has a policy that refuses images from any other host", async () => {
    const visitor = await Visitor.signedIn(place, desk, tiles.origin)
    await visitor.page.goto("/sites?view=map")
    await visitor.page.locator(".map-tiles img").first().waitFor({ state: "attached" })
    const other = tiles.origin.replace("127.0.0.1", "localhost")
    await visitor.page.evaluate(`new Promise((resolve) => {
      const image = document.createElement("img")
      image.addEventListener("error", () => resolve())
      image.addEventListener("load", () => resolve())
      image.src = ${JSON.stringify(`${other}/0/0/0.png`)}
      document.body.append(image)
    })`)
    await visitor.context.close()
    expect(visitor.problems.some((problem) => problem.startsWith("policy: img-src"))).toBe(true)
    expect(tiles.asked.some(({ path }) => path === "/0/0/0.png")).toBe(false)
  }, 60_000)
})
