/** What an operator sees before changing what is billed, in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("an operator who changes what is billed", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const dark: Screen = { ...desk, scheme: "dark" }
  const screens: ReadonlyArray<readonly [string, Screen]> = [
    ["at a desk", desk],
    ["in the dark theme", dark],
    ["on a phone", phone]
  ]

  const items = async (path: string) => (await place.service.ask("GET", path))["items"] as ReadonlyArray<Json>

  const fine = async (visitor: Visitor) => {
    expect(await visitor.axe()).toEqual([])
    expect(await visitor.sideways()).toBe(0)
  }

  const inclVat = (record: Json | undefined) => Number((record?.["totalCost"] as Json | undefined)?.["inclVat"])

  const amount = (text: string) => Number(text.replaceAll(/[^\d.\u2212-]/g, "").replace("\u2212", "-"))

  it.each(screens)(
    "sees the credit, the new record and the difference while typing a correction, before it is issued, %s",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const { page } = visitor
      const records = await items("cdrs?limit=50")
      const credited = new Set(records.map((one) => one["creditReferenceId"]))
      const record = records.find(
        (one) => one["credit"] === false && !credited.has(one["id"]) && Number(one["totalEnergyKwh"]) > 2
      )
      const sessionId = String(record?.["sessionId"])
      await page.goto(`/sessions/${sessionId}`)
      await page.getByRole("button", { name: "Correct", exact: true }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByRole("heading", { name: `Credit of record ${String(record?.["number"])}` }).waitFor()
      const change = dialog.getByRole("status").filter({ hasText: "changes by" })
      // Without a correction the two records add up to zero.
      expect(amount(await change.locator("b").innerText())).toBe(0)
      await dialog.getByLabel("Energy in kWh").fill("1")
      await change
        .locator("b")
        .filter({ hasText: /[-\u2212]/ })
        .waitFor()
      const [credit = "", bill = ""] = await dialog.locator("tfoot b").allInnerTexts()
      const changed = amount(await change.locator("b").innerText())
      expect(amount(credit)).toBeCloseTo(-inclVat(record), 1)
      expect(amount(credit) + amount(bill)).toBeCloseTo(changed, 1)
      await fine(visitor)
      await dialog.getByLabel("Ended").fill("2020-01-01T00:00:00")
      await dialog.getByRole("alert").filter({ hasText: "could not be computed" }).waitFor()
      await dialog.getByLabel("Ended").fill("")
      await change.waitFor()
      // The preview issued nothing.
      expect(await items(`cdrs?sessionId=${sessionId}`)).toHaveLength(1)
      await dialog.getByLabel("Reason").fill("the meter was exchanged")
      await dialog.getByLabel("Reason").press("Enter")
      await dialog.waitFor({ state: "detached" })
      const issued = await items(`cdrs?sessionId=${sessionId}`)
      const totals = issued.map(inclVat)
      expect(totals[0]).toBeCloseTo(amount(bill), 1)
      expect(totals[1]).toBeCloseTo(amount(credit), 1)
      // The credited record links to its credit, and cannot be credited again; nor can the credit.
      const creditThis = page.getByRole("button", { name: "Credit this record" })
      await page.goto(`/cdrs/${String(record?.["id"])}`)
      await page.getByText("A credit has taken this record back.").getByRole("link").click()
      await page
        .getByText("This is a credit")
        .getByRole("link", { name: `Record ${String(record?.["number"])}` })
        .waitFor()
      expect(await creditThis.getAttribute("aria-disabled")).toBe("true")
      await page.goBack()
      await page.getByText("A credit has taken this record back.").waitFor()
      expect(await creditThis.getAttribute("aria-disabled")).toBe("true")
      await visitor.context.close()
      // A browser logs that an end before the start is refused.
      expect(visitor.problems.filter((text) => !text.includes("status of 400"))).toEqual([])
    },
    60_000
  )

  it.each(screens)(
    "sees how many running sessions keep their version before a new version of the tariff is saved, %s",
    async (_, screen) => {
      const underTariff = async () => {
        const running = await items("sessions?status=ACTIVE&limit=50")
        const prices = await Promise.all(
          running.map((one) => place.service.ask("GET", `sessions/${String(one["id"])}/price`))
        )
        return prices.map(({ tariff }) => String((tariff as Json)["id"]))
      }
      const tariffId = (await underTariff())[0]!
      // A version that the form can show, and under which no session runs yet.
      const elements = [{ priceComponents: [{ type: "ENERGY", price: 2, stepSize: 1 }] }]
      await place.service.ask("PATCH", `tariffs/${tariffId}`, { elements })
      const visitor = await Visitor.signedIn(place, screen)
      const { page } = visitor
      await page.goto(`/tariffs/${tariffId}`)
      await page.getByRole("button", { name: "New version" }).click()
      const dialog = page.getByRole("dialog")
      const counted = async () => {
        const { items: versions } = await place.service.ask("GET", `tariffs/${tariffId}/running-sessions`)
        return (versions as ReadonlyArray<Json>).reduce((sum, one) => sum + Number(one["sessions"]), 0)
      }
      const shown = dialog.getByText(/running sessions? keeps? (?:its|their) version/)
      await shown.waitFor()
      // Cars come and go meanwhile.
      await until(
        () => "the dialog shows what runs under the tariff",
        20_000,
        async () => {
          const under = (await underTariff()).filter((id) => id === tariffId).length
          return (await counted()) === under && Number.parseInt(await shown.innerText(), 10) === under
        }
      )
      await fine(visitor)
      await visitor.context.close()
      expect(visitor.problems).toEqual([])
    },
    60_000
  )
})
