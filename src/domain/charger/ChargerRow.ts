/**
 * A charger in one row, for tables and live views: what it is, how it is now, and what each of its connectors does. A fleet is counted by the same states.
 */
import { type ConnectorStatus, connectorStatuses, type Place } from "../site/Connector.ts"
import { presentPowerMillis } from "./Power.ts"

/** Trouble first, then the busiest. */
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

/** Of the statuses that a charger reports, the first of these is the charger's own. */
export const statusRank: ReadonlyArray<ConnectorStatus> = connectorStatuses.toSorted(
  (one, other) => rankOf[one] - rankOf[other]
)

export type OverallState = ConnectorStatus | "Offline" | "NeverConnected"
export const overallStates: ReadonlyArray<OverallState> = [...statusRank, "Offline", "NeverConnected"]

/** States that an operator should look into. */
export const troubles: ReadonlyArray<OverallState> = ["Faulted", "Offline"]

/** Of a connected charger that has reported no status yet: no driver can use it. */
export const unreportedState = "Unavailable" satisfies OverallState

interface Reported {
  readonly everConnected: boolean
  readonly connected: boolean
  /** Of its connectors, and of itself as a whole. */
  readonly statuses: ReadonlyArray<ConnectorStatus>
}

/** Nothing that a charger reported before it went offline counts as present. */
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
  /** W at `powerAt` (ms epoch); undefined before a reading shows it. */
  readonly powerW: number | undefined
  readonly powerAt: number | undefined
}

/** What is stored of a charger. */
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
  /** Of its newest connection; undefined before the first. */
  readonly epoch: number | undefined
  readonly connected: boolean
  readonly wholeStatus: ConnectorStatus | undefined
  readonly connectors: ReadonlyArray<ReportedConnector>
  /** Those that run at this charger. */
  readonly sessions: ReadonlyArray<RunningSession>
}

interface RowConnector extends ReportedConnector {
  /** The session that runs there, and the W that it draws now, as far as that is known. */
  readonly sessionId: string | undefined
  readonly powerW: number | undefined
}

export interface ChargerRow extends Omit<ChargerSummary, "connectors" | "epoch" | "sessions" | "wholeStatus"> {
  readonly everConnected: boolean
  readonly state: OverallState
  readonly connectors: ReadonlyArray<RowConnector>
  /** W of all its sessions; 0 where none is known. */
  readonly powerW: number
  readonly activeSessions: number
}

/** W that a session draws at `now`; undefined where its newest reading is too old to say so. */
const presentPower = ({ powerAt, powerW }: RunningSession, now: number): number | undefined =>
  powerAt !== undefined && powerAt > now - presentPowerMillis ? powerW : undefined

/** The row at `now` of a charger whose connection and last sign of life may be known better than they are stored. */
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

/** How many chargers are in each state; those that none is in are left out. */
export type StateCounts = Partial<Readonly<Record<OverallState, number>>>

/** A number of chargers by their states, and the power that they deliver. */
export interface FleetCounts {
  readonly byState: StateCounts
  /** W of all sessions that run at chargers which are connected. */
  readonly powerW: number
}

export const noChargers: FleetCounts = { byState: {}, powerW: 0 }

const sumOf = (byState: StateCounts, states: ReadonlyArray<OverallState>): number =>
  states.reduce((all, state) => all + (byState[state] ?? 0), 0)

/** The counts of a fleet with what follows from them. */
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
