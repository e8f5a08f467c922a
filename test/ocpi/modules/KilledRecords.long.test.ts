/** A record that a partner has stored when the service is killed before it has noted that: the service asks for it and does not send it again. */
import { expect, it } from "vitest"
import { until } from "../../simulation/Wait.ts"
import { Driver, makePlace } from "../partner/Place.ts"
import { Roaming } from "../partner/Roaming.ts"

const roaming = new Roaming()
const { world } = roaming

/** The time for restarts and for the lease of pushes that were cut off. */
const limits = { timeout: 240_000 }

it(
  "a record that the partner stored when the service was killed, and one noted as sent before, are sent once",
  limits,
  async () => {
    const place = await makePlace(world)
    const { id, partner } = await roaming.registered("2.2.1")
    const uid = "KILLED1"
    expect((await partner.putToken(partner.cards.make(uid, { whitelist: "ALWAYS" }))).code).toBe(1000)
    const calls = (method: string) =>
      partner.server.heard.filter((one) => one.method === method && one.module === "cdrs").length
    const isUpToDate = () =>
      world.eventually("all is delivered", `partners/${id}/health`, ({ deliveries }) => {
        const { due, state } = deliveries as { readonly due: number; readonly state: string }
        return due === 0 && state === "UpToDate"
      })
    const driver = new Driver(place)
    const charge = async () => {
      await driver.start(uid)
      await driver.meter(1200)
      await driver.stop()
    }
    await charge()
    await partner.eventually("the first record", () => partner.stores.cdrs.size === 1)
    await isUpToDate()
    const gate = new Promise<void>(() => undefined)
    partner.server.faults.plan({ fault: { does: "hold", until: gate }, method: "POST", module: "cdrs", times: 1 })
    await charge()
    await partner.eventually("the second record, which is not answered", () => partner.stores.cdrs.size === 2)
    await world.service.kill("SIGKILL")
    await world.service.restart()
    await until(
      () => "it is asked for",
      90_000,
      () => Promise.resolve(calls("GET") === 1)
    )
    await isUpToDate()
    expect([calls("POST"), calls("GET"), partner.stores.cdrs.size]).toEqual([2, 1, 2])
    expect(partner.problems).toEqual([])
  }
)
