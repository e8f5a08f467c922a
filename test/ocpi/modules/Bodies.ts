/** The bodies of partners' commands, as tests of commands send them. */
import type { Partner } from "../partner/Partner.ts"
import type { Json } from "../partner/Wire.ts"
import type { Spot } from "./Drive.ts"

const soon = (partner: Partner) => partner.time(Date.now() + 3_600_000)

/** The body of each command for a spot. */
export const bodies = {
  START_SESSION: (partner: Partner, spot: Spot, more: Json = {}): Json => ({
    token: partner.cards.make("UID1"),
    location_id: spot.locationId,
    evse_uid: spot.evse(1),
    ...more
  }),
  RESERVE_NOW: (partner: Partner, spot: Spot, more: Json = {}): Json => ({
    token: partner.cards.make("UID2"),
    expiry_date: soon(partner),
    reservation_id: partner.version === "2.1.1" ? 7 : "R-7",
    location_id: spot.locationId,
    evse_uid: spot.evse(1),
    ...more
  }),
  UNLOCK_CONNECTOR: (_: Partner, spot: Spot): Json => ({
    location_id: spot.locationId,
    evse_uid: spot.evse(1),
    connector_id: "1"
  })
}
