/** "Who changed this?": one key on a thing's page, or one link in its row, leads to its own entries in the audit log. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { canBrowse, desk, firstOf, phone, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("the history of a thing", () => {
  let place: Town
  let pages: ReadonlyArray<readonly [string, path: string, subject: string]>
  let operatorId: string
  let webhookId: string
  let roleId: string

  beforeAll(async () => {
    place = await town(3)
    const { service } = place
    const first = async (path: string, key?: string) => decodeURIComponent(await firstOf(place, path, key))
    // A record is issued some time after its session has ended.
    await vi.waitFor(async () => expect(await first("cdrs")).not.toBe("undefined"), { timeout: 20_000, interval: 200 })
    const made = async (path: string, body: object) => String((await service.ask("POST", path, body))["id"])
    const filter = { filter: {}, needsApproval: true }
    const campaign = await made("firmware-campaigns", { name: "9.1", location: "https://f.example/9.bin", ...filter })
    const batch = await made("command-batches", { command: { type: "ClearCache" }, filter: {}, perMinute: 1 })
    webhookId = await made("webhooks", { url: "https://hooks.example/a" })
    roleId = await made("roles", { name: "Night shift", permissions: ["sites:read"] })
    operatorId = await first("operators")
    const [site, tariff, partner] = [await first("sites"), await first("tariffs"), await first("partners")]
    const charger = await first("chargers", "chargerId")
    const card = await first("tokens", "uid")
    const session = await first("sessions?status=COMPLETED")
    const record = await first("cdrs")
    await service.ask("POST", `cdrs/${record}/credit`)
    pages = [
      ["site", `/sites/${site}`, `site:${site}`],
      ["charger", `/chargers/${encodeURIComponent(charger)}`, `charger:${charger}`],
      ["tariff", `/tariffs/${tariff}`, `tariff:${tariff}`],
      ["card", `/cards/${encodeURIComponent(card)}`, `token:${card}`],
      ["partner", `/roaming/${partner}`, `partner:${partner}`],
      ["session", `/sessions/${session}`, `session:${session}`],
      ["record", `/cdrs/${record}`, `cdr:${record}`],
      ["campaign", `/files-and-firmware/campaigns/${campaign}`, `rollout:${campaign}`],
      ["batch", `/files-and-firmware/batches/${batch}`, `rollout:${batch}`]
    ]
  }, 120_000)
  afterAll(() => place[Symbol.asyncDispose]())

  /** Those that an operator or an API key created: the others come from the charger or the service itself, and have no author. */
  const authored = new Set(["site", "charger", "tariff", "card", "partner", "campaign", "batch"])

  it("opens with one key on every page of a single thing, and shows only its entries", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { page } = visitor
    page.setDefaultTimeout(10_000)
    for (const [name, path, subject] of pages) {
      await page.goto(path)
      const link = page.locator(".side-head").getByRole("link", { name: "History" })
      await link.waitFor()
      expect([name, await link.getAttribute("aria-keyshortcuts")]).toEqual([name, "h"])
      await page.keyboard.press("h")
      await page.waitForURL((url) => url.pathname === "/audit-log")
      expect([name, new URL(page.url()).searchParams.get("subject")]).toEqual([name, subject])
      // The page of a charger has log lines of its own, which stay until the next page is shown.
      const audit = page.getByRole("region", { name: "Audit log" })
      await audit.locator(".log-line, .empty").first().waitFor()
      const shown = new Set(await audit.locator(".log-line .mono").allInnerTexts())
      expect([name, [...shown]]).toEqual([name, authored.has(name) || shown.size > 0 ? [subject] : []])
    }
    await page.goto(pages[0]![1])
    await page.locator(".side-head").getByRole("link", { name: "History" }).waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog").getByText("History", { exact: true }).waitFor()
    await visitor.context.close()
    expect(visitor.problems).toEqual([])
  }, 120_000)

  it("is linked in each row of things that have no page of their own", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { page } = visitor
    page.setDefaultTimeout(10_000)
    const rows: ReadonlyArray<readonly [string, string, string]> = [
      ["/events/webhooks", "hooks.example", `webhook:${webhookId}`],
      ["/settings/operators", "you@demo.example", `operator:${operatorId}`],
      ["/settings/operators", "Night shift", `role:${roleId}`]
    ]
    for (const [path, text, subject] of rows) {
      await page.goto(path)
      await page.locator(".rows li", { hasText: text }).getByRole("link", { name: "History" }).click()
      await page.waitForURL((url) => url.pathname === "/audit-log")
      expect(new URL(page.url()).searchParams.get("subject")).toBe(subject)
      await page.locator(".log-line", { hasText: subject }).first().waitFor()
    }
    const charger = decodeURIComponent(await firstOf(place, "chargers", "chargerId"))
    await place.service.ask("POST", `chargers/${encodeURIComponent(charger)}/commands`, {
      type: "ReserveNow",
      connectorId: 0,
      idTag: place.built.cards[0]!.uid,
      expiryDate: new Date(Date.now() + 3_600_000).toISOString()
    })
    await page.goto("/reservations")
    await page
      .locator("tr.line", { hasText: place.built.cards[0]!.uid })
      .first()
      .getByRole("link", { name: "History" })
      .click()
    await page
      .locator(".log-line", { hasText: `charger:${charger}` })
      .first()
      .waitFor()
    expect(new URL(page.url()).searchParams.get("action")).toBe("CommandIssued")
    await visitor.context.close()
    expect(visitor.problems).toEqual([])
  }, 60_000)

  it("has a link that fits on a phone's screen", async () => {
    const visitor = await Visitor.signedIn(place, phone)
    for (const [name, path] of pages) {
      await visitor.page.goto(path)
      await visitor.page.locator(".side-head").getByRole("link", { name: "History" }).waitFor()
      expect([name, await visitor.sideways()]).toEqual([name, 0])
    }
    await visitor.context.close()
    expect(visitor.problems).toEqual([])
  }, 60_000)
})
