/** Every page of the console, by name and address, with content wherever the town has any. */
import { firstOf, type Town } from "./browser.ts"

export type Paths = ReadonlyArray<readonly [name: string, path: string]>

export const pagesOf = async (place: Town): Promise<Paths> => {
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
  const paths: Paths = [
    ["overview", "/"],
    ["work", "/work"],
    ["work: parked", "/work?queue=parked"],
    ["work: unknown", "/work?queue=unknown"],
    ["work: drift", "/work?queue=drift"],
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
    ["tariffs: where they apply", `/tariffs?view=places&charger=${await first("chargers", "chargerId")}`],
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
    ["quirks", "/settings/quirks"],
    ["add quirk", "/settings/quirks?do=add"],
    ["profile", "/settings/profile"],
    ["about", "/settings/about"],
    ["no such page", "/settings/none"],
    ["no such charger", "/chargers/none"]
  ]
  const partner = await first("partners")
  return paths.map(([name, path]) => [name, path === "" ? `/roaming/${partner}?tab=${name.slice(9)}` : path] as const)
}
