/**
 * Every page of the console in a real browser: no errors, nothing that axe finds, nothing wider than the screen; in both themes, large and small.
 * Each page is visited on two of the four screens, neighbours in the list on the other two; with `SCREENSHOTS=folder` on all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, phone, type Screen, type Town, town, Visitor } from "./browser.ts"
import { type Paths, pagesOf } from "./pages.ts"

describe.skipIf(!canBrowse)("every page", () => {
  let place: Town
  let paths: Paths

  beforeAll(async () => {
    place = await town(8)
    paths = await pagesOf(place)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const screens: ReadonlyArray<readonly [string, Screen]> = [
    ["light, large", desk],
    ["dark, large", { ...desk, scheme: "dark" }],
    ["light, on a phone", phone],
    // A large screen at 200 % has half as many pixels for a page.
    ["at 200 %, in forced colours", { width: 720, height: 450, scheme: "dark", forcedColors: "active" }]
  ]

  const isEvery = process.env["SCREENSHOTS"] !== undefined

  it.concurrent.each(screens)(
    "has no errors, no axe violations and nothing wider than the screen: %s",
    async (_, screen) => {
      const at = screens.findIndex(([, one]) => one === screen)
      const visitor = await Visitor.signedIn(place, screen)
      const found: Array<string> = []
      for (const [name, path] of paths.filter((_, n) => isEvery || n % 2 === at % 2)) {
        await visitor.page.goto(path)
        await visitor.settled()
        found.push(...(await visitor.axe()).map((problem) => `${name}: ${problem}`))
        const wider = await visitor.sideways()
        if (wider > 0) found.push(`${name}: ${wider} px wider than the screen`)
        found.push(...visitor.problems.splice(0).map((problem) => `${name}: ${problem}`))
      }
      await visitor.context.close()
      expect(found).toEqual([])
    },
    300_000
  )
})
