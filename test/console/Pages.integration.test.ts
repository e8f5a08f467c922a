/** Every page of the console in a real browser: nothing it must not do, nothing axe finds, nothing wider than the screen; in both themes, large and small. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { canBrowse, desk, firstOf, phone, type Screen, type Town, town, Visitor } from "./browser.ts"

describe.skipIf(!canBrowse)("every page", () => {
  let place: Town
  let paths: ReadonlyArray<readonly [name: string, path: string]>

  beforeAll(async () => {
    place = await town(8)
    const first = (path: string, key?: string) => firstOf(place, path, key)
    const charger = `/chargers/${await first("chargers", "chargerId")}`
    const made = async (path: string, body: object) => String((await place.service.ask("POST", path, body))["id"])
    const campaign = await made("firmware-campaigns", {
      name: "To 9.1",
      location: "https://firmware.example/9.1.bin",
      filter: {},
      needsApproval: true
    })
    const batch = await made("command-batches", { command: { type: "ClearCache" }, filter: {}, perMinute: 1 })
    paths = [
      ["overview", "/"],
      ["work", "/work"],
      ["work: parked", "/work?queue=parked"],
      ["work: unknown", "/work?queue=unknown"],
      ["sites", "/sites"],
      ["map", "/sites?view=map"],
      ["site", `/sites/${await first("sites")}`],
      ["chargers", "/chargers"],
      ["chargers, none fits", "/chargers?q=there-is-none"],
      ["add charger", "/chargers?do=add"],
      ...["sessions", "configuration", "commands", "profiles", "availability", "security"].map(
        (tab) => [`charger: ${tab}`, `${charger}?tab=${tab}`] as const
      ),
      ["sessions", "/sessions"],
      ["session", `/sessions/${await first("sessions?status=COMPLETED")}`],
      ["session: energy", `/sessions/${await first("sessions?status=COMPLETED")}?tab=energy`],
      ["reservations", "/reservations"],
      ["reserve", "/reservations?do=add"],
      ["files", "/files-and-firmware"],
      ["campaigns", "/files-and-firmware/campaigns"],
      ["add campaign", "/files-and-firmware/campaigns?do=add"],
      ["campaign", `/files-and-firmware/campaigns/${campaign}`],
      ["command batches", "/files-and-firmware/batches"],
      ["command batch", `/files-and-firmware/batches/${batch}`],
      ["tariffs", "/tariffs"],
      ["add tariff", "/tariffs?do=add"],
      ["tariff", `/tariffs/${await first("tariffs")}`],
      ["records", "/cdrs"],
      ["record", `/cdrs/${await first("cdrs")}`],
      ["cards", "/cards"],
      ["add card", "/cards?do=add"],
      ["card", `/cards/${await first("tokens", "uid")}`],
      ["card attempts", "/card-attempts"],
      ["roaming", "/roaming"],
      ...["health", "exchanges", "parked", "view"].map((tab) => [`partner: ${tab}`, ""] as const),
      ["events", "/events"],
      ["webhooks", "/events/webhooks"],
      ["check a signature", "/events/webhooks?do=check"],
      ["audit log", "/audit-log"],
      ["organisation", "/settings"],
      ["operators", "/settings/operators"],
      ["single sign-on", "/settings/single-sign-on"],
      ["developer area", "/settings/developer"],
      ["add key", "/settings/developer?do=add"],
      ["configuration template", "/settings/configuration"],
      ["profile", "/settings/profile"],
      ["about", "/settings/about"],
      ["no such page", "/settings/none"],
      ["no such charger", "/chargers/none"]
    ]
    const partner = await first("partners")
    paths = paths.map(
      ([name, path]) => [name, path === "" ? `/roaming/${partner}?tab=${name.slice(9)}` : path] as const
    )
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const screens: ReadonlyArray<readonly [string, Screen]> = [
    ["light, large", desk],
    ["dark, large", { ...desk, scheme: "dark" }],
    ["light, on a phone", phone],
    // A large screen at 200 % has half as many pixels for a page.
    ["at 200 %, in forced colours", { width: 720, height: 450, scheme: "dark", forcedColors: "active" }]
  ]

  it.concurrent.each(screens)(
    "%s",
    async (_, screen) => {
      const visitor = await Visitor.signedIn(place, screen)
      const found: Array<string> = []
      for (const [name, path] of paths) {
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
