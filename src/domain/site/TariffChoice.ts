/** Which tariffs a connector is shown with: the one by which a session that starts now is priced, and those that take its place by themselves. */
import { type AssignedTariff, assignedTo, type ConnectorPlace, validityAt } from "../tariff/Choice.ts"

export interface ChosenTariffs {
  /** Undefined where a session would have no price. */
  readonly tariffId: string | undefined
  /** Assigned more narrowly, and not yet valid: from then on each is the one. */
  readonly laterTariffIds: ReadonlyArray<string>
}

/** As sessions get theirs (`tariffOf` of tariff/Choice), with those that will be narrower once they are valid. */
export const tariffsOf = (
  place: ConnectorPlace,
  assigned: ReadonlyArray<AssignedTariff>,
  now: number
): ChosenTariffs => {
  const following: Array<string> = []
  for (const tariff of assignedTo(place, assigned)) {
    const validity = validityAt(tariff, now)
    if (validity === "Valid") return { tariffId: tariff.tariffId, laterTariffIds: following }
    if (validity === "Later") following.push(tariff.tariffId)
  }
  return { tariffId: undefined, laterTariffIds: following }
}
