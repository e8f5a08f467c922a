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

  it("is asked for before a key, a partner or a webhook is made, and a wrong code neither signs out nor makes one", async () => {
    const password = new URLSearchParams(new URL(place.service.link).hash.slice(1)).get("password") ?? ""
    // This browser signed in before the account had a second factor, so it has never presented one.
    const visitor = await Visitor.newlySignedIn(place, desk)
    const others = [await Visitor.newlySignedIn(place, desk), await Visitor.newlySignedIn(place, desk)] as const
    const other = await Visitor.newlySignedIn(place, desk)
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
    const { recoveryCodes } = await asked("PUT", "/me/totp", {
      enabled: true,
      code: codeAt(secret, Date.now() - 30_000)
    })
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

    const forms = [
      {
        path: "/roaming?do=add",
        submit: "Add partner",
        values: { Name: "Roamer", "Country code": "NL", "Party id": "ROA" }
      },
      { path: "/events/webhooks?do=add", submit: "Add webhook", values: { Address: "https://example.com/hook" } }
    ]
    for (const [n, { path, submit, values }] of forms.entries()) {
      const { context: before, page: form } = others[n]!
      await form.goto(path)
      const open = form.getByRole("dialog").last()
      for (const [label, value] of Object.entries(values)) await open.getByLabel(label, { exact: true }).fill(value)
      await open.getByRole("button", { name: submit }).click()
      const isYou = form.getByRole("dialog", { name: "Is it you?" })
      await isYou.getByLabel("Code").fill((recoveryCodes as ReadonlyArray<string>)[n] ?? "")
      await isYou.getByRole("button", { name: "Continue" }).click()
      await isYou.waitFor({ state: "detached" })
      // The call was repeated: its answer has the credential, shown once.
      await form.getByRole("dialog").locator("code").last().waitFor()
      await before.close()
      expect(others[n]!.problems).toEqual([])
    }
  }, 90_000)
})
