/** What an evse's chargers' words mean for partners (OCPI 2.2.1 §8.4.22 Status, OCPP 1.6 §7.7 ChargePointStatus). */
import type { ConnectorStatus } from "./Connector.ts"
import type { SourceCharger } from "./LocationSources.ts"

/** OCPI's nine, of which PLANNED and BLOCKED are never ours: an evse is known when it has been reported, and no charger reports who blocks it. */
export const evseStatuses = [
  "AVAILABLE",
  "CHARGING",
  "INOPERATIVE",
  "OUTOFORDER",
  "REMOVED",
  "RESERVED",
  "UNKNOWN"
] as const
export type EvseStatus = (typeof evseStatuses)[number]

/** A connector that is taken is taken for everybody else, whatever its driver is at. */
const ofConnector: Readonly<Record<ConnectorStatus, EvseStatus>> = {
  Available: "AVAILABLE",
  Preparing: "CHARGING",
  Charging: "CHARGING",
  SuspendedEV: "CHARGING",
  SuspendedEVSE: "CHARGING",
  Finishing: "CHARGING",
  Reserved: "RESERVED",
  Unavailable: "INOPERATIVE",
  Faulted: "OUTOFORDER"
}

/** Of several connectors one is used at a time, and one that can be used is enough. */
const ranked: ReadonlyArray<EvseStatus> = ["CHARGING", "RESERVED", "AVAILABLE", "INOPERATIVE", "OUTOFORDER"]

/** Of an evse whose connectors have reported these. The whole charger's fault is that of every evse that is not in use. */
export const statusOf = (
  { connected, registration, wholeStatus }: Pick<SourceCharger, "connected" | "registration" | "wholeStatus">,
  connectors: ReadonlyArray<{ readonly status: ConnectorStatus }>
): EvseStatus => {
  if (!connected) return "UNKNOWN"
  const given = connectors.map(({ status }) => ofConnector[status])
  const status = ranked.find((one) => given.includes(one)) ?? "UNKNOWN"
  if (status === "CHARGING") return status
  if (wholeStatus === "Faulted") return "OUTOFORDER"
  if (wholeStatus === "Unavailable" || registration !== "Accepted")
    return status === "OUTOFORDER" ? status : "INOPERATIVE"
  return status
}
