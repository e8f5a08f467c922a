/** A passkey in a real browser, with Chromium's virtual authenticator: added in the profile, then used to sign in without email and password. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("a passkey", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(1)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("is added after the password is entered again, is enough to sign in, and is removed", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    const device = await context.newCDPSession(page)
    await device.send("WebAuthn.enable")
    await device.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true
      }
    })
    await page.goto("/settings/profile")
    await page.getByRole("button", { name: "Add a passkey" }).click()
    await page.getByLabel("Name of the device").fill("Test laptop")
    const password = new URLSearchParams(new URL(place.service.link).hash.slice(1)).get("password") ?? ""
    await page.locator("form").filter({ hasText: "Name of the device" }).getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Add a passkey" }).click()
    await page.getByText("Test laptop").waitFor()
    expect(await visitor.axe()).toEqual([])
    await context.clearCookies()
    await page.goto("/sign-in")
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor()
    expect(await visitor.axe()).toEqual([])
    await page.getByRole("button", { name: "Sign in with a passkey" }).click()
    await page.locator(".shell").waitFor()
    await page.goto("/settings/profile")
    await page.getByText(/last used/).waitFor()
    await page.getByRole("button", { name: "Remove Test laptop" }).click()
    await page.getByText("Test laptop").waitFor({ state: "detached" })
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)

  it("is not needed for an authenticator app, whose secret the page shows as a QR code", async () => {
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    await page.goto("/settings/profile")
    const password = new URLSearchParams(new URL(place.service.link).hash.slice(1)).get("password") ?? ""
    await page.locator("form").filter({ hasText: "Switch on" }).getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await page.locator("svg.qr path").waitFor()
    expect(await visitor.axe()).toEqual([])
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
