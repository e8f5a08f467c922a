/** What was posted to webhooks and sent to partners, in the browser: what happened to each, and how to send it again. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, firstOf, phone, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("deliveries", () => {
  let place: Town
  let answer = 204
  const receiver = createServer((request, response) => {
    request.resume()
    request.on("end", () => void response.writeHead(answer).end())
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", () => resolve()))
    place = await town(1)
  })
  afterAll(async () => {
    await place[Symbol.asyncDispose]()
    receiver.closeAllConnections()
    receiver.close()
  })

  const ask = (method: string, path: string, body?: unknown) => place.service.ask(method, path, body)
  const hostile = `<img src=x onerror="document.title='broken'">`

  it("show what was posted, what was answered and when the next try is, and are sent again from the work queue", async () => {
    const { port } = receiver.address() as AddressInfo
    const { id } = await ask("POST", "webhooks", { url: `http://127.0.0.1:${port}/`, types: ["site.changed"] })
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    await page.goto("/events/webhooks")
    await page.getByRole("button", { name: "Deliveries" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Nothing was delivered yet.").waitFor()
    // The delivery appears as soon as the event was posted.
    const site = await ask("POST", "sites", { name: hostile })
    const lines = dialog.locator(".rows > li")
    await lines.first().filter({ hasText: "Taken" }).waitFor({ timeout: 20_000 })
    expect(await lines.first().innerText()).toMatch(/site\.changed[^]*Taken[^]*1 try · answered 204 · taken /)
    expect(await lines.getByRole("button", { name: "Send again" }).count()).toBe(0)
    expect(await lines.locator("pre").count()).toBe(0)
    await lines.first().getByRole("button", { name: "Event" }).click()
    const body = await lines.first().locator("pre").innerText()
    expect(JSON.parse(body)).toMatchObject({ type: "site.changed", data: { siteId: site["id"], name: hostile } })
    expect(await page.locator("img[src=x]").count()).toBe(0)
    expect(await visitor.axe()).toEqual([])

    answer = 500
    await ask("PATCH", `sites/${String(site["id"])}`, { name: "Two" })
    const waiting = lines.filter({ hasText: "Waiting" })
    await waiting.filter({ hasText: /500[^]*next try / }).waitFor({ timeout: 20_000 })
    // With 410 the receiver refuses for good: the webhook is switched off, and what was refused is given up when it is switched on again.
    answer = 410
    await expect
      .poll(() => ask("GET", `webhooks/${String(id)}`).then((one) => one["active"]), { timeout: 30_000 })
      .toBe(false)
    await page.goto(page.url())
    await waiting.filter({ hasText: "waits until the webhook is active" }).waitFor()
    await ask("PATCH", `webhooks/${String(id)}`, { active: true })
    await page.goto("/work?queue=events")
    await page.getByRole("link", { name: `127.0.0.1:${port}` }).click()
    await lines.filter({ hasText: /Given up[^]*410[^]*given up / }).waitFor()
    expect(await lines.count()).toBe(1)
    expect(new URL(page.url()).searchParams.get("status")).toBe("Parked")
    answer = 204
    await lines.getByRole("button", { name: "Send again" }).click()
    await dialog.getByText("There are none of these.").waitFor({ timeout: 20_000 })
    await dialog.getByRole("button", { name: "Taken" }).click()
    await expect.poll(() => lines.count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(1)
    await context.close()
    expect(problems).toEqual([])
  }, 120_000)

  it.each([
    ["1440", desk],
    ["360", phone]
  ] as const)(
    "that a partner refused name their subject and link to it, at %s px",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const { context, page, problems } = visitor
      const partner = await firstOf(place, "partners")
      const site = await firstOf(place, "sites")
      await page.route("**/parked?*", (route) =>
        route.fulfill({
          json: {
            items: [
              {
                id: "01a20b60-5923-78b5-93a7-c183f2cff20f",
                kind: "evse",
                objectId: `${site}/VL-0001-1`,
                problem: `answered 400: ${hostile}`,
                tries: 7,
                dueAt: "2026-11-01T08:00:00.000Z",
                parkedAt: "2026-11-04T08:00:00.000Z"
              }
            ],
            nextCursor: null
          }
        })
      )
      await page.goto(`/roaming/${partner}?tab=parked`)
      const line = page.locator(".rows > li", { hasText: "EVSE" })
      await line.waitFor()
      expect(await line.innerText()).toMatch(/answered 400[^]*7 tries · due since .*Nov.* · given up .*Nov/)
      expect(await page.locator("img[src=x]").count()).toBe(0)
      expect(await visitor.sideways()).toBeLessThanOrEqual(0)
      expect(await visitor.axe()).toEqual([])
      await line.getByRole("link").click()
      await page.waitForURL(`**/sites/${site}`)
      await context.close()
      expect(problems).toEqual([])
    },
    60_000
  )
})
