/** A place to charge at: a site that partners may see, its tariff, and a charge point with two connectors that accepts commands. */
import { randomUUID } from "node:crypto"
import type { World } from "../../cases/World.ts"
import type { Station } from "../../cases/Station.ts"
import type { Json } from "./Wire.ts"

export interface Place {
  readonly siteId: string
  readonly chargerId: string
  readonly tariffId: string
  readonly station: Station
}

const address = {
  timeZone: "Europe/Amsterdam",
  streetAddress: "Quay",
  streetNumber: "1",
  postalNumber: "9711AA",
  city: "Groningen",
  country: "NLD",
  latitude: 53.219383,
  longitude: 6.566502
}

/** Half a euro per kWh, with 20% VAT. */
const tariff = {
  currency: "EUR",
  elements: [{ priceComponents: [{ type: "ENERGY", price: 0.5, vat: 20, stepSize: 1 }] }]
}

export const makePlace = async (world: World, more: Json = {}): Promise<Place> => {
  const site = await world.post("sites", { name: "Harbour", ...address, ...more })
  const siteId = String(site["id"])
  const chargerId = `SECRET-${randomUUID().slice(0, 8)}`
  await world.post("chargers", { name: "Quay 1", chargerId, siteId })
  const { id: tariffId } = await world.post("tariffs", tariff)
  await world.ask("PUT", `tariffs/${String(tariffId)}/assignments`, { siteId })
  const { station } = await world.station(chargerId)
  return { siteId, chargerId, tariffId: String(tariffId), station }
}

/** The station of a test that has ended is closed, whatever it was doing. */
const gone = (): void => undefined

/** How a charge point reacts to commands. A session of a second must have only 400 Wh: with more it would be held for a check. */
export class Driver {
  readonly place: Place
  transactionId: number | undefined
  private connectorId = 1

  constructor(place: Place) {
    this.place = place
    const { station } = place
    station.on("RemoteStartTransaction", ({ connectorId, idTag }) => {
      this.connectorId = Number(connectorId ?? 1)
      setTimeout(() => void this.start(String(idTag)).catch(gone), 20)
      return { status: "Accepted" }
    })
    station.on("RemoteStopTransaction", () => {
      setTimeout(() => void this.stop().catch(gone), 20)
      return { status: "Accepted" }
    })
    station.on("UnlockConnector", { status: "Unlocked" })
    station.on("ReserveNow", { status: "Accepted" })
    station.on("CancelReservation", { status: "Accepted" })
    station.on("SetChargingProfile", { status: "Accepted" })
    station.on("ClearChargingProfile", { status: "Accepted" })
    station.on("GetCompositeSchedule", ({ connectorId, duration }) => ({
      status: "Accepted",
      connectorId: Number(connectorId),
      scheduleStart: new Date().toISOString(),
      chargingSchedule: {
        duration: Number(duration),
        chargingRateUnit: "A",
        chargingSchedulePeriod: [{ startPeriod: 0, limit: 10 }]
      }
    }))
  }

  async start(idTag: string): Promise<void> {
    const { station } = this.place
    await station.status(this.connectorId, "Preparing")
    const { id } = await station.start(this.connectorId, idTag, { meterStart: 1000 })
    this.transactionId = id
    await station.status(this.connectorId, "Charging")
  }

  async meter(wh: number): Promise<void> {
    if (this.transactionId === undefined) throw new Error("nothing has started")
    await this.place.station.meter(this.connectorId, this.transactionId, wh)
  }

  async stop(): Promise<void> {
    if (this.transactionId === undefined) throw new Error("nothing has started")
    await this.place.station.stop(this.transactionId, { meterStop: 1400, reason: "Remote" })
    await this.place.station.status(this.connectorId, "Available")
  }
}
