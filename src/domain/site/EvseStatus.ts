/** Translates the statuses of an EVSE's connectors for partners (OCPI 2.2.1 §8.4.22 Status, OCPP 1.6 §7.7 ChargePointStatus). */
import type { ConnectorStatus } from "./Connector.ts"
import type { SourceCharger } from "./LocationSources.ts"

/** OCPI's nine statuses. We never use PLANNED and BLOCKED: only reported EVSEs are known, and no charger reports that a vehicle blocks it. */
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

/** An occupied connector is CHARGING for all other drivers, whatever its driver does. */
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

/** The first of these among an EVSE's connectors applies: only one connector is used at a time, and one usable connector is enough. */
const ranked: ReadonlyArray<EvseStatus> = ["CHARGING", "RESERVED", "AVAILABLE", "INOPERATIVE", "OUTOFORDER"]

/** The status of an EVSE with these connectors. A fault of the whole charger applies to every EVSE that is not in use. */
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
