/**
 * All chargers of the organisation as the console knows them: a function of what was read and of the events since. Nothing here uses the network or
 * the screen.
 */
import { overallStateOf, type OverallState, statusRank } from "../../../src/domain/charger/ChargerRow.ts"
import type { Charger, ChargerRow, LiveEvent, Session } from "../api/types.ts"

/** The state of a charger or connector in one word, by the service's own rule. */
export type State = OverallState
type Reported = (typeof statusRank)[number]

export interface Connector {
  readonly evseId: number
  readonly connectorId: number
  readonly status: Reported
  readonly errorCode: string | null
  readonly info: string | null
  readonly since: number
  readonly sessionId: string | undefined
  readonly energyWh: number | undefined
  readonly powerW: number | undefined
}

export interface Row {
  readonly id: string
  readonly name: string
  readonly siteId: string
  readonly siteName: string
  readonly maker: string
  readonly firmware: string
  readonly connected: boolean
  readonly everConnected: boolean
  readonly state: State
  /** The status that it reported for itself as a whole. */
  readonly whole: Reported | undefined
  readonly connectors: ReadonlyArray<Connector>
  readonly lastSeen: number | undefined
  readonly offlineSince: number | undefined
  readonly powerW: number | undefined
  readonly energyWh: number | undefined
}

/** The connector at which a running session takes place, and its last register. */
interface Place {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
  readonly startWh: number
  readonly meterWh: number
  readonly readAt: number
}

export interface Fleet {
  readonly rows: Map<string, Row>
  readonly places: Map<string, Place>
}

/** The number of a connector as people know it: the EVSE's number if the EVSE has one connector, as OCPP 1.6 numbers them. */
export const numberOf = (
  { connectorId, evseId }: Pick<Connector, "connectorId" | "evseId">,
  all: ReadonlyArray<Pick<Connector, "evseId">>
): string => (all.filter((one) => one.evseId === evseId).length > 1 ? `${evseId}.${connectorId}` : String(evseId))

export const emptyFleet = (): Fleet => ({ rows: new Map(), places: new Map() })

export const isState = (status: string): status is Reported => (statusRank as ReadonlyArray<string>).includes(status)

/** While a charger is offline, nothing that it reported before is shown as current. */
export const stateOf = ({
  connected,
  connectors,
  everConnected,
  whole
}: Pick<Row, "connected" | "everConnected" | "whole"> & {
  readonly connectors: ReadonlyArray<Pick<Connector, "status">>
}): State =>
  overallStateOf({
    connected,
    everConnected,
    statuses: [...connectors.map(({ status }) => status), ...(whole === undefined ? [] : [whole])]
  })

const sum = (of: ReadonlyArray<number | undefined>): number | undefined =>
  of.reduce((all, one) => (one === undefined ? all : (all ?? 0) + one), undefined)

const settled = (row: Row): Row => ({
  ...row,
  state: stateOf(row),
  powerW: sum(row.connectors.map(({ powerW }) => powerW)),
  energyWh: sum(row.connectors.map(({ energyWh }) => energyWh))
})

const time = (text: string | null): number | undefined => (text === null ? undefined : Date.parse(text))

/** A row as the service lists it, with the known energy of its sessions. */
export const listedRow = (row: ChargerRow, before: Row | undefined): Row => {
  const connectors = row.connectors.map((one): Connector => {
    const old = before?.connectors.find(
      ({ connectorId, evseId }) => evseId === one.evseId && connectorId === one.connectorId
    )
    return {
      evseId: one.evseId ?? one.connectorId,
      connectorId: one.connectorId,
      status: isState(one.status) ? one.status : "Unavailable",
      errorCode: one.errorCode ?? null,
      info: one.info ?? null,
      since: time(one.since) ?? 0,
      sessionId: one.sessionId,
      energyWh: one.sessionId !== undefined && old?.sessionId === one.sessionId ? old.energyWh : undefined,
      powerW: one.powerW
    }
  })
  const isOfConnectors = connectors.some(({ status }) => status === row.state)
  return settled({
    id: row.chargerId,
    name: row.name,
    siteId: row.siteId ?? "",
    siteName: row.siteName ?? "",
    maker: [row.vendor, row.model].filter(Boolean).join(" "),
    firmware: row.firmwareVersion ?? "",
    connected: row.connected,
    everConnected: row.everConnected,
    state: row.state,
    whole: row.connected && !isOfConnectors && isState(row.state) ? row.state : undefined,
    connectors,
    lastSeen: time(row.lastSeenAt),
    offlineSince: row.connected ? undefined : time(row.lastSeenAt),
    powerW: undefined,
    energyWh: undefined
  })
}

/** A row from the answer about one charger, with the sessions that are known to run at it. */
export const rowOf = (charger: Charger, siteName: string, before: Row | undefined): Row =>
  settled({
    id: charger.chargerId,
    name: charger.name,
    siteId: charger.siteId,
    siteName,
    maker: [charger.manufacturer, charger.chargerModel].filter(Boolean).join(" "),
    firmware: charger.firmwareVersion,
    connected: charger.activeConnection,
    everConnected: charger.activeConnection || charger.lastSeen !== null,
    state: "NeverConnected",
    whole: charger.status !== null && isState(charger.status) ? charger.status : undefined,
    connectors: charger.evses.flatMap(({ connectors, evseId }) =>
      connectors.map((one): Connector => {
        const old = before?.connectors.find((known) => known.evseId === evseId && known.connectorId === one.connectorId)
        return {
          evseId,
          connectorId: one.connectorId,
          status: isState(one.status) ? one.status : "Unavailable",
          errorCode: one.errorCode === "NoError" ? null : one.errorCode,
          info: one.info,
          since: time(one.statusAt) ?? 0,
          sessionId: old?.sessionId,
          energyWh: old?.energyWh,
          powerW: old?.powerW
        }
      })
    ),
    lastSeen: time(charger.lastSeen),
    offlineSince: time(charger.offlineSince),
    powerW: undefined,
    energyWh: undefined
  })

const change = (fleet: Fleet, id: string, to: (row: Row) => Row): void => {
  const row = fleet.rows.get(id)
  if (row !== undefined) fleet.rows.set(id, settled(to(row)))
}

const changeConnector = (
  fleet: Fleet,
  { chargerId, connectorId, evseId }: Pick<Place, "chargerId" | "connectorId" | "evseId">,
  at: number,
  to: (one: Connector) => Connector
): void =>
  change(fleet, chargerId, (row) => ({
    ...row,
    lastSeen: Math.max(row.lastSeen ?? 0, at),
    connectors: row.connectors.map((one) => (one.evseId === evseId && one.connectorId === connectorId ? to(one) : one))
  }))

const idle = { sessionId: undefined, energyWh: undefined, powerW: undefined }

/** Adds a session that was running when it was read. */
export const place = (fleet: Fleet, session: Session): void => {
  if (session.status !== "ACTIVE" && session.status !== "PENDING") return
  const at = Date.parse(session.updatedAt)
  const found: Place = {
    chargerId: session.chargerId,
    evseId: session.evseId,
    connectorId: session.connectorId,
    startWh: session.meterStartWh,
    meterWh: session.meterStartWh + session.energyWh,
    readAt: at
  }
  fleet.places.set(session.id, found)
  changeConnector(fleet, found, 0, (one) => ({ ...one, sessionId: session.id, energyWh: session.energyWh }))
}

/** Applies an event. Returns the id of the charger that has to be read again, if the event says only that something changed. */
export const apply = (fleet: Fleet, event: LiveEvent): string | undefined => {
  const at = Date.parse(event.at)
  switch (event.type) {
    case "charger.connected":
      if (!fleet.rows.has(event.data.chargerId)) return event.data.chargerId
      change(fleet, event.data.chargerId, (row) => ({
        ...row,
        connected: true,
        everConnected: true,
        offlineSince: undefined,
        lastSeen: Math.max(row.lastSeen ?? 0, at)
      }))
      return undefined
    case "charger.disconnected":
      change(fleet, event.data.chargerId, (row) => ({
        ...row,
        connected: false,
        offlineSince: at,
        connectors: row.connectors.map((one) => ({ ...one, powerW: undefined }))
      }))
      return undefined
    case "charger.booted":
    case "charger.changed":
      return event.data.chargerId
    case "connector.status": {
      const { chargerId, connectorId, errorCode, evseId, info, status } = event.data
      const row = fleet.rows.get(chargerId)
      if (row !== undefined && evseId === 0) {
        change(fleet, chargerId, (old) => ({ ...old, whole: isState(status) ? status : old.whole }))
        return undefined
      }
      const known = row?.connectors.some((one) => one.evseId === evseId && one.connectorId === connectorId)
      if (known !== true) return chargerId
      changeConnector(fleet, event.data, at, (one) => ({
        ...one,
        status: isState(status) ? status : one.status,
        errorCode: errorCode === "NoError" ? null : errorCode,
        info,
        since: one.status === status ? one.since : at
      }))
      return undefined
    }
    case "session.started": {
      const { chargerId, connectorId, evseId, meterStartWh, sessionId } = event.data
      if (chargerId === null) return undefined
      // A session of the snapshot is put back: the end of the one before it, which is applied once more, has cleared the connector.
      const found = fleet.places.get(sessionId) ?? {
        chargerId,
        evseId,
        connectorId,
        startWh: meterStartWh,
        meterWh: meterStartWh,
        readAt: at
      }
      fleet.places.set(sessionId, found)
      changeConnector(fleet, found, at, (one) =>
        one.sessionId === sessionId
          ? one
          : { ...one, sessionId, energyWh: found.meterWh - found.startWh, powerW: undefined }
      )
      return undefined
    }
    case "session.updated": {
      const { chargerId, connectorId, evseId, meterWh, powerW, readAt, sessionId } = event.data
      if (chargerId === null || evseId === null || connectorId === null || readAt === null) return undefined
      const found = fleet.places.get(sessionId)
      const read = Date.parse(readAt)
      if (found !== undefined && read <= found.readAt) return undefined
      const where = { chargerId, evseId, connectorId }
      if (found !== undefined)
        fleet.places.set(sessionId, { ...found, meterWh: meterWh ?? found.meterWh, readAt: read })
      changeConnector(fleet, where, at, (one) => {
        // A reading that comes after the end of its session (a charger sends what it queued) does not make the session run again.
        if (found === undefined && one.sessionId !== sessionId) return one
        return {
          ...one,
          sessionId,
          energyWh: found === undefined || meterWh === null ? one.energyWh : meterWh - found.startWh,
          powerW: powerW ?? one.powerW
        }
      })
      return undefined
    }
    case "session.ended": {
      const { sessionId } = event.data
      const found = fleet.places.get(sessionId)
      if (found === undefined) return undefined
      fleet.places.delete(sessionId)
      changeConnector(fleet, found, at, (one) => (one.sessionId === sessionId ? { ...one, ...idle } : one))
      return undefined
    }
    default:
      return undefined
  }
}
