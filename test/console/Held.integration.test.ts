/** The queue of held sessions: a verdict is on the session that is shown, whatever comes into the queue or leaves it meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { canBrowse, desk, type Town, town, visiting } from "./browser.ts"
import { Station } from "./station.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("the queue of held sessions", () => {
  let place: Town
  let station: Station
  beforeAll(async () => {
    place = await town(1)
    const chargerId = "HELD-1"
    const made = await ask("POST", "chargers", {
      name: chargerId,
      chargerId,
      securityProfile: 1,
      generatePassword: true
    })
    station = new Station(place.service.ocppUrl, chargerId, String(made["password"]))
    await station.start()
  })
  afterAll(async () => {
    await station.stop()
    await place[Symbol.asyncDispose]()
  })

  const ask = (method: string, path: string, body?: Json) => place.service.ask(method, path, body)
  const held = async () => (await ask("GET", "sessions?held=true"))["items"] as ReadonlyArray<Json>
  const heldReason = async (id: string) => (await ask("GET", `sessions/${id}`))["heldReason"]

  /** A session whose register fell; the newest one is first in the queue. */
  const hold = async (): Promise<string> => {
    const before = (await held()).length
    const cards = (await ask("GET", "tokens?limit=1"))["items"] as ReadonlyArray<Json>
    await station.begin(String(cards[0]?.["uid"]))
    await station.end(-1_000)
    await until(
      () => "the session is held",
      20_000,
      async () => (await held()).length > before
    )
    return String((await held())[0]?.["id"])
  }

  const empty = async () => {
    for (const { id } of await held()) await ask("POST", `sessions/${String(id)}/release`, {})
  }

  it("releases the session that is shown, also after a newer one came before it", async () => {
    await empty()
    const first = await hold()
    const { end, page } = await visiting(place, desk)
    await page.goto("/work")
    const rows = page.locator(".queue ol button")
    await page.locator(".queue .acts").waitFor()
    const second = await hold()
    await rows.nth(1).waitFor()
    expect(await rows.nth(1).getAttribute("aria-current")).toBe("true")
    await page.keyboard.press("l")
    // After one's own verdict the next one is selected.
    await rows.nth(1).waitFor({ state: "detached" })
    expect(await rows.first().getAttribute("aria-current")).toBe("true")
    expect([await heldReason(first), await heldReason(second)]).toEqual([null, "MeterStopBelowStart"])
    await end()
  }, 60_000)

  it("releases one session however long the key is held down", async () => {
    await empty()
    const older = await hold()
    const newer = await hold()
    const { end, page } = await visiting(place, desk)
    await page.goto("/work")
    const rows = page.locator(".queue ol button")
    await rows.nth(1).waitFor()
    await page.keyboard.down("l")
    await rows.nth(1).waitFor({ state: "detached" })
    for (let n = 0; n < 20; n++) {
      await page.keyboard.down("l")
      await page.waitForTimeout(30)
    }
    await page.keyboard.up("l")
    expect([await heldReason(newer), await heldReason(older)]).toEqual([null, "MeterStopBelowStart"])
    await page.keyboard.press("l")
    await rows.first().waitFor({ state: "detached" })
    expect(await heldReason(older)).toBeNull()
    await end()
  }, 60_000)

  it("releases nothing after the session that is shown was released elsewhere, until another one is selected", async () => {
    await empty()
    const [third, second, first] = [await hold(), await hold(), await hold()]
    const { end, page } = await visiting(place, desk)
    await page.goto("/work")
    const rows = page.locator(".queue ol button")
    await rows.nth(2).waitFor()
    await page.keyboard.press("j")
    expect(await rows.nth(1).getAttribute("aria-current")).toBe("true")
    await ask("POST", `sessions/${second}/release`, {})
    await page.getByText("What was selected is no longer in the list.").waitFor()
    await page.keyboard.press("l")
    expect(await page.locator(".queue section").getByRole("button").count()).toBe(0)
    await page.keyboard.press("j")
    await page.locator(".queue .acts").waitFor()
    await page.keyboard.press("l")
    await rows.nth(1).waitFor({ state: "detached" })
    expect([await heldReason(first), await heldReason(third)]).toEqual([expect.any(String), null])
    await end()
  }, 60_000)
})
