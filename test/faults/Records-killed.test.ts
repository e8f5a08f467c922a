/**
 * `kill -9` at any moment around stops: every session that was acknowledged as ended is billed once, by its tariff, and the numbers of the records
 * have no gap.
 */
import { expect, it } from "vitest"
import { Station } from "../cases/Station.ts"
import { type Service, withService } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"
import { Random, seeds } from "../support/random.ts"

type Json = Readonly<Record<string, unknown>>

const lives = 6

/** Seven starts and kills of an embedded database, on a machine that does other work too. */
const limits = { timeout: 240_000 }
const sessionsOfALife = 4

const ask = async (service: Service, method: string, path: string, body?: unknown): Promise<Json> => {
  const { status, text } = await service.rest.request(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return JSON.parse(text) as Json
}

const items = async (service: Service, path: string) =>
  (await ask(service, "GET", path))["items"] as ReadonlyArray<Json>

const setUp = async (service: Service): Promise<void> => {
  await ask(service, "POST", "sites", { name: "Killed" })
  await ask(service, "POST", "chargers", { name: "BILLED", chargerId: "BILLED" })
  await ask(service, "POST", "tokens", { uid: "CARD" })
  const elements = [
    {
      priceComponents: [
        { type: "FLAT", price: 1, stepSize: 1 },
        { type: "ENERGY", price: 0.5, stepSize: 1 }
      ]
    }
  ]
  const { id } = await ask(service, "POST", "tariffs", { currency: "EUR", elements })
  await ask(service, "PUT", `tariffs/${String(id)}/assignments`, { default: true })
}

/** Charges some kWh an hour ago, and checks that the charger's messages are acknowledged. */
const charge = async (station: Station, startedAt: number, kwh: number): Promise<void> => {
  const timestamp = new Date(startedAt).toISOString()
  const { id } = await station.start(1, "CARD", { meterStart: 1000, timestamp })
  const stoppedAt = new Date(startedAt + 60_000).toISOString()
  await station.stop(id, { meterStop: 1000 + kwh * 1000, timestamp: stoppedAt })
}

it.each(seeds(1))("bills each session once, whenever the service is killed, PROPERTY_SEED=%i", limits, async (seed) => {
  const random = new Random(seed)
  await withService({}, async (service) => {
    await setUp(service)
    const stored: Array<number> = []
    let startedAt = Math.floor(Date.now() / 1000) * 1000 - 3_600_000
    for (let life = 0; life < lives; life++) {
      const station = new Station(service.ocppUrl, "BILLED")
      await station.connect()
      await station.boot()
      for (let n = 0; n < sessionsOfALife; n++) {
        const kwh = random.between(1, 5)
        startedAt += 61_000
        await charge(station, startedAt, kwh)
        stored.push(kwh)
      }
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 1500)))
      await service.kill("SIGKILL")
      await station.close()
      await service.restart()
    }
    await until(
      () => "all are billed",
      30_000,
      async () => (await items(service, "cdrs?limit=500")).length >= stored.length
    )
    // Another run of the background loop must not bill any session again.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const records = await items(service, "cdrs?limit=500")
    expect(records.map(({ number }) => number)).toEqual(stored.map((_, i) => stored.length - i))
    expect(new Set(records.map(({ sessionId }) => sessionId)).size).toBe(stored.length)
    const totals = records.map(({ totalCost }) => (totalCost as { readonly exclVat: number }).exclVat)
    expect(totals.toSorted()).toEqual(stored.map((kwh) => 1 + kwh * 0.5).toSorted())
    const sessions = await items(service, "sessions?limit=500")
    expect(sessions.every(({ needsCorrection, status }) => status === "COMPLETED" && needsCorrection === false)).toBe(
      true
    )
  })
})
