/** How pages name things in a real browser: chargers and connectors by name, times in readable form, and the same words for the same state. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, firstOf, type Town, town, visiting } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d/

describe.skipIf(!canBrowse)("pages", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(4)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const ask = (method: string, path: string, body?: Json) => place.service.ask(method, path, body)
  const items = async (path: string) => (await ask("GET", path))["items"] as ReadonlyArray<Json>

  const signedIn = () => visiting(place, desk)

  it("say where a card charges and since when, and when it expires, with the charger's name and local times", async () => {
    const { uid } = place.built.cards[1]!
    const free = (row: Json) =>
      (row["connectors"] as ReadonlyArray<Json>).find(({ status }) => status === "Available")?.["evseId"]
    let charger: Json | undefined
    await until(
      () => "a connector is free",
      60_000,
      async () => (charger = (await items("charger-rows")).find((row) => free(row) !== undefined)) !== undefined
    )
    const { chargerId, name } = charger!
    const { end, page } = await signedIn()
    await page.goto(`/cards/${uid}`)
    await page.getByText("It may charge").waitFor()
    await ask("POST", `chargers/${String(chargerId)}/commands`, {
      type: "RemoteStart",
      idTag: uid,
      connectorId: free(charger!)
    })
    await ask("PATCH", `tokens/${uid}`, { expiresAt: "2030-01-02T03:04:05.000Z" })
    await until(
      () => "the card charges",
      30_000,
      async () => (await ask("GET", `tokens/${uid}/explanation`))["rule"] === "charging_already"
    )
    await page.goto(`/cards/${uid}`)
    const why = page.locator(".why")
    await why.getByText(`The card is charging already at ${String(name)} since`).waitFor()
    const text = await why.innerText()
    expect(text).toContain("It expires at")
    expect(text).not.toMatch(isoTime)
    expect(text).not.toContain(String(chargerId))
    await end()
  }, 90_000)

  it("show the duration of a record in hours and minutes or seconds", async () => {
    await until(
      () => "there is a record",
      60_000,
      async () => (await items("cdrs?limit=1")).length > 0
    )
    const { end, page } = await signedIn()
    await page.goto(`/cdrs/${await firstOf(place, "cdrs?limit=1")}`)
    const time = page.locator(".side .facts div", { hasText: /^Time/ }).locator("dd")
    await time.waitFor()
    expect(await time.innerText()).toMatch(/^(?:\d+ h )?\d+ (?:min|s)$/)
    await end()
  }, 90_000)

  it("name the charger of a session that waits for a decision", async () => {
    const [row] = await items("charger-rows")
    const answer = await ask("GET", `sessions?limit=1&chargerId=${String(row?.["chargerId"])}`)
    const { end, page } = await signedIn()
    await page.route(/\/sessions\?.*held=true/, (route) => route.fulfill({ json: answer }))
    await page.goto("/work")
    await page.locator(".queue ol b", { hasText: String(row?.["name"]) }).waitFor()
    expect(await page.locator(".queue section .secondary").innerText()).toContain(String(row?.["chargerId"]))
    await end()
  }, 60_000)

  it("offer the connectors of a command by their numbers, and send the command to the chosen one", async () => {
    const two = (await items("charger-rows")).find((row) => (row["connectors"] as ReadonlyArray<Json>).length === 2)!
    const { end, page } = await signedIn()
    await page.goto(`/chargers/${String(two["chargerId"])}`)
    await page.getByRole("button", { name: "More…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Unlock connector" }).click()
    const choice = page.getByRole("dialog").getByLabel("Connector")
    expect(await choice.locator("option").allInnerTexts()).toEqual(["connector 1", "connector 2"])
    await choice.selectOption({ label: "connector 2" })
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/commands"))
    await page.getByRole("dialog").getByRole("button", { name: "Unlock connector" }).click()
    expect((await sent).postDataJSON()).toMatchObject({ type: "UnlockConnector", connectorId: 2 })
    await end()
  }, 60_000)

  it("describe the publication of a site in the list as on its own page", async () => {
    const { id } = await ask("POST", "sites", { name: "Bare field", timeZone: "Europe/Stockholm", publish: true })
    const { end, page } = await signedIn()
    await page.goto("/sites")
    const row = page.locator(".line", { hasText: "Bare field" })
    expect(await row.locator(".c-published").innerText()).toBe("Not seen by partners yet")
    await page.goto(`/sites/${String(id)}`)
    await page.locator(".side", { hasText: "Not seen by partners yet: street, city" }).waitFor()
    await ask("PATCH", `sites/${String(id)}`, { publish: false })
    await page.locator(".side", { hasText: "Not for partners" }).waitFor()
    expect(await row.locator(".c-published").innerText()).toBe("Not for partners")
    await end()
  }, 60_000)

  it("show the unit of a price", async () => {
    const { end, page } = await signedIn()
    await page.goto("/tariffs?do=add")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Currency").fill("SEK")
    await dialog.getByLabel("Price (SEK/kWh)").waitFor()
    await dialog.getByLabel("Kind").selectOption("FLAT")
    expect(await dialog.getByLabel("Price (SEK/session)").count()).toBe(1)
    await end()
  }, 60_000)
})
