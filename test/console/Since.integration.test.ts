/** What happened since a person's last visit: counted from events, and shown on the overview in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { LiveEvent } from "../../console/src/api/types.ts"
import { happenedIn } from "../../console/src/live/happened.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

const status = (chargerId: string, word: string) =>
  ({ type: "connector.status", data: { chargerId, evseId: 1, connectorId: 1, status: word } }) as unknown as LiveEvent

it("counts a fault that remains separately from one that was cleared, whatever came in between", () => {
  const statuses = ["Faulted", "Available", "Charging", "Faulted", "Faulted"]
  expect(happenedIn(statuses.map((word) => status("A", word)))).toMatchObject({ faulted: 1, healed: 0 })
  expect(happenedIn([...statuses, "Available"].map((word) => status("A", word)))).toMatchObject({
    faulted: 0,
    healed: 1
  })
  expect(happenedIn([status("A", "Faulted"), status("B", "Available")])).toMatchObject({ faulted: 1, healed: 0 })
  expect(happenedIn([])).toMatchObject({ faulted: 0, healed: 0, records: 0 })
})

describe.skipIf(!canBrowse)("the overview", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("shows what happened since the person's last visit, and nothing at the first visit", async () => {
    const { service } = place
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    await page.goto("/")
    await page.getByRole("heading", { name: "Needs you" }).waitFor()
    expect(await page.locator(".since").count()).toBe(0)
    const { items } = (await service.ask("GET", "events?limit=500")) as {
      readonly items: ReadonlyArray<{ id: string }>
    }
    const me = (await page.evaluate(() => fetch("/cpo/v2/me").then((answer) => answer.json()))) as {
      readonly operator: { readonly id: string }
      readonly organisation: { readonly id: string }
    }
    // This runs before the page's own code, because the page that is left stores its own time.
    await page.addInitScript(
      ([key, event]) => localStorage.setItem(key!, JSON.stringify({ at: Date.now() - 3_600_000, event })),
      [`voltlane-visit:${me.organisation.id}:${me.operator.id}`, items.at(-1)!.id]
    )
    await service.ask("POST", "chargers", { name: "New one", chargerId: "SINCE-1" })
    await page.goto("/")
    await page.locator(".since", { hasText: "1 charger new" }).waitFor()
    expect(await visitor.axe()).toEqual([])
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
