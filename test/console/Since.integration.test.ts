/** What happened since a person was last here: counted from events, and shown on the overview of a real browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { LiveEvent } from "../../console/src/api/types.ts"
import { happenedIn } from "../../console/src/live/happened.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

const status = (chargerId: string, word: string) =>
  ({ type: "connector.status", data: { chargerId, evseId: 1, connectorId: 1, status: word } }) as unknown as LiveEvent

it("counts a fault that is still there apart from one that was mended, whatever came in between", () => {
  const words = ["Faulted", "Available", "Charging", "Faulted", "Faulted"]
  expect(happenedIn(words.map((word) => status("A", word)))).toMatchObject({ faulted: 1, healed: 0 })
  expect(happenedIn([...words, "Available"].map((word) => status("A", word)))).toMatchObject({ faulted: 0, healed: 1 })
  expect(happenedIn([status("A", "Faulted"), status("B", "Available")])).toMatchObject({ faulted: 1, healed: 0 })
  expect(happenedIn([])).toMatchObject({ faulted: 0, healed: 0, records: 0 })
})

describe.skipIf(!canBrowse)("the overview", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("says what happened since the person was last here, and nothing at a first visit", async () => {
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
    // Before the page's own code: the page that is left notes its own time.
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
