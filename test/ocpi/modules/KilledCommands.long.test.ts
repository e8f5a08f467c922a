/** Results that partners get for their commands if the service is killed after it has accepted them. */
import { describe, expect, it } from "vitest"
import { until } from "../../simulation/Wait.ts"
import { Roaming } from "../partner/Roaming.ts"
import type { Json } from "../partner/Wire.ts"
import { Drive, problemsOf, type Spot } from "./Drive.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

/** The body of UNLOCK_CONNECTOR for a spot's first connector. */
const unlocking = (spot: Spot): Json => ({
  location_id: spot.locationId,
  evse_uid: spot.evse(1),
  connector_id: "1"
})

describe("the result of a command", () => {
  it("is posted after the service was killed between accepting the command and posting the result", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    const asked = new Promise<void>((resolve) => {
      spot.station.on("UnlockConnector", () => {
        resolve()
        return new Promise<Json>(() => undefined)
      })
    })
    const { answer, id } = await partner.command("UNLOCK_CONNECTOR", unlocking(spot))
    expect(answer).toMatchObject({ result: "ACCEPTED" })
    await asked
    await world.service.kill("SIGKILL")
    await world.service.restart()
    await until(
      () => "the charger is back",
      30_000,
      async () => {
        await drive.again(spot.chargerId)
        return true
      }
    )
    expect(await partner.result(id)).toEqual({ result: "FAILED" })
    expect(problemsOf(partner)).toEqual([])
  })

  it("is posted after the partner was unavailable and the service was killed meanwhile", async () => {
    const { id: partnerId, partner } = await roaming.registered("2.1.1")
    const spot = await drive.spot(partner)
    spot.station.on("UnlockConnector", { status: "Unlocked" })
    partner.server.faults.plan({ module: "commands", fault: { does: "status", http: 500 } })
    const { id } = await partner.command("UNLOCK_CONNECTOR", unlocking(spot))
    // At the third try, the first two have been stored as failed. A try that was cut off is not repeated before its lease is over.
    const tries = () => partner.server.heard.filter(({ module }) => module === "commands").length
    await partner.eventually("a third try", () => tries() >= 3)
    await world.eventually("it is in the log", `partners/${partnerId}/exchanges?limit=20`, ({ items }) => {
      const exchanges = (items as ReadonlyArray<Json>).filter(
        ({ direction, module }) => direction === "out" && module === "commands"
      )
      return exchanges.length >= 3
    })
    await world.service.kill("SIGKILL")
    partner.server.faults.clear()
    await world.service.restart()
    await until(
      () => "the result",
      90_000,
      () => Promise.resolve(partner.results.get(id)?.length === 1)
    )
    expect(partner.results.get(id)).toEqual([{ result: "ACCEPTED" }])
    expect(problemsOf(partner)).toEqual([])
  }, 120_000)
})
