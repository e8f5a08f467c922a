/** The log of exchanges shows that results were posted, but not the addresses by which others could post results too. */
import { describe, expect, it } from "vitest"
import { Drive } from "./modules/Drive.ts"
import { Roaming } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)

const logged = async (id: string, query: string): Promise<ReadonlyArray<Json>> => {
  const page = await roaming.world.get(`partners/${id}/exchanges?limit=100${query}`)
  return page["items"] as ReadonlyArray<Json>
}

const bare = (url: string) => url.replace("http://", "")

describe("results in the log of exchanges", () => {
  it("of commands are logged with their answers, but without their full addresses", async () => {
    const { id: partnerId, partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    spot.station.on("UnlockConnector", { status: "Unlocked" })
    const place = { location_id: spot.locationId, evse_uid: spot.evse(1), connector_id: "1" }
    const { id: secret } = await partner.command("UNLOCK_CONNECTOR", place)
    expect(await partner.result(secret)).toEqual({ result: "ACCEPTED" })
    const odd = await partner.ask("POST", "commands", "/UNLOCK_CONNECTOR", { ...place, response_url: `no ${secret}` })
    expect(odd.code).toBe(2001)
    const log = await logged(partnerId, "&module=commands")
    expect(JSON.stringify(log)).not.toContain(secret)
    const [posted] = log.filter(({ direction }) => direction === "out")
    expect(posted).toMatchObject({ method: "POST", httpStatus: 200, requestBody: '{"result":"ACCEPTED"}' })
    expect(posted?.["path"]).toBe(`${bare(partner.url("commands"))}/***`)
    const asked = log.find(
      ({ correlationId, direction }) => direction === "in" && correlationId === posted?.["correlationId"]
    )
    expect(asked?.["requestBody"]).toContain(`"response_url":"${new URL(partner.url("commands")).origin}/***"`)
  })

  it("of charging profiles are too, with an address in the query", async () => {
    const { id: partnerId, partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    const { id: sessionId } = await drive.session(partner, spot)
    spot.station.on("ClearChargingProfile", { status: "Accepted" })
    const { id: secret } = await partner.profile("DELETE", sessionId)
    expect(await partner.result(secret)).toEqual({ result: "ACCEPTED" })
    const log = await logged(partnerId, "&module=chargingprofiles")
    expect(JSON.stringify(log)).not.toContain(secret)
    const { origin } = new URL(partner.url("chargingprofiles"))
    expect(log.map(({ direction, method, path }) => [direction, method, path])).toEqual([
      ["out", "POST", `${bare(partner.url("chargingprofiles"))}/***`],
      ["in", "DELETE", `/ocpi/2.2.1/chargingprofiles/${sessionId}?response_url=${origin}/***`]
    ])
  })
})
