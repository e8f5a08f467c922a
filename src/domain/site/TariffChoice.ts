/** Which tariffs a connector is shown with: the one by which a session that starts now is priced, and those that take its place by themselves. */
import type { Assignment } from "../tariff/Tariff.ts"
import type { AssignedTariff } from "./LocationSources.ts"

export interface ChosenTariffs {
  /** Undefined where a session would have no price. */
  readonly tariffId: string | undefined
  /** Assigned more narrowly, and not yet valid: from then on each is the one. */
  readonly laterTariffIds: ReadonlyArray<string>
}

interface Place {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
}

const narrowness = { connector: 0, charger: 1, site: 2, organisation: 3 } as const

const isFor = (assignment: Assignment, { chargerId, connectorId, evseId }: Place): boolean => {
  switch (assignment.scope) {
    case "organisation":
    // Only the site's own come here.
    case "site":
      return true
    case "charger":
      return assignment.chargerId === chargerId
    case "connector":
      return (
        assignment.chargerId === chargerId && assignment.evseId === evseId && assignment.connectorId === connectorId
      )
  }
}

/** As sessions get theirs: the narrowest assignment whose tariff is valid (`session_tariff`). */
export const tariffsOf = (place: Place, assigned: ReadonlyArray<AssignedTariff>, now: number): ChosenTariffs => {
  const later: Array<string> = []
  const fitting = assigned
    .filter(({ assignment }) => isFor(assignment, place))
    .toSorted((one, other) => narrowness[one.assignment.scope] - narrowness[other.assignment.scope])
  for (const { endsAt, startsAt, tariffId } of fitting) {
    if (endsAt !== undefined && endsAt <= now) continue
    if (startsAt === undefined || startsAt <= now) return { tariffId, laterTariffIds: later }
    later.push(tariffId)
  }
  return { tariffId: undefined, laterTariffIds: later }
}
