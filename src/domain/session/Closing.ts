/**
 * When a session counts as over although no stop came: stops are lost with cleared memories and stolen chargers. A session that
 * is closed so is held, since it is not known what it came to; and what is heard of it later, its true end above all, takes the place of this.
 */
import type { ConnectorStatus } from "../site/Connector.ts"
import type { AuthorizationStatus } from "../token/Authorization.ts"

/** Why a session was closed without a stop. */
export type CloseReason =
  /** Its charger is connected and reports a free connector, and no stop has followed. */
  | "ConnectorFree"
  /** Nothing was heard of it for as long as its organisation waits, and nothing shows that it continues. */
  | "Silent"

/** What is known of a session that has not ended. Times are ms epoch, by our own clock. */
export interface OpenSession {
  readonly sessionId: string
  readonly organisationId: string
  /** When its start was heard. */
  readonly heardAt: number
  /** When something was last stored of it. */
  readonly quietSince: number
  readonly authorization: AuthorizationStatus
  /** By its readings. */
  readonly energyWh: number
  /** How many hours its organisation waits. */
  readonly closeSilentHours: number
  /** Of its charger's connection. */
  readonly connection:
    | { readonly _tag: "Up"; readonly since: number }
    /** Disconnected, or connected to a node that no longer runs. */
    | { readonly _tag: "Down"; readonly since: number }
    /** The charger was removed, or has never been seen by this database. */
    | { readonly _tag: "None" }
  /** The connector's last status, and when it was heard. */
  readonly connector: { readonly status: ConnectorStatus; readonly heardAt: number } | undefined
}

/**
 * How long a free connector waits for the stop: chargers send it after the status, some after they have tried it several times a minute apart, and
 * those that were away empty their queues first.
 */
export const freeMillis = 15 * 60_000

/** How many hours an organisation may choose: at most a season. The default, in the database, is 24: more than a night. */
export const closeSilentHours = { least: 1, most: 2160 }

const hourMillis = 3_600_000

/** Statuses under which a session may continue in silence: a vehicle may be parked for weeks, and a charger without meter values sends nothing meanwhile. */
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
