/** An owner disables a person in a real browser, sees what the person has made that still works, and closes what they choose. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>

describe.skipIf(!canBrowse)("what a disabled person has made", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(1)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  /** Another owner, who has made a key, a webhook, a partner's invitation and an invitation. */
  const maker = async (name: string) => {
    const { service } = place
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" }
    const post = async (path: string, body: object, cookie = "") => {
      const answer = await fetch(`${service.url}/cpo/v2/${path}`, {
        method: "POST",
        headers: { ...headers, cookie },
        body: JSON.stringify(body)
      })
      expect(answer.ok, await answer.clone().text()).toBe(true)
      return answer
    }
    const { link } = await service.ask("POST", "invitations", { email: `${name}@demo.example`, roleId: "Owner" })
    const token = new URL(String(link)).hash.slice(1)
    const accepted = await post("invitations/accept", { token, name, password: "a long password of Nils" })
    const { operator } = (await accepted.json()) as { readonly operator: { readonly id: string } }
    const cookie = accepted.headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; ")
    await post("api-keys", { name: "Billing export" }, cookie)
    await post("webhooks", { url: `https://hooks.example/${name}/${"long".repeat(20)}` }, cookie)
    const partyId = name.slice(0, 3).toUpperCase()
    await post("partners", { name: `Roaming ${name}`, countryCode: "FI", partyId, roles: ["EMSP"] }, cookie)
    await post("invitations", { email: `friend-of-${name}@demo.example`, roleId: "Viewer" }, cookie)
    return operator.id
  }

  const leftOf = async (id: string): Promise<ReadonlyArray<unknown>> => {
    const { items } = (await place.service.ask("GET", `operators/${id}/access`)) as {
      readonly items: ReadonlyArray<Json>
    }
    return items.map(({ kind, works }) => [kind, works])
  }

  const row = (visitor: Visitor, name: string) =>
    visitor.page.locator(".rows > li").filter({ has: visitor.page.getByText(`${name}@demo.example`, { exact: true }) })

  it.each<readonly [string, string, Screen]>([
    ["wide and light", "nils", desk],
    ["narrow and dark", "olga", { ...phone, scheme: "dark" }]
  ])("is listed, chosen and closed, %s", async (_, name, screen) => {
    const id = await maker(name)
    const visitor = await Visitor.signedIn(place, screen)
    const { context, page, problems } = visitor
    await page.goto("/settings/operators")
    await row(visitor, name).getByRole("button", { name: "Disable" }).click()
    const dialog = page.getByRole("dialog", { name: `Disable ${name}` })
    const boxes = dialog.getByRole("checkbox")
    await boxes.first().waitFor()
    expect(await dialog.getByText(`friend-of-${name}@demo.example`).isVisible()).toBe(true)
    expect(await Promise.all((await boxes.all()).map((box) => box.isChecked()))).toEqual([true, true, true])
    expect(await visitor.axe()).toEqual([])
    expect(await visitor.sideways()).toBeLessThanOrEqual(0)
    const shots = process.env["SCREENSHOTS"]
    if (shots !== undefined) await page.screenshot({ path: `${shots}/left-access-${name}.png` })
    await dialog.getByRole("checkbox", { name: /^API key/ }).uncheck()
    await dialog.getByRole("button", { name: "Disable" }).click()
    await dialog.waitFor({ state: "detached" })
    await row(visitor, name).getByText("Disabled", { exact: true }).waitFor()
    // The invitation ended by itself, and the key that was not chosen has stopped.
    expect(await leftOf(id)).toEqual([["ApiKey", false]])

    await row(visitor, name).getByRole("button", { name: "What still works" }).click()
    const closing = page.getByRole("dialog", { name: `Made by ${name}` })
    await closing.getByRole("checkbox", { name: /^API key/ }).waitFor()
    await closing.getByRole("button", { name: "Close selected" }).click()
    await closing.waitFor({ state: "detached" })
    expect(await leftOf(id)).toEqual([])
    await context.close()
    expect(problems).toEqual([])
  })
})
