/** Quirks of charger models in a real browser: a rule is added with the form, applies to chargers, is changed and removed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

interface Book {
  readonly rules: ReadonlyArray<{ readonly name: string; readonly tolerances: object; readonly chargers: number }>
}

describe.skipIf(!canBrowse)("a quirk", () => {
  let place: Town
  beforeAll(async () => {
    place = await town(2)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it("is added with the form, changed without losing the rules of others, and removed", async () => {
    const book = async () => ((await place.service.ask("GET", "quirks")) as unknown as Book).rules
    const visitor = await Visitor.signedIn(place, desk)
    const { context, page, problems } = visitor
    await page.goto(`/chargers/${place.built.chargers[0]!.plan.chargerId}?tab=security`)
    await page.getByRole("button", { name: "Add a quirk of this model" }).click()
    const dialog = page.getByRole("dialog")
    expect(await dialog.getByLabel("Maker").inputValue()).not.toBe("")
    await dialog.getByLabel("Name of the rule").fill("late")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("alert").getByText("Choose at least one quirk.").waitFor()
    const late = dialog.getByRole("group", { name: "Answers late" })
    await late.getByText("Commands end as timed out").waitFor()
    await late.getByRole("checkbox").check()
    await late.getByLabel("Value (s)").fill("130")
    await dialog.getByRole("group", { name: "Does not report statuses by itself" }).getByRole("checkbox").check()
    expect(await visitor.axe()).toEqual([])
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("Answers late: 130 s").first().waitFor()
    expect(await book()).toMatchObject([
      { name: "late", tolerances: { callTimeoutSeconds: 130, statusAfterConnect: true } }
    ])
    expect((await book())[0]!.chargers).toBeGreaterThan(0)

    // Someone else adds a rule while the form is open.
    await page.getByRole("button", { name: "Edit" }).click()
    const theirs = { name: "theirs", vendor: "Other", tolerances: { skipConfigurationAfterBoot: true } }
    await place.service.ask("PUT", "quirks", { rules: [...(await book()), theirs] })
    await dialog.getByRole("group", { name: "Does not report statuses by itself" }).getByRole("checkbox").uncheck()
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("theirs").waitFor()
    expect(await book()).toMatchObject([
      { name: "late", tolerances: { callTimeoutSeconds: 130 } },
      { name: "theirs", tolerances: { skipConfigurationAfterBoot: true } }
    ])
    expect((await book())[0]!.tolerances).toEqual({ callTimeoutSeconds: 130 })

    await page.getByRole("listitem").filter({ hasText: "late" }).getByRole("button", { name: "Remove" }).first().click()
    await dialog.getByRole("button", { name: "Remove" }).click()
    await dialog.waitFor({ state: "detached" })
    expect((await book()).map(({ name }) => name)).toEqual(["theirs"])
    await context.close()
    expect(problems).toEqual([])
  }, 60_000)
})
