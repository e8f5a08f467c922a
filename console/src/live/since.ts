/**
 * When a person was last here, and how far the events were then: kept in the browser for each organisation, so that the next visit can say what happened in
 * between. A tab that is open keeps it up to date; what was there before is for the visit that begins now.
 */
import { onLiveEvent } from "./store.ts"

export interface LastVisit {
  /** ms epoch. */
  readonly at: number
  /** Id of the last event that was seen, which is a cursor of the feed. */
  readonly event: string
}

/** A shorter absence is none. */
const awayMillis = 30 * 60_000
const noteEveryMillis = 60_000

const read = (key: string): LastVisit | undefined => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "null")
    if (typeof kept !== "object" || kept === null) return undefined
    const { at, event } = kept as Partial<LastVisit>
    return typeof at === "number" && typeof event === "string" ? { at, event } : undefined
  } catch {
    return undefined
  }
}

const before = new Map<string, LastVisit | undefined>()

/** The visit before this one; undefined for the first, and after a short absence. Begins to note this one. */
export const lastVisit = (organisationId: string, person: string): LastVisit | undefined => {
  const key = `voltlane-visit:${organisationId}:${person}`
  if (before.has(key)) return before.get(key)
  const kept = read(key)
  const wasAway = kept !== undefined && Date.now() - kept.at >= awayMillis
  before.set(key, wasAway ? kept : undefined)
  let event = kept?.event
  const note = () => {
    if (event === undefined) return
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), event } satisfies LastVisit))
    } catch {
      // Then the next visit begins without this one.
    }
  }
  onLiveEvent(({ id }) => void (event = id))
  setInterval(() => {
    if (!document.hidden) note()
  }, noteEveryMillis)
  addEventListener("pagehide", note)
  return before.get(key)
}
