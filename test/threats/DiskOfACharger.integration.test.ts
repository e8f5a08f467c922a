/**
 * What a charger that does nothing but begin and end transactions, or report readings, adds to the database: measured in all tables, and extrapolated
 * to a day with the daily numbers. It must stay below the figures of `docs/guides/operating.md`, and beyond the daily numbers nothing
 * may grow.
 */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { limits } from "../../src/config/Limits.ts"
import type { Query } from "../simulation/Database.ts"
import { eventually, threatDrivers, WireCharger, type World } from "./world.ts"

const limitMillis = 240_000
const MB = 1e6

/** The figure (MB) in the guide's row of the hostile charger that begins with `what`. */
const promised = (what: string): number => {
  const guide = readFileSync(new URL("../../docs/guides/operating.md", import.meta.url), "utf8")
  const row = guide.split("\n").find((line) => line.startsWith(`| ${what}`) && line.includes(" MB |")) ?? ""
  const [, figure = "0"] = /([\d,]+) MB/.exec(row) ?? []
  return Number(figure.replaceAll(",", "")) * MB
}

/** The size of the whole schema after a vacuum, without the log of messages, which has a budget of its own. */
const sizeOf = async (query: Query): Promise<number> => {
  await query("VACUUM")
  const [row] = await query(`SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname NOT LIKE 'message%'`)
  return Number(row?.["bytes"])
}

const registered = async (world: World): Promise<WireCharger> => {
  await world.done("POST", "/cpo/v2/sites", { body: { name: "Site" } })
  await world.done("POST", "/cpo/v2/chargers", { body: { name: "Hostile", chargerId: "HOSTILE" } })
  await world.done("POST", "/cpo/v2/tokens", { body: { uid: "CARD" } })
  const tariff = { currency: "EUR", elements: [{ priceComponents: [{ type: "ENERGY", price: 0.5, stepSize: 1 }] }] }
  const { id } = await world.done("POST", "/cpo/v2/tariffs", { body: tariff })
  await world.done("PUT", `/cpo/v2/tariffs/${id}/assignments`, { body: { default: true } })
  const charger = await WireCharger.connect(world.service.ocppUrl, "HOSTILE")
  await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
  return charger
}

/** `count` transactions with the longest texts that are stored whole, each of `wh`. */
const transactions = async (charger: WireCharger, count: number, wh: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const timestamp = new Date(Date.now() + n).toISOString()
    const start = { connectorId: 1, idTag: "CARD", meterStart: n * wh, timestamp }
    const [, , { transactionId }] = await charger.call("StartTransaction", start)
    await charger.call("StopTransaction", { transactionId, idTag: "CARD", meterStop: (n + 1) * wh, timestamp })
  }
}

const readings = async (charger: WireCharger, transactionId: number, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const meterValue = Array.from({ length: 20 }, (_, i) => ({
      timestamp: new Date(Date.now() + i).toISOString(),
      sampledValue: [{ value: String(n) }]
    }))
    await charger.call("MeterValues", { connectorId: 1, transactionId, meterValue })
  }
}

const perDay = 25
const readingBytes = 2_000_000

const budgets = {
  TRANSACTIONS_CHARGER_PER_DAY: String(perDay),
  READINGS_CHARGER_BYTES_PER_DAY: String(readingBytes),
  BACKGROUND_INTERVAL_MILLIS: "100"
}

for (const { missing, name, run } of threatDrivers) {
  if (name !== "PostgreSQL") continue
  it.skipIf(missing)("one charger cannot fill the disk", { timeout: limitMillis }, () =>
    run(async (world) => {
      const charger = await registered(world)
      await world.sql(async (query) => {
        const settled = (sessions: number) =>
          eventually("all sessions are billed", async () => {
            const [row] = await query("SELECT count(*)::int AS n FROM cdr")
            return row?.["n"] === sessions
          })
        const empty = await sizeOf(query)
        // Within the daily number each is a session; as many again are if they are plausible.
        await transactions(charger, 2 * perDay, 200)
        await settled(2 * perDay)
        const full = await sizeOf(query)
        // The same rows are written again and again: after a vacuum their space is used again.
        await transactions(charger, 80, 1)
        const beyond = await sizeOf(query)
        await transactions(charger, 80, 200)
        const further = await sizeOf(query)
        const [counted] = await query("SELECT transactions::int, energy_wh::int FROM negligible_transactions")
        expect(counted).toEqual({ transactions: 160, energy_wh: 80 + 80 * 200 })
        const perSession = (full - empty) / (2 * perDay)
        console.log(`a session takes ${perSession} bytes; 80 others ${beyond - full}, 80 more ${further - beyond}`)
        expect(further - beyond).toBeLessThan(65_536)
        expect(perSession * 2 * limits.recording.transactions.charger).toBeLessThan(promised("transactions"))
      })
    }, budgets)
  )

  it.skipIf(missing)("readings of one charger cannot fill the disk", { timeout: limitMillis }, () =>
    run(async (world) => {
      const charger = await registered(world)
      const start = { connectorId: 1, idTag: "CARD", meterStart: 0, timestamp: new Date().toISOString() }
      const [, , { transactionId }] = await charger.call("StartTransaction", start)
      await world.sql(async (query) => {
        const before = await sizeOf(query)
        await readings(charger, transactionId, 400)
        const full = await sizeOf(query)
        await readings(charger, transactionId, 200)
        const further = await sizeOf(query)
        console.log(`readings took ${full - before} of ${readingBytes} bytes, further ones ${further - full}`)
        expect(further - full).toBeLessThan(65_536)
        const ofBudget = (full - before) / readingBytes
        const parts = 1.25
        expect(ofBudget * parts * limits.recording.readingBytes.charger).toBeLessThan(promised("readings"))
      })
    }, budgets)
  )
}
