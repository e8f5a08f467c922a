/** Single sign-on in a real browser: an owner sets the provider up, and a person signs in with it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { clientSecret, Provider } from "../support/identityProvider.ts"
import { canBrowse, desk, phone, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("single sign-on", () => {
  let place: Town
  let provider: Provider
  beforeAll(async () => {
    place = await town(1)
    provider = await Provider.start()
  })
  afterAll(async () => {
    await provider.stop()
    await place[Symbol.asyncDispose]()
  })

  /** What the page did wrong; going to the provider is expected. */
  const problemsOf = ({ problems }: Visitor): ReadonlyArray<string> =>
    problems.filter((one) => !one.startsWith(`asked ${provider.issuer}/authorize?`))

  it("is set up by an owner, and signs a person in, or says why not", async () => {
    const owner = await Visitor.signedIn(place, desk)
    const { page } = owner
    await page.goto("/sign-in")
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
    expect(await page.getByRole("button", { name: "Single sign-on" }).count()).toBe(0)

    await page.goto("/settings/single-sign-on")
    await page.getByLabel("Issuer").fill(`${provider.issuer}/elsewhere`)
    await page.getByRole("button", { name: "Test the provider" }).click()
    await page.locator(".failed", { hasText: "identity provider" }).waitFor()
    await page.getByLabel("Issuer").fill(provider.issuer)
    await page.getByRole("button", { name: "Test the provider" }).click()
    await page.getByText("nothing is wrong with what it publishes").waitFor()
    await page.getByLabel("Client id").fill(provider.clientId)
    await page.getByLabel("Client secret").fill(clientSecret)
    await page.getByLabel("Domains of email addresses").fill("Staff.example")
    await page.getByRole("button", { name: "Add group" }).click()
    await page.getByLabel("Group 1", { exact: true }).fill("grid")
    await page.getByLabel("Role", { exact: true }).selectOption("Operations")
    await page.getByLabel("Single sign-on is on").check()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("One is stored.").waitFor()
    expect(await page.getByLabel("Group 1", { exact: true }).inputValue()).toBe("grid")
    await place.service.ask("POST", "single-sign-on/domains/staff.example/verify", { by: "Operator" })
    expect(await owner.axe()).toEqual([])
    await page.setViewportSize({ width: phone.width, height: phone.height })
    expect(await owner.sideways()).toBe(0)

    const person = await Visitor.open(place.browser, place.service.url, phone)
    const { name } = (await place.service.ask("GET", "organisation")) as { readonly name: string }
    const signOn = async () => {
      await person.page.goto("/sign-in?next=%2Fsettings%2Fprofile")
      await person.page.getByRole("button", { name: `Single sign-on for ${name}` }).click()
    }
    provider.person = { sub: "bo", email: "bo@staff.example", email_verified: true, name: "Bo Berg", groups: [] }
    await signOn()
    await person.page.getByText("None of your groups gives a role here.").waitFor()
    expect(await person.axe()).toEqual([])
    // The code does not stay in the address.
    expect(new URL(person.page.url()).search).toBe("")

    provider.person = { ...provider.person, groups: ["grid"] }
    await signOn()
    await person.page.getByText("You signed in by your organisation's identity provider.").waitFor()
    expect(new URL(person.page.url()).pathname).toBe("/settings/profile")
    await person.page.getByLabel("Name").waitFor()
    expect(await person.page.getByLabel("Name").inputValue()).toBe("Bo Berg")
    expect(await person.page.getByLabel("New password").count()).toBe(0)

    expect([...problemsOf(owner), ...problemsOf(person)]).toEqual([])
    await person.context.close()
    await owner.context.close()
  }, 120_000)
})
