/**
 * What becomes of a location beside what facts tell of it: tariffs begin and end, nodes die and come back, the service is upgraded, and an evse appears
 * with the first report of its connector. Partners learn of it by a fact of its own. Pure.
 */
import type { Location } from "./Location.ts"

/** A location is another than it was, which no other fact says. */
export interface LocationChanged {
  readonly type: "LocationChanged"
  readonly organisationId: string
  /** `site:<id>`. */
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly body: {
    /** Uids of evses whose status is another one. */
    readonly evses: ReadonlyArray<string>
  }
}

const uidsOf = (location: Location | undefined): string => (location?.evses ?? []).map(({ uid }) => uid).join(" ")

const otherStatuses = (before: Location, after: Location): ReadonlyArray<string> => {
  const known = new Map(before.evses.map(({ status, uid }) => [uid, status]))
  return after.evses.filter(({ status, uid }) => known.get(uid) !== status).map(({ uid }) => uid)
}

/**
 * The fact that partners learn a change by; undefined where another one reports it, or there is none. `isUnrecorded` is of a change without a fact
 * beside it; that evses came or went is recorded in any case, since a fact of a status has the status alone.
 */
export const timeDrivenChange = (
  before: Location | undefined,
  after: Location | undefined,
  isUnrecorded: boolean,
  now: number
): LocationChanged | undefined => {
  const one = after ?? before
  if (one === undefined || before === after || !(isUnrecorded || uidsOf(before) !== uidsOf(after))) return undefined
  const evses = isUnrecorded && before !== undefined && after !== undefined ? otherStatuses(before, after) : []
  return {
    type: "LocationChanged",
    organisationId: one.organisationId,
    subject: `site:${one.id}`,
    at: now,
    body: { evses }
  }
}
