/** What locations have in common in all versions (OCPI 2.1.1 §8, 2.2.1 §8). */
import type { Location, LocationConnector, LocationEvse } from "../../../domain/site/Location.ts"
import type { OpeningHours } from "../../../domain/site/OpeningHours.ts"
import { parseTimestamp, printTimestamp } from "../../protocol/Timestamp.ts"
import { type DetailEnums, evseDetailParts } from "./Details.ts"
import { cutTo, field, list } from "../Strict.ts"

const timeOf = (text: string): string => {
  const at = parseTimestamp(text)
  return at === undefined ? text : printTimestamp(at)
}

const periods = (all: OpeningHours["exceptionalOpenings"]) =>
  (all ?? []).map(({ periodBegin, periodEnd }) => ({
    period_begin: timeOf(periodBegin),
    period_end: timeOf(periodEnd)
  }))

/** The standard has no 24:00, and an end must be later than its beginning, so the last minute of such a day is lost. */
const endOf = (text: string): string => (text === "24:00" ? "23:59" : text)

/** Weekly hours, or always open. Exceptions alone cannot be expressed, and REST v2 refuses them. */
export const hoursOf = (hours: OpeningHours | undefined) => {
  const regular = hours?.regularHours ?? []
  if (hours === undefined || (!hours.twentyfourseven && regular.length === 0)) return undefined
  return {
    twentyfourseven: hours.twentyfourseven,
    ...(hours.twentyfourseven
      ? {}
      : {
          regular_hours: regular.map(({ periodBegin, periodEnd, weekday }) => ({
            weekday,
            period_begin: periodBegin,
            period_end: endOf(periodEnd)
          }))
        }),
    ...list("exceptional_openings", periods(hours.exceptionalOpenings)),
    ...list("exceptional_closings", periods(hours.exceptionalClosings))
  }
}

/** The values that a version can express. */
export interface Vocabulary extends DetailEnums {
  readonly standards: ReadonlySet<string>
  readonly powerTypes: ReadonlySet<string>
  readonly capabilities: ReadonlySet<string>
}

/** Leaves out connectors of a type that the version does not have: a similar type would not fit the cable. */
export const nameable = ({ connectors }: LocationEvse, { standards }: Vocabulary): ReadonlyArray<LocationConnector> =>
  connectors.filter(({ standard }) => standards.has(standard))

/** Two phases become one in versions without two-phase types. */
export const powerTypeOf = ({ powerType }: LocationConnector, { powerTypes }: Vocabulary): string =>
  powerTypes.has(powerType) ? powerType : "AC_1_PHASE"

/** The fields of an EVSE that the version can express; undefined if it can express none of its connectors. */
export const evseParts = (
  evse: LocationEvse,
  vocabulary: Vocabulary,
  connector: (connector: LocationConnector) => object
) => {
  const connectors = nameable(evse, vocabulary)
  if (connectors.length === 0) return undefined
  return {
    uid: evse.uid,
    ...field("evse_id", evse.evseId),
    status: evse.status,
    ...list(
      "capabilities",
      evse.capabilities.filter((one) => vocabulary.capabilities.has(one))
    ),
    connectors: connectors.map(connector),
    ...evseDetailParts(evse.details),
    last_updated: printTimestamp(evse.lastUpdated)
  }
}

/** The EVSEs that the version can express. */
export const evsesOf = <A>(
  { evses }: Location,
  encode: (evse: LocationEvse) => A | undefined
): { readonly evses?: ReadonlyArray<A> } =>
  list(
    "evses",
    evses.map(encode).filter((evse): evse is A => evse !== undefined)
  )

export const countryOf = ({ country }: Location): string => cutTo(country, 3).toUpperCase()
