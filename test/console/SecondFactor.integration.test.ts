/** A second factor that is asked for again, in a real browser: a wrong code, then a right one, after which the refused call is repeated by itself. */
import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fromBase32, hotp, stepAt } from "../../src/domain/operator/Totp.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

const codeAt = (secret: string, now: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret), stepAt(now))

describe.skipIf(!canBrowse)("a second factor", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(1)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("is asked for before an API key is created, and a wrong code neither signs out nor creates one", async () => {
    const password = new URLSearchParams(new URL(place.service.link).hash.slice(1)).get("password") ?? ""
    // This browser signed in before the account had a second factor, so it has never presented one.
    const visitor = await Visitor.signedIn(place, desk)
    const other = await Visitor.signedIn(place, desk)
    const asked = (method: string, path: string, body: object) =>
      other.page.evaluate(
        async ([verb, to, content]) => {
          const headers = { "content-type": "application/json" }
          const answer = await fetch(`/cpo/v2${to}`, { method: verb, headers, body: JSON.stringify(content) })
          return (await answer.json()) as Readonly<Record<string, unknown>>
        },
        [method, path, body] as const
      )
    const secret = String((await asked("POST", "/me/totp", { password }))["secret"])
    // The code of the previous time step: the current one is left for the dialog.
    await asked("PUT", "/me/totp", { enabled: true, code: codeAt(secret, Date.now() - 30_000) })
    await other.context.close()

    const { context, page, problems } = visitor
    await page.goto("/settings/developer?do=add")
    const dialog = page.getByRole("dialog").last()
    await dialog.getByLabel("Name").fill("Nightly report")
    await dialog.getByRole("button", { name: "Add API key" }).click()
    const again = page.getByRole("dialog", { name: "Is it you?" })
    await again.waitFor()
    expect(await visitor.axe()).toEqual([])
    await again.getByLabel("Code").fill("000000")
    await again.getByRole("button", { name: "Continue" }).click()
    await again.getByText(/wrong, too old or already used/).waitFor()
    await again.getByLabel("Code").fill(codeAt(secret, Date.now()))
    await again.getByRole("button", { name: "Continue" }).click()
    await again.waitFor({ state: "detached" })
    await page.locator(".secret").waitFor()
    const { items } = (await place.service.ask("GET", "api-keys")) as {
      readonly items: ReadonlyArray<{ readonly name: string }>
    }
    expect(items.filter(({ name }) => name === "Nightly report")).toHaveLength(1)
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
