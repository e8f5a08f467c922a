/**
 * The town of the demo: its sites, chargers, drivers' cards and tariffs. It is the same for the same seed, so that a screenshot or a bug report can
 * be reproduced.
 */

/** Numbers between 0 and 1; the same seed gives the same sequence (mulberry32). */
export type Random = () => number

export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <A>(random: Random, from: ReadonlyArray<A>): A => from[Math.floor(random() * from.length)]!

export const between = (random: Random, least: number, most: number): number => least + random() * (most - least)

export interface Make {
  readonly vendor: string
  readonly model: string
  readonly firmware: ReadonlyArray<string>
  readonly connectors: number
  /** Of each connector, in W. */
  readonly powerW: number
  readonly current: "AC" | "DC"
}

export const makes = {
  satellite: {
    vendor: "Kempower",
    model: "Satellite S2",
    firmware: ["5.2.0", "5.2.0", "5.1.3"],
    connectors: 2,
    powerW: 240_000,
    current: "DC"
  },
  hyper: { vendor: "alpitronic", model: "HYC200", firmware: ["2.7.1"], connectors: 2, powerW: 200_000, current: "DC" },
  terra: {
    vendor: "ABB",
    model: "Terra 184",
    firmware: ["1.9.4", "1.8.33"],
    connectors: 2,
    powerW: 150_000,
    current: "DC"
  },
  pro: { vendor: "Zaptec", model: "Pro", firmware: ["4.3.2.0"], connectors: 1, powerW: 22_000, current: "AC" },
  charge: { vendor: "Easee", model: "Charge", firmware: ["318", "311"], connectors: 1, powerW: 22_000, current: "AC" },
  amtron: {
    vendor: "MENNEKES",
    model: "AMTRON Professional",
    firmware: ["5.22.7"],
    connectors: 2,
    powerW: 11_000,
    current: "AC"
  }
} as const satisfies Readonly<Record<string, Make>>

export type MakeName = keyof typeof makes
export type TariffName = "fast" | "street" | "depot"

export interface SitePlan {
  readonly name: string
  readonly streetAddress: string
  readonly postalNumber: string
  readonly latitude: number
  readonly longitude: number
  readonly tariff: TariffName
  readonly chargers: ReadonlyArray<readonly [make: MakeName, count: number]>
}

export const sites: ReadonlyArray<SitePlan> = [
  {
    name: "Nordstan Garage",
    streetAddress: "Nordstadstorget 6",
    postalNumber: "411 05",
    latitude: 57.7089,
    longitude: 11.9694,
    tariff: "street",
    chargers: [
      ["pro", 12],
      ["amtron", 2]
    ]
  },
  {
    name: "Harbour",
    streetAddress: "Packhusplatsen 2",
    postalNumber: "411 13",
    latitude: 57.7056,
    longitude: 11.9597,
    tariff: "fast",
    chargers: [["satellite", 6]]
  },
  {
    name: "E6 Kallebäck",
    streetAddress: "Mölndalsvägen 95",
    postalNumber: "412 63",
    latitude: 57.6813,
    longitude: 12.0115,
    tariff: "fast",
    chargers: [
      ["hyper", 6],
      ["terra", 2]
    ]
  },
  {
    name: "Central Station",
    streetAddress: "Drottningtorget 5",
    postalNumber: "411 03",
    latitude: 57.7087,
    longitude: 11.9735,
    tariff: "street",
    chargers: [["charge", 8]]
  },
  {
    name: "Lindholmen",
    streetAddress: "Lindholmspiren 5",
    postalNumber: "417 56",
    latitude: 57.7066,
    longitude: 11.9389,
    tariff: "street",
    chargers: [
      ["pro", 8],
      ["charge", 4]
    ]
  },
  {
    name: "Frölunda Torg",
    streetAddress: "Frölunda torg 1",
    postalNumber: "421 42",
    latitude: 57.6526,
    longitude: 11.9112,
    tariff: "street",
    chargers: [["amtron", 6]]
  },
  {
    name: "Bus depot Gårda",
    streetAddress: "Fabriksgatan 30",
    postalNumber: "412 51",
    latitude: 57.7031,
    longitude: 11.9975,
    tariff: "depot",
    chargers: [["terra", 8]]
  },
  {
    name: "Backaplan",
    streetAddress: "Backaplan 3",
    postalNumber: "417 05",
    latitude: 57.7211,
    longitude: 11.9526,
    tariff: "fast",
    chargers: [
      ["satellite", 4],
      ["charge", 6]
    ]
  }
]

/** In the form that REST takes: prices in SEK per kWh, per hour of parking and per session. */
export const tariffs: Readonly<Record<TariffName, object>> = {
  fast: {
    tariffAltText: [{ language: "en", text: "Fast, cheaper at night" }],
    currency: "SEK",
    elements: [
      {
        priceComponents: [{ type: "ENERGY", price: 4.95, vat: 25, stepSize: 1 }],
        restrictions: { startTime: "22:00", endTime: "06:00" }
      },
      { priceComponents: [{ type: "ENERGY", price: 5.95, vat: 25, stepSize: 1 }] }
    ]
  },
  street: {
    tariffAltText: [{ language: "en", text: "Street, with parking" }],
    currency: "SEK",
    elements: [
      {
        priceComponents: [
          { type: "ENERGY", price: 3.6, vat: 25, stepSize: 1 },
          { type: "PARKING_TIME", price: 12, vat: 25, stepSize: 60 }
        ]
      }
    ]
  },
  depot: {
    tariffAltText: [{ language: "en", text: "Depot" }],
    currency: "SEK",
    elements: [{ priceComponents: [{ type: "ENERGY", price: 1.85, vat: 25, stepSize: 1 }] }]
  }
}

const drivers = [
  "Ada",
  "Björn",
  "Cecilia",
  "Dag",
  "Elsa",
  "Farid",
  "Greta",
  "Hugo",
  "Ines",
  "Johan",
  "Karin",
  "Leo",
  "Maja",
  "Nils",
  "Olga",
  "Pär",
  "Rut",
  "Sami",
  "Tove",
  "Ulf"
]

/** A card of one of the operator's own drivers. */
export interface Card {
  readonly uid: string
  readonly visualNumber: string
  readonly note: string
}

/** More cards than connectors, since a card charges at only one place at a time. */
export const cards = (random: Random): ReadonlyArray<Card> =>
  Array.from({ length: 120 }, (_, n) => ({
    uid: Array.from({ length: 7 }, () =>
      Math.floor(random() * 256)
        .toString(16)
        .padStart(2, "0")
    )
      .join("")
      .toUpperCase(),
    visualNumber: `SE-VLT-C${String(10_000 + n * 37)}`,
    note: `${drivers[n % drivers.length]!}, ${n < 30 ? "subscription" : "company car"}`
  }))

export interface ChargerPlan {
  readonly chargerId: string
  readonly name: string
  readonly site: string
  readonly make: Make
  readonly firmware: string
  readonly serialNumber: string
}

/** The chargers of all sites. The first of each site comes before the second of any, so that a smaller town has some of every site. */
export const chargers = (random: Random, most: number): ReadonlyArray<ChargerPlan> => {
  const ofSites = sites.map((site, s) =>
    site.chargers
      .flatMap(([name, count]) => Array.from({ length: count }, () => makes[name] as Make))
      .map((make, n) => ({
        chargerId: `SE-VLT-${s + 1}${String(n + 1).padStart(3, "0")}`,
        name: `${site.name} ${"ABCDEFGH"[Math.floor(n / 4)]!}${(n % 4) + 1}`,
        site: site.name,
        make,
        firmware: pick(random, make.firmware),
        serialNumber: `${make.vendor.slice(0, 2).toUpperCase()}${Math.floor(between(random, 1e7, 1e8 - 1))}`
      }))
  )
  const longest = Math.max(...ofSites.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, n) => ofSites.flatMap((of) => of.slice(n, n + 1))).flat()
  return inTurn.slice(0, most)
}
