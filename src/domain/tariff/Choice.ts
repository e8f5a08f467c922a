/**
 * Which of the tariffs that are assigned around a connector is the one: the narrowest assignment whose tariff is valid at that time. Sessions
 * get their tariff by this rule when they start, and locations show the connector with it.
 */
import type { Assignment } from "./Tariff.ts"

export interface AssignedTariff {
  readonly tariffId: string
  readonly assignment: Assignment
  /** ms epoch, of the tariff's validity: it is valid from the first and no longer at the second. */
  readonly startsAt: number | undefined
  readonly endsAt: number | undefined
}

/** A connector, of a site that the assignments were read for. */
export interface ConnectorPlace {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
}

const narrowness = { connector: 0, charger: 1, site: 2, organisation: 3 } as const

const isFor = (assignment: Assignment, { chargerId, connectorId, evseId }: ConnectorPlace): boolean => {
  switch (assignment.scope) {
    case "organisation":
    // Only the connector's own site comes here.
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

export type Validity = "Later" | "Valid" | "Ended"

export const validityAt = ({ endsAt, startsAt }: AssignedTariff, at: number): Validity => {
  if (endsAt !== undefined && endsAt <= at) return "Ended"
  return startsAt === undefined || startsAt <= at ? "Valid" : "Later"
}

/** The assignments that are for a connector, the narrowest first. `assigned` has those of one site and of its organisation. */
export const assignedTo = <A extends AssignedTariff>(
  place: ConnectorPlace,
  assigned: ReadonlyArray<A>
): ReadonlyArray<A> =>
  assigned
    .filter(({ assignment }) => isFor(assignment, place))
    .toSorted((one, other) => narrowness[one.assignment.scope] - narrowness[other.assignment.scope])

/** What comes of an assignment for a session: it gives its tariff, a narrower one does, or its tariff is not valid yet or no longer. */
export const verdicts = ["Applies", "Overridden", "NotYetValid", "Ended"] as const
export type Verdict = (typeof verdicts)[number]

/** The tariff of a session that starts at `at` (ms epoch); undefined where it has no price. */
export const tariffOf = <A extends AssignedTariff>(
  place: ConnectorPlace,
  assigned: ReadonlyArray<A>,
  at: number
): A | undefined => assignedTo(place, assigned).find((tariff) => validityAt(tariff, at) === "Valid")

/** Why it is that one: every assignment that is for a connector, the narrowest first, with what comes of it for a session that starts at `at`. */
export const verdictsOf = <A extends AssignedTariff>(
  place: ConnectorPlace,
  assigned: ReadonlyArray<A>,
  at: number
): ReadonlyArray<readonly [A, Verdict]> => {
  const chosen = tariffOf(place, assigned, at)
  const lost = { Later: "NotYetValid", Valid: "Overridden", Ended: "Ended" } as const
  return assignedTo(place, assigned).map((one) => [one, one === chosen ? "Applies" : lost[validityAt(one, at)]])
}
