/** Reserving a connector in a real browser: from the page, on a charger that accepts it, until it is cancelled. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("a reservation", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(3)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("is made on the page, appears in its lane and in the list, and is cancelled", async () => {
    // A connector that no car takes meanwhile.
    const charger = place.built.chargers[0]!
    for (let n = 0; n < 4; n++) charger.pullCable()
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    await page.goto("/reservations")
    await page.getByRole("button", { name: "Reserve" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Charger").fill("no such charger")
    await dialog.getByRole("button", { name: "Next" }).click()
    await dialog.getByRole("alert").waitFor()
    await dialog.getByLabel("Charger").fill(charger.plan.chargerId)
    await dialog.getByRole("button", { name: "Next" }).click()
    await dialog.getByLabel("Card").fill(place.built.cards[0]!.uid)
    const until = new Date(Date.now() + 3 * 3_600_000)
    const local = new Date(until.getTime() - until.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    await dialog.locator("input[type=datetime-local]").fill(local)
    await dialog.getByRole("button", { name: "Reserve" }).click()
    await page.locator(".lane rect.is-Active").waitFor()
    await page.locator(".pill", { hasText: "Active" }).first().waitFor()
    expect(await visitor.axe()).toEqual([])
    await page.getByRole("button", { name: "Cancel" }).first().click()
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /reservation/i })
      .click()
    await page.locator(".pill", { hasText: "Cancelled" }).first().waitFor()
    await page.locator(".lane").waitFor({ state: "detached" })
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("finds its charger also if the form is filled in before all chargers are loaded", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    const answer = Promise.withResolvers<void>()
    await context.route("**/v2/charger-rows?*", async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.goto("/reservations")
    await page.getByRole("button", { name: "Reserve" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Charger").fill(place.built.chargers[0]!.plan.chargerId)
    await dialog.getByRole("button", { name: "Next" }).click()
    await dialog.locator("[aria-disabled=true]", { hasText: "Next" }).waitFor()
    expect(await dialog.getByRole("alert").count()).toBe(0)
    answer.resolve()
    await dialog.getByLabel("Card").waitFor()
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
