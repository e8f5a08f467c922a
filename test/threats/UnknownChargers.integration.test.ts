/**
 * A charger that is mounted before it is registered: it tries to connect and is refused, an operator finds it in the list and registers it, and it is
 * admitted. An attacker with hundreds of made-up ids neither fills the list nor displaces others, and none of his passwords is stored.
 */
import { expect, it } from "vitest"
import { basic, eventually, everyRow, threatDrivers, WireCharger, type World } from "./world.ts"

const limitMillis = 240_000

/** The number of new ids that are recorded for one network in an hour. */
const believed = 60

const listed = async (world: World): Promise<ReadonlyArray<Record<string, unknown>>> =>
  (await world.done("GET", "/cpo/v2/unknown-chargers?limit=500")).items

const ids = async (world: World): Promise<ReadonlyArray<unknown>> =>
  (await listed(world)).map((one) => one["chargerId"])

for (const { missing, name, run } of threatDrivers) {
  it.skipIf(missing)(
    `lists an unknown charger until it is registered, and then admits it (${name})`,
    { timeout: limitMillis },
    () =>
      run(async (world) => {
        const { ocppUrl } = world.service
        await world.done("POST", "/cpo/v2/sites", { body: { name: "Site" } })
        const headers = { authorization: basic("UNKNOWN-1", "Guessed-Password-4711") }
        expect(await WireCharger.dial(ocppUrl, "UNKNOWN-1", headers)).toBe(404)
        expect(await WireCharger.dial(ocppUrl, "UNKNOWN-1", headers)).toBe(404)
        expect(await WireCharger.dial(ocppUrl, "UNKNOWN-2")).toBe(404)
        expect(await listed(world)).toEqual([
          expect.objectContaining({ chargerId: "UNKNOWN-2", attempts: 1 }),
          {
            chargerId: "UNKNOWN-1",
            firstSeenAt: expect.stringMatching(/Z$/),
            lastSeenAt: expect.stringMatching(/Z$/),
            attempts: 2,
            remoteAddress: "127.0.0.1",
            subprotocols: ["ocpp1.6"],
            advice: null
          }
        ])

        await eventually("the refusals are published", async () => {
          const { items } = await world.done("GET", "/cpo/v2/events?type=charger.refused")
          const published = items.map(({ data }: { data: Record<string, unknown> }) => [
            data["chargerId"],
            data["reason"]
          ])
          return JSON.stringify(published) === '[["UNKNOWN-1","UnknownCharger"],["UNKNOWN-2","UnknownCharger"]]'
        })

        await world.done("POST", "/cpo/v2/chargers", { body: { name: "New one", chargerId: "UNKNOWN-1" } })
        expect(await ids(world)).toEqual(["UNKNOWN-2"])
        const charger = await WireCharger.connect(ocppUrl, "UNKNOWN-1")
        const [, , booted] = await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
        expect(booted).toMatchObject({ status: "Accepted" })
        await eventually("the charger is connected", async () => {
          const { manufacturer } = await world.done("GET", "/cpo/v2/chargers/UNKNOWN-1")
          return manufacturer === "V"
        })

        const counted = async () => {
          const { items } = await world.done("GET", "/cpo/v2/events?type=work.changed&limit=500")
          return items.at(-1)?.data.unknownChargers
        }
        await eventually("one is counted", async () => (await counted()) === 1)
        expect((await world.ask("DELETE", "/cpo/v2/unknown-chargers/UNKNOWN-2")).status).toBe(204)
        expect(await ids(world)).toEqual([])
        await eventually("none is counted", async () => (await counted()) === 0)

        expect(await WireCharger.dial(ocppUrl, "REAL")).toBe(404)
        for (let n = 0; n < 3 * believed; n++) {
          const refused = await WireCharger.dial(ocppUrl, `MADE-UP-${n}`, {
            authorization: basic(`MADE-UP-${n}`, `Guessed-Password-${n}`)
          })
          expect([404, 429]).toContain(refused)
        }
        const kept = await ids(world)
        expect(kept.length).toBeLessThanOrEqual(believed)
        expect(kept).toContain("REAL")
        const metrics = (await world.ask("GET", "/metrics")).text
        expect(Number(/^unknown_chargers_unrecorded_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0)
        expect(metrics).toContain('commands_refused_total{reason="command_rate"} 0\n')
        // A registered charger is admitted as before, despite the unknown ones.
        charger.socket.close()
        await WireCharger.connect(ocppUrl, "UNKNOWN-1")

        await world.truth(async (query) => {
          const rows = await everyRow(query)
          expect(rows.filter((row) => row.startsWith("unknown_charger "))).toHaveLength(kept.length)
          expect(rows.filter((row) => row.includes("Guessed-Password"))).toEqual([])
        })
        expect(world.output).not.toContain("Guessed-Password")
      })
  )
}
