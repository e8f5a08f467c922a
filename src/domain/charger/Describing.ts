/** Merges an operator's settings for connectors and EVSEs into the stored ones, by their numbers. The charger may not have reported them yet. */
import { evseDetailsOf, type EvseDetails, type Given } from "../site/Details.ts"
import type { GivenEquipment, GivenEvse } from "./Charger.ts"
import type { ConnectorEquipment, DescribedEvse } from "../site/Connector.ts"

type Equipment = { readonly evseId: number; readonly connectorId: number } & ConnectorEquipment

/** The maximum number of described EVSEs of one charger. Each may have images and directions, and all are part of one location. */
export const describedEvsesMax = 128

const place = ({ connectorId, evseId }: Pick<Equipment, "connectorId" | "evseId">): string => `${evseId}/${connectorId}`

/** If a connector is listed twice, the second entry applies. */
export const describedEquipment = (
  current: ReadonlyArray<Equipment>,
  given: ReadonlyArray<GivenEquipment>
): ReadonlyArray<Equipment> => {
  const byPlace = new Map(current.map((entry) => [place(entry), entry]))
  for (const { termsAndConditions, ...entry } of given) {
    const terms = termsAndConditions === undefined ? byPlace.get(place(entry))?.termsAndConditions : termsAndConditions
    byPlace.set(place(entry), terms === undefined || terms === null ? entry : { ...entry, termsAndConditions: terms })
  }
  return [...byPlace.values()].sort((a, b) => a.evseId - b.evseId || a.connectorId - b.connectorId)
}

/** Null removes a field. An EVSE without any field is removed. */
export const describedEvses = (
  current: ReadonlyArray<DescribedEvse>,
  given: ReadonlyArray<GivenEvse>
): ReadonlyArray<DescribedEvse> => {
  const byNumber = new Map<number, Given<EvseDetails>>(current.map(({ evseId, ...details }) => [evseId, details]))
  for (const { evseId, ...reported } of given) {
    const changes = Object.entries(reported).filter(([, value]) => value !== undefined)
    const laid = Object.fromEntries(changes.map(([key, value]) => [key, value ?? undefined]))
    byNumber.set(evseId, { ...byNumber.get(evseId), ...laid })
  }
  return [...byNumber]
    .flatMap(([evseId, reported]) => {
      const details = evseDetailsOf(reported)
      return details === undefined ? [] : [{ evseId, ...details }]
    })
    .sort((a, b) => a.evseId - b.evseId)
}
