/** Going back in the browser while a dialog is open: the dialog belongs to what it was opened for, and closes with it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, type Town, town, visiting } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("going back while a dialog is open", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
    // The form can show these.
    const elements = [{ priceComponents: [{ type: "ENERGY", price: 2, stepSize: 1 }] }]
    for (const { id } of await items("tariffs")) {
      await place.service.ask("PATCH", `tariffs/${String(id)}`, { elements })
    }
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const items = async (path: string) => (await place.service.ask("GET", path))["items"] as ReadonlyArray<Json>

  const pages: ReadonlyArray<readonly [button: string, list: string, path: string, key: string]> = [
    ["New version…", "/tariffs", "tariffs", "id"],
    ["Remove", "/tariffs", "tariffs", "id"],
    ["Correct", "/sessions", "sessions?status=COMPLETED", "id"],
    ["Reset…", "/chargers", "charger-rows", "chargerId"],
    ["Edit", "/cards", "tokens", "uid"],
    ["Edit", "/sites", "sites", "id"]
  ]

  it.each(pages)(
    "closes %s of %s: it does not go on with what was open before",
    async (button, list, path, key) => {
      let ids: ReadonlyArray<string> = []
      await until(
        () => `two of ${path}`,
        30_000,
        async () => {
          ids = (await items(path)).map((one) => String(one[key]))
          return ids.length > 1
        }
      )
      const { end, page } = await visiting(place, desk)
      const [first, second] = ids
      const isOpen = (id: string | undefined) => page.locator(`tr.line.open a[href^="${list}/${id}"]`).waitFor()
      await page.goto(`${list}/${first}`)
      await isOpen(first)
      const act = page.locator(".side").getByRole("button", { name: button, exact: true }).first()
      await act.waitFor()
      await page.locator(`tr.line a[href^="${list}/${second}"]`).click()
      await isOpen(second)
      await act.click()
      await page.getByRole("dialog").waitFor()
      await page.goBack()
      await isOpen(first)
      await act.waitFor()
      expect(await page.getByRole("dialog").count()).toBe(0)
      await end()
    },
    60_000
  )
})
