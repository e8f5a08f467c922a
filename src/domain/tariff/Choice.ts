/**
 * Chooses the tariff of a connector from those that are assigned to it, its charger, its site or the organisation: the narrowest assignment whose
 * tariff is valid at that time. Sessions get their tariff by this rule when they start, and locations show the connector with it.
 */
import type { Assignment } from "./Tariff.ts"

export interface AssignedTariff {
  readonly tariffId: string
  readonly assignment: Assignment
  /** The tariff's validity, ms epoch: valid from `startsAt`, and no longer at `endsAt`. */
  readonly startsAt: number | undefined
  readonly endsAt: number | undefined
}

/** A connector at the site whose assignments were read. */
export interface ConnectorPlace {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
}

const narrowness = { connector: 0, charger: 1, site: 2, organisation: 3 } as const

const isFor = (assignment: Assignment, { chargerId, connectorId, evseId }: ConnectorPlace): boolean => {
  switch (assignment.scope) {
    case "organisation":
    // The assignments are only those of the connector's own site.
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

/** The assignments that apply to a connector, narrowest first. `assigned` has those of one site and of its organisation. */
export const assignedTo = <A extends AssignedTariff>(
  place: ConnectorPlace,
  assigned: ReadonlyArray<A>
): ReadonlyArray<A> =>
  assigned
    .filter(({ assignment }) => isFor(assignment, place))
    .toSorted((one, other) => narrowness[one.assignment.scope] - narrowness[other.assignment.scope])

/** The effect of an assignment on a session: its tariff applies, a narrower one overrides it, or its tariff is not valid yet or no longer. */
export const verdicts = ["Applies", "Overridden", "NotYetValid", "Ended"] as const
export type Verdict = (typeof verdicts)[number]

/** The tariff of a session that starts at `at` (ms epoch); undefined if it has no price. */
export const tariffOf = <A extends AssignedTariff>(
  place: ConnectorPlace,
  assigned: ReadonlyArray<A>,
  at: number
): A | undefined => assignedTo(place, assigned).find((tariff) => validityAt(tariff, at) === "Valid")

/** Explains the choice: every assignment that applies to a connector, narrowest first, with its verdict for a session that starts at `at`. */
export const verdictsOf = <A extends AssignedTariff>(
  place: ConnectorPlace,
  assigned: ReadonlyArray<A>,
  at: number
): ReadonlyArray<readonly [A, Verdict]> => {
  const chosen = tariffOf(place, assigned, at)
  const lost = { Later: "NotYetValid", Valid: "Overridden", Ended: "Ended" } as const
  return assignedTo(place, assigned).map((one) => [one, one === chosen ? "Applies" : lost[validityAt(one, at)]])
}
