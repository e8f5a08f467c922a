/**
 * A charger as one row, for tables and live views: its identity, its present state, and the state of each connector. A fleet is counted by the same
 * states.
 */
import { type ConnectorStatus, connectorStatuses, type Place } from "../site/Connector.ts"
import { presentPowerMillis } from "./Power.ts"

/** Troubles come first, then the busiest states. */
const rankOf: Readonly<Record<ConnectorStatus, number>> = {
  Faulted: 0,
  Unavailable: 1,
  Charging: 2,
  SuspendedEVSE: 3,
  SuspendedEV: 4,
  Finishing: 5,
  Preparing: 6,
  Reserved: 7,
  Available: 8
}

/** A charger that reports several statuses has the overall state that comes first here. */
export const statusRank: ReadonlyArray<ConnectorStatus> = connectorStatuses.toSorted(
  (one, other) => rankOf[one] - rankOf[other]
)

export type OverallState = ConnectorStatus | "Offline" | "NeverConnected"
export const overallStates: ReadonlyArray<OverallState> = [...statusRank, "Offline", "NeverConnected"]

/** States that an operator should look into. */
export const troubles: ReadonlyArray<OverallState> = ["Faulted", "Offline"]

/** The state of a connected charger that has reported no status yet: it does not count as usable. */
export const unreportedState = "Unavailable" satisfies OverallState

interface Reported {
  readonly everConnected: boolean
  readonly connected: boolean
  /** The statuses of its connectors and of the charger as a whole. */
  readonly statuses: ReadonlyArray<ConnectorStatus>
}

/** The statuses that a charger reported before it went offline do not count. */
export const overallStateOf = ({ connected, everConnected, statuses }: Reported): OverallState => {
  if (!connected) return everConnected ? "Offline" : "NeverConnected"
  return statusRank.find((status) => statuses.includes(status)) ?? unreportedState
}

interface ReportedConnector extends Place {
  readonly status: ConnectorStatus
  readonly errorCode: string | undefined
  readonly info: string | undefined
  /** Since when it has this status, ms epoch. */
  readonly statusAt: number
}

interface RunningSession extends Place {
  readonly sessionId: string
  /** In W, at `powerAt` (ms epoch); undefined until a reading shows it. */
  readonly powerW: number | undefined
  readonly powerAt: number | undefined
}

/** The part of a stored charger that a row needs. */
export interface ChargerSummary {
  readonly chargerId: string
  readonly name: string
  readonly siteId: string
  readonly siteName: string
  readonly manufacturer: string
  readonly model: string
  readonly firmwareVersion: string
  readonly ocppVersion: string | undefined
  /** ms epoch. */
  readonly lastSeen: number | undefined
  /** The epoch of its newest connection; undefined before the first. */
  readonly epoch: number | undefined
  readonly connected: boolean
  readonly wholeStatus: ConnectorStatus | undefined
  readonly connectors: ReadonlyArray<ReportedConnector>
  /** The sessions that run at this charger. */
  readonly sessions: ReadonlyArray<RunningSession>
}

interface RowConnector extends ReportedConnector {
  /** The session that runs at the connector, and the power in W that it draws now; undefined if not known. */
  readonly sessionId: string | undefined
  readonly powerW: number | undefined
}

export interface ChargerRow extends Omit<ChargerSummary, "connectors" | "epoch" | "sessions" | "wholeStatus"> {
  readonly everConnected: boolean
  readonly state: OverallState
  readonly connectors: ReadonlyArray<RowConnector>
  /** The power of all its sessions in W; 0 if none is known. */
  readonly powerW: number
  readonly activeSessions: number
}

/** The power in W that a session draws at `now`; undefined if its newest reading is too old. */
const presentPower = ({ powerAt, powerW }: RunningSession, now: number): number | undefined =>
  powerAt !== undefined && powerAt > now - presentPowerMillis ? powerW : undefined

/** The row of a charger at `now`. `known` replaces the stored connection state and last-seen time, since it may be newer. */
export const chargerRowOf = (
  summary: ChargerSummary,
  known: { readonly connected: boolean; readonly lastSeen: number | undefined; readonly everConnected: boolean },
  now: number
): ChargerRow => {
  const { connectors, epoch: _, sessions, wholeStatus, ...rest } = summary
  const { connected, everConnected } = known
  const statuses = [...connectors.map(({ status }) => status), ...(wholeStatus === undefined ? [] : [wholeStatus])]
  const powerOf = (session: RunningSession): number | undefined => (connected ? presentPower(session, now) : undefined)
  return {
    ...rest,
    ...known,
    state: overallStateOf({ connected, everConnected, statuses }),
    connectors: connectors.map((connector) => {
      const session = sessions.find(
        ({ connectorId, evseId }) => evseId === connector.evseId && connectorId === connector.connectorId
      )
      return {
        ...connector,
        sessionId: session?.sessionId,
        powerW: session === undefined ? undefined : powerOf(session)
      }
    }),
    powerW: sessions.reduce((all, session) => all + (powerOf(session) ?? 0), 0),
    activeSessions: sessions.length
  }
}

/** How many chargers are in each state. States without chargers are left out. */
export type StateCounts = Partial<Readonly<Record<OverallState, number>>>

/** The number of chargers in each state, and the power that they deliver. */
export interface FleetCounts {
  readonly byState: StateCounts
  /** The power in W of all sessions at connected chargers. */
  readonly powerW: number
}

export const noChargers: FleetCounts = { byState: {}, powerW: 0 }

const sumOf = (byState: StateCounts, states: ReadonlyArray<OverallState>): number =>
  states.reduce((all, state) => all + (byState[state] ?? 0), 0)

/** The counts of a fleet, with totals computed from them. */
export const fleetOf = ({ byState, powerW }: FleetCounts) => {
  const total = sumOf(byState, overallStates)
  return {
    total,
    byState: Object.fromEntries(overallStates.map((state) => [state, byState[state] ?? 0])) as Readonly<
      Record<OverallState, number>
    >,
    needAttention: sumOf(byState, troubles),
    connected: total - sumOf(byState, ["Offline", "NeverConnected"]),
    powerW
  }
}
