/** Assignments in the shape of their answers, and the domain's rule for which of them a charger's connectors have. */
import type { Charger } from "../../../domain/charger/Charger.ts"
import { type ConnectorPlace, verdictsOf } from "../../../domain/tariff/Choice.ts"
import type { Assignment } from "../../../domain/tariff/Tariff.ts"
import type { AssignedVersion, PlacedAssignment as DomainPlaced } from "../../../domain/tariff/Tariffs.ts"
import type { ChargerTariffs, PlacedAssignment } from "./PlacedSchema.ts"

/** All of a place's names, from wide to narrow; null for what it is not that narrow for. */
const placeOf = (assignment: Assignment, siteId: string | undefined) => ({
  scope: assignment.scope,
  siteId: assignment.scope === "organisation" ? null : (siteId ?? null),
  chargerId: "chargerId" in assignment ? assignment.chargerId : null,
  evseId: assignment.scope === "connector" ? assignment.evseId : null,
  connectorId: assignment.scope === "connector" ? assignment.connectorId : null
})

export const toPlaced = ({ assignedAt, assignment, siteId, tariffId }: DomainPlaced): typeof PlacedAssignment.Type => ({
  tariffId,
  ...placeOf(assignment, siteId),
  assignedAt
})

/** Those that the charger has reported, and those that have a tariff of their own; of a charger without either, its first. */
const connectorsOf = (
  { chargerId, connectors }: Pick<Charger, "chargerId" | "connectors">,
  assigned: ReadonlyArray<AssignedVersion>
): ReadonlyArray<ConnectorPlace> => {
  const known = [
    ...connectors.filter(({ evseId }) => evseId > 0),
    ...assigned.flatMap(({ assignment }) => (assignment.scope === "connector" ? [assignment] : []))
  ].map(({ connectorId, evseId }) => [`${evseId}/${connectorId}`, { chargerId, evseId, connectorId }] as const)
  const places = [...new Map(known).values()]
  return places.length === 0
    ? [{ chargerId, evseId: 1, connectorId: 1 }]
    : places.toSorted((a, b) => a.evseId - b.evseId || a.connectorId - b.connectorId)
}

/** For sessions that start at `at`. */
export const toChargerTariffs = (
  charger: Pick<Charger, "chargerId" | "connectors" | "siteId">,
  assigned: ReadonlyArray<AssignedVersion>,
  at: number
): typeof ChargerTariffs.Type => ({
  items: connectorsOf(charger, assigned).map((place) => {
    const judged = verdictsOf(place, assigned, at)
    const chosen = judged.find(([, verdict]) => verdict === "Applies")?.[0]
    return {
      evseId: place.evseId,
      connectorId: place.connectorId,
      tariffId: chosen?.tariffId ?? null,
      version: chosen?.version ?? null,
      assignments: judged.map(([{ assignment, endsAt, startsAt, tariffId, version }, verdict]) => ({
        tariffId,
        version,
        ...placeOf(assignment, charger.siteId),
        startDateTime: startsAt ?? null,
        endDateTime: endsAt ?? null,
        verdict
      }))
    }
  })
})
