/** The queue of chargers whose configuration differs: found after a change of the template, worked through by keys, set, and removed by itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("chargers whose configuration differs", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(3)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  /** The connected chargers get the new template after their next boot, so that they differ until then. */
  const expects = (value: string) =>
    place.service.ask("PUT", "configuration-template", { keys: [{ key: "MeterValueSampleInterval", value }] })

  const drifts = async () => (await place.service.ask("GET", "configuration-drifts"))["items"] as ReadonlyArray<Json>

  const waiting = (count: number) =>
    until(
      () => `${String(count)} chargers differ`,
      30_000,
      async () => (await place.service.ask("GET", "work"))["configurationDrifts"] === count
    )

  const screens: ReadonlyArray<readonly [string, Screen, string]> = [
    ["by keys at a desk", desk, "17"],
    ["by keys in the dark theme", { ...desk, scheme: "dark" }, "18"],
    ["on a phone", phone, "19"]
  ]

  it.each(screens)(
    "are a work queue to go through %s",
    async (_, screen, value) => {
      await waiting(0)
      const visitor = await Visitor.signedIn(place, screen)
      const { context, page } = visitor
      await page.goto("/work?queue=drift")
      await page.getByText("Every charger has the keys that it could set as expected.").waitFor()
      await expects(value)
      // The event reports that there is work: nothing is polled.
      const queue = page.locator(".queue ol button")
      await queue.nth(2).waitFor({ timeout: 30_000 })
      await page.locator(".lenses").getByText("3", { exact: true }).waitFor()
      const [first, second] = await drifts()
      expect([first?.["keys"], second?.["keys"]]).toEqual([1, 1])
      await page.keyboard.press("j")
      expect(await queue.nth(1).getAttribute("aria-current")).toBe("true")
      await page.keyboard.press("k")
      await page.keyboard.press("k")
      expect(await queue.nth(0).getAttribute("aria-current")).toBe("true")
      await page.getByRole("heading", { level: 2, name: String(first?.["name"]) }).waitFor()
      const keys = page.locator(".queue section .rows li")
      // The keys are loaded after the heading is shown.
      await keys.first().waitFor()
      expect(await keys.count()).toBe(1)
      expect(await keys.innerText()).toContain(`expected ${value}`)
      expect(await visitor.axe()).toEqual([])
      expect(await visitor.sideways()).toBe(0)
      if (screen === phone) await page.getByRole("button", { name: "Set 1 key as expected" }).click()
      else await page.keyboard.press("a")
      // The charger accepted the value: it leaves the queue by itself, and the next one is selected.
      await page.getByRole("heading", { level: 2, name: String(second?.["name"]) }).waitFor({ timeout: 30_000 })
      await queue.nth(2).waitFor({ state: "detached" })
      await page.keyboard.press("o")
      await page.waitForURL(`**/chargers/${encodeURIComponent(String(second?.["chargerId"]))}?tab=configuration`)
      for (const { chargerId } of await drifts()) {
        await place.service.ask("POST", `chargers/${encodeURIComponent(String(chargerId))}/configuration/apply`, {})
      }
      await waiting(0)
      await context.close()
      expect(visitor.problems).toEqual([])
    },
    120_000
  )
})
