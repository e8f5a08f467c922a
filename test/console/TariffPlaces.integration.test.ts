/** Where tariffs are assigned, as a tree, and which one applies at a connector, in a real browser: the page shows what the service answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

interface Charger {
  readonly chargerId: string
  readonly name: string
  readonly siteId: string
  readonly connectors: ReadonlyArray<{ readonly evseId: number; readonly connectorId: number }>
}

const screens: ReadonlyArray<readonly [string, Screen]> = [
  ["in the light theme", desk],
  ["in the dark theme", { ...desk, scheme: "dark" }],
  ["on a phone", phone]
]

describe.skipIf(!canBrowse)("the assignments of tariffs", () => {
  let place: Town
  let charger: Charger
  let other: Charger
  let siteName: string
  const ids: Record<string, string> = {}

  const tariff = async (name: string, more: object = {}): Promise<string> => {
    const made = await place.service.ask("POST", "tariffs", {
      currency: "EUR",
      elements: [{ priceComponents: [{ type: "ENERGY", price: 0.4, stepSize: 1 }] }],
      tariffAltText: [{ language: "en", text: name }],
      ...more
    })
    return String(made["id"])
  }

  beforeAll(async () => {
    place = await town(4)
    const { ask } = { ask: place.service.ask.bind(place.service) }
    // Removes the town's own assignments, so that only those of this test exist.
    const { items: assigned } = (await ask("GET", "tariff-assignments?limit=500")) as {
      readonly items: ReadonlyArray<Record<string, string | number | null>>
    }
    for (const { chargerId, connectorId, evseId, scope, siteId, tariffId } of assigned) {
      const named = scope === "site" ? { siteId } : { chargerId, connectorId, evseId }
      const query = scope === "organisation" ? { default: "true" } : named
      const given = Object.entries(query).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]]))
      await ask("DELETE", `tariffs/${tariffId}/assignments?${new URLSearchParams(given as never).toString()}`)
    }
    let items: ReadonlyArray<Charger> = []
    await until(
      () => `every charger has reported its connectors: ${JSON.stringify(items)}`,
      30_000,
      async () => {
        items = ((await ask("GET", "charger-rows?limit=10")) as { readonly items: ReadonlyArray<Charger> }).items
        return items.every(({ connectors }) => connectors.length > 0)
      }
    )
    charger = items[0]!
    other = items.find(({ siteId }) => siteId !== charger.siteId) ?? items[1]!
    siteName = String((await ask("GET", `sites/${charger.siteId}`))["name"])
    ids["usual"] = await tariff("Usual")
    ids["town"] = await tariff("Town", { endDateTime: "2026-01-01T00:00:00Z" })
    ids["fast"] = await tariff("Fast")
    ids["feast"] = await tariff("Feast", { startDateTime: "2031-12-24T00:00:00Z" })
    const assign = (id: string | undefined, body: object) => ask("PUT", `tariffs/${id}/assignments`, body)
    await assign(ids["usual"], { default: true })
    await assign(ids["town"], { siteId: charger.siteId })
    await assign(ids["fast"], { chargerId: charger.chargerId })
    await assign(ids["feast"], { connector: { chargerId: charger.chargerId, connectorId: 1 } })
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it.each(screens)(
    "are shown as a tree from everywhere to a connector, with the tariff that applies and the reasons, %s",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const { page } = visitor
      page.setDefaultTimeout(10_000)
      await page.goto("/tariffs")
      await page.locator(".lenses").getByText("Where they apply").click()
      const row = (text: string) => page.locator(".tree-row", { hasText: text }).first()
      await row("Everywhere").getByRole("link", { name: "Usual" }).waitFor()
      await row(siteName).getByRole("link", { name: "Town" }).waitFor()
      await row(`Charger: ${charger.name}`).getByRole("link", { name: "Fast" }).waitFor()
      await row("connector 1").getByRole("link", { name: "Feast" }).waitFor()
      // Each assignment is nested below the wider one.
      expect(await page.locator(".tree > li > ul > li > ul > li > ul > li").count()).toBe(1)
      await page.locator(".why").getByRole("combobox", { name: "Charger" }).selectOption(charger.chargerId)
      const winner = page.locator(".why article").first()
      await winner.getByRole("link", { name: "Fast" }).waitFor()
      const reasons = await winner.locator(".checks li").allInnerTexts()
      expect(reasons.map((one) => one.replace(/\s+/g, " "))).toEqual([
        expect.stringMatching(/^– Connector: Feast v1 · not valid before (?:Dec 2[345], 2031|2[345] Dec 2031)/),
        "✓ Charger: Fast v1 · applies",
        expect.stringMatching(/^– Site: Town v1 · not valid since /),
        "– Everywhere: Usual v1 · a narrower one applies"
      ])
      // The address contains the choice, so that a colleague sees the same.
      const address = new URL(page.url())
      expect(address.searchParams.get("charger")).toBe(charger.chargerId)
      await page.getByLabel("Starts").fill("2031-12-25T18:00")
      await winner.getByRole("link", { name: "Feast" }).waitFor()
      await page.locator(".why").getByRole("combobox", { name: "Charger" }).selectOption(other.chargerId)
      await winner.getByRole("link", { name: "Usual" }).waitFor()
      expect(await visitor.axe()).toEqual([])
      expect(await visitor.sideways()).toBeLessThanOrEqual(0)
      await visitor.context.close()
      expect(visitor.problems).toEqual([])
    },
    60_000
  )

  it("are added and removed on the tariff's page, and the tariff that applies at the connector changes with them", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { page } = visitor
    page.setDefaultTimeout(10_000)
    const id = await tariff("Special")
    await page.goto(`/tariffs/${id}?view=places&charger=${encodeURIComponent(charger.chargerId)}`)
    const side = page.locator(".side")
    await side.getByText("It is assigned nowhere").waitFor()
    await side.getByRole("button", { name: "Assign…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog
      .getByLabel("Applies to")
      .selectOption({ label: `Charger: ${charger.name} · connector ${charger.connectors[0]!.evseId}` })
    await dialog.getByRole("button", { name: "Assign", exact: true }).click()
    await side.locator(".tree-row", { hasText: "connector 1" }).waitFor()
    const { items } = (await place.service.ask("GET", `chargers/${charger.chargerId}/tariffs`)) as {
      readonly items: ReadonlyArray<{ readonly tariffId: string }>
    }
    expect(items[0]?.tariffId).toBe(id)
    await side.locator(".tree-row", { hasText: "connector 1" }).getByRole("button", { name: "Remove" }).click()
    await side.getByText("It is assigned nowhere").waitFor()
    const after = (await place.service.ask(
      "GET",
      `chargers/${charger.chargerId}/tariffs`
    )) as typeof items extends never ? never : { readonly items: ReadonlyArray<{ readonly tariffId: string }> }
    expect(after.items[0]?.tariffId).toBe(ids["fast"])
    await visitor.context.close()
    expect(visitor.problems).toEqual([])
  }, 60_000)
})
