/**
 * When a session counts as over although its end never came: stops are lost with memories that are cleared and chargers that are stolen. A session that
 * is closed so is held, since it is not known what it came to; and what is heard of it later, its true end above all, takes the place of this.
 */
import type { ConnectorStatus } from "../site/Connector.ts"
import type { AuthorizationStatus } from "../token/Authorization.ts"

/** Why a session was closed without an end. */
export type CloseReason =
  /** Its charger is there and says that the connector is free, and no stop has followed. */
  | "ConnectorFree"
  /** Nothing was heard of it for as long as its organisation waits, and nothing shows that it goes on. */
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
  /** Hours that its organisation waits. */
  readonly closeSilentHours: number
  /** Of its charger's connection. */
  readonly connection:
    | { readonly _tag: "Up"; readonly since: number }
    /** Also where its node is gone. */
    | { readonly _tag: "Down"; readonly since: number }
    /** The charger was removed, or has never been seen by this database. */
    | { readonly _tag: "None" }
  /** What its connector said last, and when that was heard. */
  readonly connector: { readonly status: ConnectorStatus; readonly heardAt: number } | undefined
}

/**
 * How long a free connector waits for the stop: chargers send it after the status, some after they have tried it several times a minute apart, and
 * those that were away empty their queues first.
 */
export const freeMillis = 15 * 60_000

/** Hours that an organisation may wait: at most a season. The database has 24 where it has not said: over a night. */
export const closeSilentHours = { least: 1, most: 2160 }

const hourMillis = 3_600_000

/** Statuses under which a session may go on unheard: a vehicle may stand there for weeks, and a charger without meter values says nothing of it. */
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

/** The reason to close a session at `now` (ms epoch), or undefined while it may well go on. */
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
