/**
 * Changes of a location that no other fact reports: tariffs begin and end, nodes stop and return, the service is upgraded, and an EVSE appears with
 * the first report of its connector. Partners learn of them through a fact of their own.
 */
import type { Location } from "./Location.ts"

/** A location has changed, and no other fact says so. */
export interface LocationChanged {
  readonly type: "LocationChanged"
  readonly organisationId: string
  /** `site:<id>`. */
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly body: {
    /** Uids of EVSEs whose status changed. */
    readonly evses: ReadonlyArray<string>
  }
}

const uidsOf = (location: Location | undefined): string => (location?.evses ?? []).map(({ uid }) => uid).join(" ")

const otherStatuses = (before: Location, after: Location): ReadonlyArray<string> => {
  const known = new Map(before.evses.map(({ status, uid }) => [uid, status]))
  return after.evses.filter(({ status, uid }) => known.get(uid) !== status).map(({ uid }) => uid)
}

/**
 * The fact that reports a change to partners; undefined if another fact reports it, or if nothing changed. `isUnrecorded` means that the change has
 * no fact of its own. Added and removed EVSEs are always recorded, because a status fact contains only the status.
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
