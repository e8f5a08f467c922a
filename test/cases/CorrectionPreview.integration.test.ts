/** The preview of a correction's records, over the wire: the correction then issues the same ones. */
import { describe, expect, it } from "vitest"
import { Rest } from "../simulation/Rest.ts"
import { World } from "./World.ts"

const world = new World()

const hour = 3_600_000
const iso = (at: number) => new Date(at).toISOString()
const exactly = { energyWh: 6000 }

type Json = Readonly<Record<string, unknown>>

/** A session of two hours and 10 kWh at 0.50 each; it still runs unless `ended`. */
const charged = async ({ ended = true, meterStop = 10_000, priced = true } = {}) => {
  const { id, station } = await world.station()
  if (priced) {
    const elements = [{ priceComponents: [{ type: "ENERGY", price: 0.5, vat: 20, stepSize: 1 }] }]
    const tariff = await world.post("tariffs", { currency: "EUR", elements })
    await world.ask("PUT", `tariffs/${String(tariff["id"])}/assignments`, { chargerId: id })
  }
  const startedAt = Math.floor(Date.now() / 1000) * 1000 - 4 * hour
  const start = { meterStart: 0, timestamp: iso(startedAt) }
  const { id: transactionId } = await station.start(1, await world.card(), start)
  if (ended) await station.stop(transactionId, { meterStop, timestamp: iso(startedAt + 2 * hour) })
  const sessionId = String((await world.sessionOf(id))["id"])
  const records = () => world.items(`cdrs?sessionId=${sessionId}`)
  const previewed = (query: Json) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)])
    )
    return world.rest.request("GET", `sessions/${sessionId}/correct?${search.toString()}`)
  }
  const preview = async (query: Json) => {
    const { status, text } = await previewed(query)
    expect([status, text]).toEqual([200, expect.any(String)])
    return JSON.parse(text) as Json
  }
  return { path: `sessions/${sessionId}`, preview, previewed, records, startedAt }
}

const billed = async () => {
  const session = await charged()
  await world.eventually(
    "its record",
    `cdrs?sessionId=${session.path.slice(9)}`,
    ({ items }) => (items as ReadonlyArray<unknown>).length === 1
  )
  return session
}

describe("the preview of a correction", () => {
  it("shows the credit and the new record line by line, as the correction then issues them, and issues nothing", async () => {
    const { path, preview, records, startedAt } = await billed()
    const asked = { energyWh: 6000, endedAt: iso(startedAt + hour) }
    const shown = await preview(asked)
    const before = await records()
    expect(before).toHaveLength(1)
    expect(shown).toMatchObject({
      ...asked,
      startedAt: iso(startedAt),
      credits: [{ recordId: before[0]?.["id"], number: before[0]?.["number"], price: { total: { exclVat: -5 } } }],
      bill: { total: { exclVat: 3, inclVat: 3.6 }, provisional: false },
      change: { currency: "EUR", exclVat: -2, inclVat: -2.4 }
    })
    await world.post(`${path}/correct`, { ...asked, reason: "read there" })
    const [bill, credit, ...older] = await records()
    expect(older).toEqual(before)
    expect(shown["bill"]).toEqual(await world.get(`cdrs/${String(bill?.["id"])}/price`))
    expect(shown["credits"]).toMatchObject([{ price: await world.get(`cdrs/${String(credit?.["id"])}/price`) }])
    // The next preview credits the record that is in force by then, and no other.
    expect(await preview({})).toMatchObject({
      credits: [{ recordId: bill?.["id"] }],
      change: { exclVat: 0, inclVat: 0 }
    })
  })

  it("of a held session has no credit, and the whole record is the change", async () => {
    const { path, preview } = await charged({ meterStop: 60_000_000 })
    await world.eventually("it is held", path, ({ heldReason }) => heldReason === "EnergyImplausible")
    expect(await preview(exactly)).toMatchObject({
      credits: [],
      bill: { total: { exclVat: 3 }, held: null },
      change: { exclVat: 3 }
    })
  })

  it("after a credit without a correction has no record to credit", async () => {
    const { preview, records } = await billed()
    await world.post(`cdrs/${String((await records())[0]?.["id"])}/credit`, undefined)
    expect(await preview(exactly)).toMatchObject({ credits: [], change: { exclVat: 3, inclVat: 3.6 } })
  })

  it("of a session without a tariff has no records", async () => {
    const { preview } = await charged({ priced: false })
    expect(await preview(exactly)).toMatchObject({ energyWh: 6000, credits: [], bill: null, change: null })
  })

  it("is refused as the correction would be", async () => {
    const running = await charged({ ended: false })
    const ended = await charged()
    const wrong: ReadonlyArray<readonly [typeof ended, Json, number, string]> = [
      [running, exactly, 409, "session_running"],
      [ended, { endedAt: iso(ended.startedAt - 1) }, 400, "/endedAt"],
      [ended, { energyWh: 1_000_000_001 }, 400, "/energyWh"],
      [ended, { energyWh: "1e3" }, 400, "/energyWh"],
      [ended, { startedAt: "yesterday" }, 400, "/startedAt"],
      [ended, { reason: "an unknown parameter" }, 400, "/reason"]
    ]
    for (const [session, query, status, word] of wrong) {
      const { text, ...answer } = await session.previewed(query)
      expect([answer.status, text]).toEqual([status, expect.stringContaining(word)])
    }
    expect((await ended.previewed({ energyWh: 1_000_000_000 })).status).toBe(200)
  })

  it("needs the permission to read records as well as the one to read sessions", async () => {
    const { path } = await charged()
    for (const permissions of [["sessions:read"], ["cdrs:read"]]) {
      const key = String((await world.post("api-keys", { name: "one", permissions }))["key"])
      const { status, text } = await new Rest(world.service.url, key).request("GET", `${path}/correct`)
      expect([status, text]).toEqual([403, expect.stringContaining("permission")])
    }
  })
})
