/** Editing in a real browser: a form changes what was typed into it, and nothing that it cannot show or that changed meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, visiting } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("an edit", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const ask = (method: string, path: string, body?: Json) => place.service.ask(method, path, body)

  it("of a card's note leaves the card expired, with the hour of its expiry", async () => {
    const uid = "EDITED-1"
    await ask("POST", "tokens", { uid, status: "Expired", note: "pool car", expiresAt: "2026-11-30T18:00:00.000Z" })
    const { end, page } = await visiting(place, desk)
    await page.goto(`/cards/${uid}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Note").fill("pool car 2")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await ask("GET", `tokens/${uid}`)).toMatchObject({
      note: "pool car 2",
      status: "Expired",
      expiresAt: "2026-11-30T18:00:00.000Z"
    })
    await end()
  }, 60_000)

  it("of a card's note keeps a block that another operator made while the form was open", async () => {
    const uid = "EDITED-2"
    await ask("POST", "tokens", { uid, note: "pool car" })
    const { end, page } = await visiting(place, desk)
    await page.goto(`/cards/${uid}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await ask("PATCH", `tokens/${uid}`, { status: "Blocked" })
    // The page behind the dialog has the new state.
    await page.locator(".side .pill", { hasText: "Blocked" }).first().waitFor()
    await dialog.getByLabel("Note").fill("stolen")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await ask("GET", `tokens/${uid}`)).toMatchObject({ note: "stolen", status: "Blocked" })
    await end()
  }, 60_000)
})
