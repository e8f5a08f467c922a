/** Tariffs over REST: the preview calculates prices, explains errors, and warns of probable mistakes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>>

beforeAll(async () => {
  app = await fakeApp()
})
afterAll(() => app.close())

const component = (type: string, price: number, more: object = {}) => ({ type, price, stepSize: 1, ...more })
const tariff = (...elements: ReadonlyArray<object>) => ({ currency: "EUR", elements })
const session = {
  startedAt: "2026-05-20T10:00:00Z",
  endedAt: "2026-05-20T11:30:00Z",
  timeZone: "Europe/Amsterdam",
  readings: [
    { at: "2026-05-20T10:30:00Z", energyWh: 5000 },
    { at: "2026-05-20T11:00:00Z", energyWh: 8000 }
  ]
}
const preview = (body: unknown) => app.ask("POST", "/cpo/v2/tariffs/preview", { key: app.key, body })
const pointers = ({ json, status }: { status: number; json: Json }) => [
  status,
  json.errors?.map((error: Json) => error.pointer)
]

it("shows the prices of a week, and when charging is free", async () => {
  const week = (body: unknown) => app.ask("POST", "/cpo/v2/tariffs/preview/week", { key: app.key, body })
  const nights = { startTime: "22:00", endTime: "06:00" }
  const given = tariff({ priceComponents: [component("ENERGY", 0.25, { vat: 25 })], restrictions: nights })
  const { json, status } = await week({ tariff: given, startDate: "2026-11-23" })
  expect(status).toBe(200)
  expect(json.bands).toEqual([
    { prices: [{ dimension: "ENERGY", element: 0, price: 0.25, vat: 25, later: [] }] },
    { prices: [{ dimension: "ENERGY", element: null, price: 0, vat: null, later: [] }] }
  ])
  expect(json.periods).toHaveLength(21)
  expect(json.periods[1]).toEqual({ day: "MONDAY", date: "2026-11-23", startTime: "06:00", endTime: "22:00", band: 1 })
  expect(json.gaps).toMatchObject([{ dimension: "ENERGY", startTime: "06:00", endTime: "22:00" }])
  expect(json.gaps[0].days).toHaveLength(7)
  // A tariff that is limited by current alone uses the current that the request assumes for the vehicle.
  const strong = tariff({ priceComponents: [component("ENERGY", 0.6)], restrictions: { minCurrent: 100 } })
  const elementAt = async (currentA?: number) =>
    (await week({ tariff: strong, startDate: "2026-11-23", currentA })).json.bands[0].prices[0].element
  expect([await elementAt(), await elementAt(150)]).toEqual([null, 0])
  expect(pointers(await week({ tariff: given, startDate: "2026-02-30" }))).toEqual([400, ["/startDate"]])
  expect(pointers(await week({ tariff: given, startDate: "2026-11-23", days: 7 }))).toEqual([400, ["/days"]])
})

describe("a preview", () => {
  it("shows the cost, its parts and its periods", async () => {
    const pricing = tariff(
      {
        priceComponents: [component("ENERGY", 0.5, { vat: 10 })],
        restrictions: { startTime: "12:30", endTime: "14:00" }
      },
      { priceComponents: [component("ENERGY", 0.25, { vat: 10 }), component("PARKING_TIME", 2, { stepSize: 900 })] },
      { priceComponents: [component("FLAT", 1, { vat: 20 })] }
    )
    const { json, status } = await preview({ tariff: pricing, session })
    expect(status).toBe(200)
    // Local time is two hours ahead: 5 kWh at 0.25 until 12:30, 3 kWh at 0.50, half an hour of parking, and 1 to start.
    expect(json.cost).toEqual({ currency: "EUR", exclVat: 4.75, inclVat: 5.225 })
    expect(json.costs).toEqual({
      fixed: { exclVat: 1, inclVat: 1.2 },
      energy: { exclVat: 2.75, inclVat: 3.025 },
      time: { exclVat: 0, inclVat: 0 },
      parking: { exclVat: 1, inclVat: 1 },
      reservation: { exclVat: 0, inclVat: 0 }
    })
    expect(json.lines.map((line: Json) => [line.dimension, line.element, line.volume, line.vat, line.exclVat])).toEqual(
      [
        ["FLAT", 2, 1, 20, 1],
        ["ENERGY", 1, 5, 10, 1.25],
        ["ENERGY", 0, 3, 10, 1.5],
        ["PARKING_TIME", 1, 0.5, null, 1]
      ]
    )
    expect(json.periods).toEqual([
      {
        startedAt: "2026-05-20T10:00:00.000Z",
        endedAt: "2026-05-20T10:30:00.000Z",
        energyWh: 5000,
        charging: true,
        evidence: ["Register"],
        elements: { FLAT: 2, ENERGY: 1 }
      },
      {
        startedAt: "2026-05-20T10:30:00.000Z",
        endedAt: "2026-05-20T11:00:00.000Z",
        energyWh: 3000,
        charging: true,
        evidence: ["Register"],
        elements: { ENERGY: 0 }
      },
      {
        startedAt: "2026-05-20T11:00:00.000Z",
        endedAt: "2026-05-20T11:30:00.000Z",
        energyWh: 0,
        charging: false,
        evidence: ["Register"],
        elements: { PARKING_TIME: 1 }
      }
    ])
    // Parking has no VAT, the others have.
    expect(json.warnings.map((warning: Json) => warning.pointer)).toEqual(["/elements/1/priceComponents/1"])
  })

  it("rounds nothing up while the session is running", async () => {
    const pricing = tariff({ priceComponents: [component("ENERGY", 1, { stepSize: 5000 })] })
    const cost = async (running: boolean) =>
      (await preview({ tariff: pricing, session: { ...session, running } })).json.cost.exclVat
    expect([await cost(true), await cost(false)]).toEqual([8, 10])
  })

  it("prices a reservation in addition", async () => {
    const pricing = tariff(
      { priceComponents: [component("TIME", 6)], restrictions: { reservation: "RESERVATION" } },
      { priceComponents: [component("FLAT", 1)] }
    )
    const reservation = { startedAt: "2026-05-20T09:30:00Z", endedAt: "2026-05-20T10:00:00Z", expired: false }
    const { json } = await preview({ tariff: pricing, session, reservation })
    expect([json.cost.exclVat, json.costs.reservation.exclVat]).toEqual([4, 3])
  })

  const parking = tariff({ priceComponents: [component("PARKING_TIME", 6)] })

  it("uses the vehicle's status and the standby power to recognise parking", async () => {
    const statuses = [{ at: "2026-05-20T10:30:00Z", status: "SuspendedEV" }]
    const { json } = await preview({ tariff: parking, session: { ...session, statuses } })
    expect(json.cost.exclVat).toBe(6)
    expect(json.periods.map((period: Json) => [period.charging, period.evidence])).toEqual([
      [true, ["Register"]],
      [false, ["Status"]]
    ])
    const dozing = { ...session, readings: [{ at: session.endedAt, energyWh: 300 }] }
    const cost = async (standbyPowerW: number) =>
      (await preview({ tariff: parking, session: { ...dozing, standbyPowerW } })).json.cost.exclVat
    expect([await cost(150), await cost(250)]).toEqual([0, 9])
    const wrong = { ...session, statuses: [{ at: session.startedAt, status: "Asleep" }] }
    expect(pointers(await preview({ tariff: parking, session: wrong }))).toEqual([400, ["/session/statuses/0/status"]])
  })

  it("keeps tenths of a Wh where no step size applies, counts steps of whole Wh, and power limits to the watt", async () => {
    const energy = async (wh: number, stepSize: number) => {
      const pricing = tariff({ priceComponents: [component("ENERGY", 1000, { stepSize })] })
      const readings = [{ at: session.endedAt, energyWh: wh }]
      return (await preview({ tariff: pricing, session: { ...session, readings } })).json.cost.exclVat
    }
    expect(await energy(115.2, 1)).toBe(115)
    expect(await energy(115.5, 1)).toBe(116)
    expect(await energy(500.4, 500)).toBe(500)
    expect(await energy(500.5, 500)).toBe(1000)
    expect(await energy(115.2, 0)).toBe(115.2)
    const bounded = async (restrictions: object) => {
      const pricing = tariff({ priceComponents: [component("ENERGY", 1)], restrictions })
      const readings = [{ at: session.endedAt, energyWh: 24_150, powerW: 16_100 }]
      return (await preview({ tariff: pricing, session: { ...session, readings } })).json.cost.exclVat
    }
    expect(await bounded({ minPower: 16.1 })).toBe(24.15)
    expect(await bounded({ maxPower: 16.1 })).toBe(0)
  })

  it("warns of a parking price if the example's meter is too coarse to recognise parking", async () => {
    const readings = Array.from({ length: 9 }, (_, i) => ({
      at: new Date(Date.parse(session.startedAt) + (i + 1) * 600_000).toISOString(),
      energyWh: (i + 1) * 1000
    }))
    const { json } = await preview({ tariff: parking, session: { ...session, readings } })
    expect(json.warnings).toEqual([
      {
        pointer: "/elements/0/priceComponents/0",
        detail: expect.stringContaining("steps of 1000 Wh: it shows no parking shorter than 10 hours")
      }
    ])
    const withPower = readings.map((reading) => ({ ...reading, powerW: 6000 }))
    expect((await preview({ tariff: parking, session: { ...session, readings: withPower } })).json.warnings).toEqual([])
  })

  it("warns of an element that never applies, and of times that are free", async () => {
    const pricing = tariff(
      { priceComponents: [component("ENERGY", 0.25)] },
      { priceComponents: [component("ENERGY", 0.5)], restrictions: { minKwh: 10 } },
      { priceComponents: [component("PARKING_TIME", 5)], restrictions: { startTime: "09:00", endTime: "18:00" } }
    )
    const { json } = await preview({ tariff: pricing, session })
    expect(json.warnings.map((warning: Json) => warning.pointer)).toEqual([
      "/elements/1/priceComponents/0",
      "/elements"
    ])
    expect(json.warnings[1].detail).toContain("Parking is free")
  })
})

describe("an invalid tariff", () => {
  const sound = { priceComponents: [component("ENERGY", 0.25)] }
  const wrong: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
    ["no element", tariff(), ["/tariff/elements"]],
    ["an element without a price", tariff({ priceComponents: [] }), ["/tariff/elements/0/priceComponents"]],
    ["a currency that is not a code", { ...tariff(sound), currency: "euro" }, ["/tariff/currency"]],
    [
      "a negative price",
      tariff({ priceComponents: [component("ENERGY", -1)] }),
      ["/tariff/elements/0/priceComponents/0/price"]
    ],
    [
      "five decimals",
      tariff({ priceComponents: [component("ENERGY", 0.25001)] }),
      ["/tariff/elements/0/priceComponents/0/price"]
    ],
    [
      "a dimension twice",
      tariff({ priceComponents: [component("FLAT", 1), component("FLAT", 2)] }),
      ["/tariff/elements/0/priceComponents/1/type"]
    ],
    [
      "an unknown dimension",
      tariff({ priceComponents: [component("SPACE", 1)] }),
      ["/tariff/elements/0/priceComponents/0/type"]
    ],
    [
      "energy of a reservation",
      tariff({ ...sound, restrictions: { reservation: "RESERVATION" } }),
      ["/tariff/elements/0/priceComponents/0/type"]
    ],
    [
      "an invalid time",
      tariff({ ...sound, restrictions: { startTime: "24:00" } }),
      ["/tariff/elements/0/restrictions/startTime"]
    ],
    [
      "an invalid date",
      tariff({ ...sound, restrictions: { startDate: "2026-02-30" } }),
      ["/tariff/elements/0/restrictions/startDate"]
    ],
    [
      "dates that end where they begin",
      tariff({ ...sound, restrictions: { startDate: "2026-03-01", endDate: "2026-03-01" } }),
      ["/tariff/elements/0/restrictions/endDate"]
    ],
    [
      "a VAT above 100%",
      tariff({ priceComponents: [component("ENERGY", 0.5, { vat: 100.5 })] }),
      ["/tariff/elements/0/priceComponents/0/vat"]
    ],
    [
      "an empty range",
      tariff({ ...sound, restrictions: { minKwh: 5, maxKwh: 5 } }),
      ["/tariff/elements/0/restrictions/maxKwh"]
    ],
    [
      "a maximum below the minimum",
      { ...tariff(sound), minPrice: { exclVat: 5 }, maxPrice: { exclVat: 4 } },
      ["/tariff/maxPrice/exclVat"]
    ],
    [
      "several errors",
      tariff({ priceComponents: [component("ENERGY", -1)], restrictions: { endTime: "x", dayOfWeek: [] } }),
      [
        "/tariff/elements/0/priceComponents/0/price",
        "/tariff/elements/0/restrictions/endTime",
        "/tariff/elements/0/restrictions/dayOfWeek"
      ]
    ]
  ]
  for (const [name, given, expected] of wrong) {
    it(`is refused with its pointers: ${name}`, async () =>
      expect(pointers(await preview({ tariff: given, session }))).toEqual([400, expected]))
  }

  it("is refused, and so is an invalid session", async () => {
    const pricing = tariff(sound)
    const asked = (more: object) => preview({ tariff: pricing, session: { ...session, ...more } }).then(pointers)
    expect(await asked({ endedAt: "2026-05-20T09:00:00Z" })).toEqual([400, ["/session/endedAt"]])
    expect(await asked({ endedAt: "2028-05-20T09:00:00Z" })).toEqual([400, ["/session/endedAt"]])
    expect(await asked({ timeZone: "Mars/Base" })).toEqual([400, ["/session/timeZone"]])
    expect(await asked({ readings: [{ at: "now", energyWh: 0 }] })).toEqual([400, ["/session/readings/0/at"]])
  })
})

describe("a tariff over REST", () => {
  const sound = { priceComponents: [component("ENERGY", 0.25, { vat: 10 })] }
  const ask = (method: string, path: string, body?: unknown) =>
    app.ask(method, `/cpo/v2/${path}`, { key: app.key, body })

  it("is created with its defaults and with warnings of probable mistakes", async () => {
    const made = await ask(
      "POST",
      "tariffs",
      tariff({ priceComponents: [component("PARKING_TIME", 0)], restrictions: { minDuration: 60 } })
    )
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe(`https://cpo.example/cpo/v2/tariffs/${made.json.id}`)
    expect(made.json).toMatchObject({ version: 1, minPrice: null, type: null, tariffAltText: [], energyMix: null })
    expect(made.json.warnings.map((warning: Json) => warning.pointer)).toEqual(["/elements", "/elements"])
    expect((await ask("GET", `tariffs/${made.json.id}`)).json).toEqual(made.json)
    expect((await ask("GET", "tariffs")).json.items).toContainEqual(made.json)
  })

  it("is refused if any part is invalid", async () => {
    const wrong = (more: object) => ask("POST", "tariffs", { ...tariff(sound), ...more }).then(pointers)
    expect(await wrong({ tariffAltText: [{ language: "english", text: "x" }] })).toEqual([
      400,
      ["/tariffAltText/0/language"]
    ])
    expect(await wrong({ tariffAltUrl: "ftp://a.example" })).toEqual([400, ["/tariffAltUrl"]])
    expect(await wrong({ type: "CHEAP" })).toEqual([400, ["/type"]])
    const times = { startDateTime: "2026-05-20T10:00:00Z", endDateTime: "2026-05-20T10:00:00Z" }
    expect(await wrong(times)).toEqual([400, ["/endDateTime"]])
    expect(pointers(await ask("POST", "tariffs", tariff({ priceComponents: [component("ENERGY", -1)] })))).toEqual([
      400,
      ["/elements/0/priceComponents/0/price"]
    ])
  })

  it("is accepted as it was read: in a POST, a PATCH and a preview", async () => {
    const whole = {
      ...tariff({
        priceComponents: [component("PARKING_TIME", 1, { vat: 10 })],
        restrictions: { dayOfWeek: ["MONDAY"], minDuration: 60 }
      }),
      maxPrice: { exclVat: 50, inclVat: 55 },
      type: "REGULAR",
      tariffAltText: [{ language: "en", text: "One" }],
      tariffAltUrl: "https://a.example",
      startDateTime: "2026-05-20T10:00:00Z",
      energyMix: { isGreenEnergy: true, energySources: [{ source: "WIND", percentage: 99.9 }], supplierName: "S" }
    }
    for (const given of [tariff(sound), whole]) {
      const { json } = await ask("POST", "tariffs", given)
      const sent = { ...json, countryCode: "NL", partyId: "ABC", updatedAt: json.lastUpdated }
      const again = await ask("POST", "tariffs", sent)
      expect(again.status).toBe(201)
      expect(again.json).toEqual({
        ...json,
        id: again.json.id,
        createdAt: again.json.createdAt,
        lastUpdated: again.json.lastUpdated
      })
      expect(again.json.id).not.toBe(json.id)
      expect((await ask("PATCH", `tariffs/${json.id}`, sent)).json).toEqual(json)
      expect((await preview({ tariff: sent, session })).status).toBe(200)
      const changed = (
        await ask("PATCH", `tariffs/${json.id}`, { ...sent, currency: "NOK", minPrice: { exclVat: 1, inclVat: null } })
      ).json
      expect([changed.version, changed.currency, changed.minPrice]).toEqual([2, "NOK", { exclVat: 1 }])
    }
  })

  it("may have null for every optional field, at any depth", async () => {
    const empty = {
      minPrice: null,
      maxPrice: null,
      type: null,
      tariffAltText: null,
      tariffAltUrl: null,
      energyMix: null
    }
    const restrictions = { startTime: null, minKwh: 5, maxKwh: null, dayOfWeek: null, reservation: null }
    const bare = { priceComponents: [component("FLAT", 1, { vat: null })], restrictions: null }
    const priced = { priceComponents: [component("ENERGY", 1)], restrictions }
    const { json, status } = await ask("POST", "tariffs", {
      ...tariff(priced, bare),
      ...empty,
      startDateTime: null,
      endDateTime: null
    })
    expect(status).toBe(201)
    expect(json.elements).toEqual([
      { priceComponents: [component("ENERGY", 1)], restrictions: { minKwh: 5 } },
      { priceComponents: [component("FLAT", 1)] }
    ])
    expect(pointers(await ask("POST", "tariffs", { currency: null, elements: [{ priceComponents: null }] }))).toEqual([
      400,
      ["/currency", "/elements/0/priceComponents"]
    ])
    expect(
      pointers(
        await preview({
          tariff: { ...tariff(sound), minPrice: null },
          session: { ...session, timeZone: null },
          reservation: null
        })
      )
    ).toEqual([200, undefined])
  })

  it("can be assigned to one thing at a time", async () => {
    const { id } = (await ask("POST", "tariffs", tariff(sound))).json
    const put = (body: unknown) => ask("PUT", `tariffs/${id}/assignments`, body).then(({ status }) => status)
    expect(await put({ default: true })).toBe(200)
    expect(await put({ connector: { chargerId: "CP-1", connectorId: 1 } })).toBe(200)
    expect([await put({}), await put({ default: false }), await put({ default: true, chargerId: "CP-1" })]).toEqual([
      400, 400, 400
    ])
    const gone = (query: string) => ask("DELETE", `tariffs/${id}/assignments?${query}`).then(({ status }) => status)
    expect([await gone("default=true"), await gone("chargerId=CP-1&connectorId=1")]).toEqual([204, 204])
    expect([await gone(""), await gone("connectorId=1"), await gone("chargerId=CP-1&default=true")]).toEqual([
      400, 400, 400
    ])
    // A charger's assignment cannot be removed by naming an EVSE.
    expect(await gone("chargerId=CP-1&evseId=1")).toBe(400)
  })
})
