/**
 * When a session counts as over although no stop arrived: stops are lost when a charger's memory is cleared or the charger is stolen. A session that
 * is closed in this way is held, because its energy is not known (unless it never took place, see `Refused`). Later messages about it, above all its
 * real stop, replace this end.
 */
import type { ConnectorStatus } from "../site/Connector.ts"
import type { AuthorizationStatus } from "../token/Authorization.ts"

/** Why a session was closed without a stop. */
export type CloseReason =
  /** Its charger is connected and reports a free connector, and no stop has followed. */
  | "ConnectorFree"
  /** No message about it arrived for as long as its organisation waits, and nothing shows that it continues. */
  | "Silent"

/** What is known of a session that has not ended. Times are ms epoch, by our own clock. */
export interface OpenSession {
  readonly sessionId: string
  readonly organisationId: string
  /** When its start was received. */
  readonly heardAt: number
  /** When something about it was last stored. */
  readonly quietSince: number
  readonly authorization: AuthorizationStatus
  /** According to its readings. */
  readonly energyWh: number
  /** How many hours without messages its organisation waits. */
  readonly closeSilentHours: number
  /** The state of its charger's connection. */
  readonly connection:
    | { readonly _tag: "Up"; readonly since: number }
    /** Disconnected, or connected to a node that no longer runs. */
    | { readonly _tag: "Down"; readonly since: number }
    /** The charger was removed, or has never been seen by this database. */
    | { readonly _tag: "None" }
  /** The connector's last status, and when it was received. */
  readonly connector: { readonly status: ConnectorStatus; readonly heardAt: number } | undefined
}

/**
 * How long to wait for the stop after the connector is free. Chargers send the stop after the status, some after several attempts a minute apart, and
 * chargers that were offline empty their queues first.
 */
export const freeMillis = 15 * 60_000

/** How many hours an organisation may choose: at most 90 days. The default, in the database, is 24: longer than a night. */
export const closeSilentHours = { least: 1, most: 2160 }

const hourMillis = 3_600_000

/**
 * Statuses under which a session may continue without messages: a vehicle may be parked for weeks, and a charger without meter values sends nothing
 * in that time.
 */
export const stillOccupied: ReadonlySet<ConnectorStatus> = new Set<ConnectorStatus>([
  "Preparing",
  "Charging",
  "SuspendedEV",
  "SuspendedEVSE",
  "Finishing"
])

/** Statuses under which no session runs. */
export const freeStatuses: ReadonlySet<ConnectorStatus> = new Set<ConnectorStatus>([
  "Available",
  "Reserved",
  "Unavailable"
])

/** The reason to close a session at `now` (ms epoch); undefined while it may continue. */
export const closingOf = (session: OpenSession, now: number): CloseReason | undefined => {
  const { connection, connector, heardAt, quietSince } = session
  const patience = session.closeSilentHours * hourMillis
  if (connection._tag !== "Up") {
    const since = connection._tag === "Down" ? Math.max(quietSince, connection.since) : quietSince
    return since + patience <= now ? "Silent" : undefined
  }
  if (connector !== undefined && stillOccupied.has(connector.status)) return undefined
  if (connector !== undefined && freeStatuses.has(connector.status) && connector.heardAt > heardAt) {
    const since = Math.max(quietSince, connection.since, connector.heardAt)
    return since + freeMillis <= now ? "ConnectorFree" : undefined
  }
  return Math.max(quietSince, connection.since) + patience <= now ? "Silent" : undefined
}
