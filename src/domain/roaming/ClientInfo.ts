/** What a hub reports of the parties that are reached through it (OCPI 2.2.1 `hubclientinfo`). */
import type { PartyRole } from "./Party.ts"
import type { PartyId } from "../values/PartyId.ts"

export const clientStatuses = ["CONNECTED", "OFFLINE", "PLANNED", "SUSPENDED"] as const
export type ClientStatus = (typeof clientStatuses)[number]

export interface ClientInfo extends PartyId {
  readonly role: PartyRole
  readonly status: ClientStatus
  /** ms epoch, by the hub's clock. */
  readonly lastUpdated: number
}

/** The most parties behind one hub that are stored; the largest hubs have some hundreds. */
export const clientsMax = 2_000
