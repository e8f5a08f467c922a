/** Builds the town over REST, as an operator would: the organisation, its sites, chargers, cards and tariffs, and two roaming partners. */
import { Partner } from "../test/ocpi/partner/Partner.ts"
import type { Service } from "./Service.ts"
import {
  type Card,
  cards as cardsOf,
  type ChargerPlan,
  chargers as chargersOf,
  type Random,
  sites,
  type TariffName,
  tariffs
} from "./Town.ts"
import { Drivers } from "./Drivers.ts"
import { TownCharger } from "./TownCharger.ts"

export interface Built {
  readonly chargers: ReadonlyArray<TownCharger>
  readonly cards: ReadonlyArray<Card>
  readonly partners: ReadonlyArray<DemoPartner>
}

export interface DemoPartner {
  readonly name: string
  readonly partner: Partner
  /** The cards of its drivers. */
  readonly uids: ReadonlyArray<string>
}

export interface BuildOptions {
  readonly random: Random
  readonly chargers: number
  readonly speed: number
  readonly say: (text: string) => void
}

/** Requests at a time. */
const atOnce = 6

const each = async <A>(of: ReadonlyArray<A>, work: (one: A) => Promise<unknown>): Promise<void> => {
  const left = [...of]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
    })
  )
}

const makeTariffs = async (service: Service): Promise<ReadonlyMap<TariffName, string>> => {
  const made = new Map<TariffName, string>()
  for (const name of Object.keys(tariffs) as ReadonlyArray<TariffName>) {
    made.set(name, String((await service.ask("POST", "tariffs", tariffs[name]))["id"]))
  }
  return made
}

const makeSites = async (service: Service): Promise<ReadonlyMap<string, string>> => {
  const made = new Map<string, string>()
  for (const { latitude, longitude, name, postalNumber, streetAddress } of sites) {
    const body = {
      name,
      timeZone: "Europe/Stockholm",
      streetAddress,
      postalNumber,
      city: "Göteborg",
      country: "SE",
      latitude,
      longitude
    }
    made.set(name, String((await service.ask("POST", "sites", body))["id"]))
  }
  return made
}

const makeCharger = async (service: Service, plan: ChargerPlan, siteId: string, speed: number): Promise<string> => {
  const { chargerId, make, name, serialNumber } = plan
  const body = {
    name,
    chargerId,
    siteId,
    securityProfile: 1,
    generatePassword: true,
    registeredSerialNumber: serialNumber
  }
  const made = await service.ask("POST", "chargers", body)
  const isDc = make.current === "DC"
  // With `speed` above 1, cars draw more power than the connector has: it is registered with a higher maximum.
  const maxPowerW = Math.round(make.powerW * Math.max(1, speed) * 1.05)
  await service.ask("PATCH", `chargers/${chargerId}`, {
    connectors: Array.from({ length: make.connectors }, (_, n) => ({
      connectorId: n + 1,
      standard: isDc ? "IEC_62196_T2_COMBO" : "IEC_62196_T2",
      format: isDc ? "CABLE" : "SOCKET",
      powerType: isDc ? "DC" : "AC_3_PHASE",
      maxVoltage: isDc ? 920 : 230,
      maxAmperage: isDc ? 500 : 32,
      maxPowerW
    }))
  })
  return String(made["password"])
}

const makePartner = async (
  service: Service,
  about: {
    readonly version: "2.1.1" | "2.2.1"
    readonly countryCode: string
    readonly partyId: string
    readonly name: string
  }
): Promise<DemoPartner> => {
  const partner = await Partner.start(about)
  const { countryCode, name, partyId } = about
  const invited = await service.ask("POST", "partners", { name, countryCode, partyId, roles: ["EMSP"] })
  await partner.register(String(invited["versionsUrl"]), String(invited["credentialsToken"]))
  const uids = Array.from({ length: 8 }, (_, n) => `${partyId}${String(n + 1).padStart(5, "0")}`)
  const now = new Date().toISOString().replace(/\.\d+Z$/, "Z")
  for (const uid of uids) {
    const contract = `${countryCode}-${partyId}-C${uid}`
    const owner =
      about.version === "2.1.1"
        ? { auth_id: contract }
        : { country_code: countryCode, party_id: partyId, contract_id: contract }
    await partner.putToken({
      uid,
      type: "RFID",
      ...owner,
      issuer: name,
      valid: true,
      whitelist: "ALLOWED",
      last_updated: now
    })
  }
  return { name, partner, uids }
}

export const build = async (service: Service, options: BuildOptions): Promise<Built> => {
  const { random, say, speed } = options
  await service.ask("PATCH", "organisation", { name: "Göteborg Ladd (demo)", timeZone: "Europe/Stockholm" })
  const siteIds = await makeSites(service)
  const tariffIds = await makeTariffs(service)
  for (const [name, tariffId] of tariffIds) {
    const assign = (to: object) => service.ask("PUT", `tariffs/${tariffId}/assignments`, to)
    if (name === "street") await assign({ default: true })
    for (const site of sites.filter(({ tariff }) => tariff === name)) await assign({ siteId: siteIds.get(site.name) })
  }
  const cards = cardsOf(random)
  await each(cards, (card) => service.ask("POST", "tokens", card))
  say(`${sites.length} sites, ${cards.length} cards, ${tariffIds.size} tariffs`)

  const partners: Array<DemoPartner> = []
  partners.push(
    await makePartner(service, { version: "2.2.1", countryCode: "DE", partyId: "RHN", name: "Rhein Mobil" })
  )
  partners.push(
    await makePartner(service, { version: "2.1.1", countryCode: "NO", partyId: "FJD", name: "Fjord Lading" })
  )
  say(`partners: ${partners.map(({ name, partner }) => `${name} (OCPI ${partner.version})`).join(", ")}`)

  const drivers = new Drivers([...partners.flatMap(({ uids }) => uids), ...cards.map(({ uid }) => uid)])
  const plans = chargersOf(random, options.chargers)
  const chargers: Array<TownCharger> = []
  await each(plans, async (plan) => {
    const password = await makeCharger(service, plan, siteIds.get(plan.site) ?? "", speed)
    chargers.push(new TownCharger({ plan, ocppUrl: service.ocppUrl, password, random, drivers, speed, say }))
  })
  say(`${chargers.length} chargers of ${new Set(plans.map(({ make }) => make.model)).size} makes`)
  return { chargers, cards, partners }
}
