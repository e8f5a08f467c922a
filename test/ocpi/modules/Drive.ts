/** A site that partners see, with a real charger socket: the common beginning of tests of commands and charging profiles. */
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import { Station } from "../../cases/Station.ts"
import { until } from "../../simulation/Wait.ts"
import type { Partner } from "../partner/Partner.ts"
import type { Roaming } from "../partner/Roaming.ts"
import type { Json } from "../partner/Wire.ts"

export const address = {
  streetAddress: "Keizersgracht",
  streetNumber: "1",
  postalNumber: "1015 AA",
  city: "Amsterdam",
  country: "NLD",
  latitude: 52.37,
  longitude: 4.89
}

export interface Spot {
  readonly chargerId: string
  readonly locationId: string
  readonly station: Station
  /** The uids of the EVSEs, by connector number. */
  readonly evse: (connectorId: number) => string
}

/** What strict partners found wrong with our requests and answers. */
export const problemsOf = (...partners: ReadonlyArray<Partner>): ReadonlyArray<string> =>
  partners.flatMap(({ problems }) => problems)

const uidsOf = (location: unknown): ReadonlyArray<string> =>
  ((location as Json)["evses"] as ReadonlyArray<Json>).map((evse) => String(evse["uid"]))

export class Drive {
  private readonly roaming: Roaming

  constructor(roaming: Roaming) {
    this.roaming = roaming
  }

  /** A new site with one connected charger that has reported two connectors. */
  async spot(partner: Partner, options: { readonly connected?: boolean } = {}): Promise<Spot> {
    const { world } = this.roaming
    const site = await world.post("sites", { name: `Site ${randomUUID().slice(0, 8)}`, ...address })
    const locationId = String(site["id"])
    const chargerId = await world.charger({ siteId: locationId })
    const { station } = await world.station(chargerId)
    const read = () => partner.ask("GET", "locations", `/${locationId}`)
    await until(
      () => "the location has two evses",
      15_000,
      async () => {
        const { data, http } = await read()
        return http === 200 && uidsOf(data).length === 2
      }
    )
    const uids = uidsOf((await read()).data)
    if (options.connected === false) await station.close()
    return { chargerId, locationId, station, evse: (connectorId) => uids[connectorId - 1] ?? "" }
  }

  /** Another charger at the location of a spot, with one connector. */
  async beside(
    partner: Partner,
    { locationId }: Spot
  ): Promise<{ readonly station: Station; readonly evseUid: string }> {
    const { world } = this.roaming
    const read = async () => uidsOf((await partner.ask("GET", "locations", `/${locationId}`)).data)
    const before = await read()
    const station = new Station(world.service.ocppUrl, await world.charger({ siteId: locationId }))
    onTestFinished(() => station.close())
    await station.connect()
    await station.boot()
    await station.status(1, "Available")
    let evseUid: string | undefined
    await until(
      () => "the location has another evse",
      15_000,
      async () => {
        evseUid = (await read()).find((uid) => !before.includes(uid))
        return evseUid !== undefined
      }
    )
    return { station, evseUid: evseUid ?? "" }
  }

  /** Connects the station again, after it or the service was stopped. */
  async again(chargerId: string): Promise<Station> {
    const station = new Station(this.roaming.world.service.ocppUrl, chargerId)
    onTestFinished(() => station.close())
    await station.connect()
    await station.boot()
    return station
  }

  /** A running session of the partner's driver at connector 1. */
  async session(partner: Partner, spot: Spot): Promise<{ readonly id: string; readonly transactionId: number }> {
    const { world } = this.roaming
    const uid = `S${randomUUID().replaceAll("-", "").slice(0, 12).toUpperCase()}`
    spot.station.on("RemoteStartTransaction", { status: "Accepted" })
    const started = await partner.command("START_SESSION", {
      token: partner.cards.make(uid),
      location_id: spot.locationId,
      evse_uid: spot.evse(1)
    })
    if (started.answer["result"] !== "ACCEPTED") throw new Error(`not started: ${JSON.stringify(started.answer)}`)
    await partner.result(started.id)
    const { id: transactionId, status } = await spot.station.start(1, uid)
    if (status !== "Accepted") throw new Error(`the driver was ${String(status)}`)
    const { id } = await world.sessionOf(spot.chargerId)
    return { id: String(id), transactionId }
  }
}
