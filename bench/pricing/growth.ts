/**
 * How the time to price a session grows with its readings and with the elements of the tariff: ratios within one run, since milliseconds depend on
 * the machine. Gate: ten times the readings cost at most twelve times the time.
 *
 *     node bench/pricing/growth.ts
 */
import { price } from "../../src/domain/tariff/Price.ts"
import type { Pricing } from "../../src/domain/tariff/Tariff.ts"

const minute = 60_000
const start = Date.UTC(2026, 2, 28, 12)

/** Every quarter of an hour of the day has a price of its own; a last element matches all the rest. */
const tariffOf = (elements: number): Pricing => ({
  currency: "EUR",
  elements: [
    ...Array.from({ length: elements - 1 }, (_, i) => {
      const time = (quarter: number) =>
        `${String(Math.floor(quarter / 4) % 24).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`
      return {
        priceComponents: [{ type: "ENERGY" as const, price: 0.2 + i / 1000, vat: 21, stepSize: 1 }],
        restrictions: { startTime: time(i % 96), endTime: time((i % 96) + 1) }
      }
    }),
    {
      priceComponents: [
        { type: "ENERGY", price: 0.3, vat: 21, stepSize: 1 },
        { type: "PARKING_TIME", price: 2, vat: 21, stepSize: 60 }
      ]
    }
  ]
})

/** One reading a minute; every tenth period is parking. */
const sessionOf = (readings: number) => {
  let energyWh = 0
  const list = Array.from({ length: readings }, (_, i) => {
    if (i % 10 !== 0) energyWh += 120
    return { at: start + (i + 1) * minute, energyWh }
  })
  return { startedAt: start, endedAt: start + readings * minute, timeZone: "Europe/Amsterdam", readings: list }
}

/** The fastest of several runs, in ms: the one that was disturbed least. */
const fastest = (readings: number, elements: number): number => {
  const tariff = tariffOf(elements)
  const session = sessionOf(readings)
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 15; run++) {
    const before = performance.now()
    price(tariff, { session, timeZone: session.timeZone, ended: true })
    best = Math.min(best, performance.now() - before)
  }
  return best
}

fastest(1000, 50)
const rows = [
  [100, 50],
  [1000, 50],
  [10_000, 50],
  [10_000, 5],
  [10_000, 500]
].map(([readings = 0, elements = 0]) => ({ readings, elements, millis: fastest(readings, elements) }))
for (const { elements, millis, readings } of rows) {
  console.log(
    `${String(readings).padStart(6)} readings, ${String(elements).padStart(3)} elements: ${millis.toFixed(2)} ms`
  )
}
const growth = rows[2]!.millis / rows[1]!.millis
console.log(`ten times the readings: ${growth.toFixed(1)} times the time (gate 12)`)
if (growth > 12) process.exitCode = 1
