/** Assignments as REST v2 answers them, and which of them apply to a charger's connectors by the domain's rule. */
import type { Charger } from "../../../domain/charger/Charger.ts"
import { type ConnectorPlace, verdictsOf } from "../../../domain/tariff/Choice.ts"
import type { Assignment } from "../../../domain/tariff/Tariff.ts"
import type { AssignedVersion, PlacedAssignment as DomainPlaced } from "../../../domain/tariff/Tariffs.ts"
import type { ChargerTariffs, PlacedAssignment } from "./PlacedSchema.ts"

/** All fields of a place, from wide to narrow; null for those that do not apply. */
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

/** The connectors that the charger has reported, and those with a tariff of their own. If there are none, the charger's first connector. */
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

/** The tariffs for sessions that start at `at`. */
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
