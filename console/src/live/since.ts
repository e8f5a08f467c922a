/**
 * When a person was last here, and up to which event. The browser stores it for each organisation, so that the next visit can show what happened in
 * between. An open tab keeps it up to date; the value from before this visit is kept for the visit.
 */
import { onLiveEvent } from "./store.ts"

export interface LastVisit {
  /** ms epoch. */
  readonly at: number
  /** Id of the last event that was seen; it is a cursor of the feed. */
  readonly event: string
}

/** A shorter absence does not count. */
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

/** The visit before this one; undefined for the first one and after a short absence. Begins to record this visit. */
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
      // Without storage the next visit does not know of this one.
    }
  }
  onLiveEvent(({ id }) => void (event = id))
  setInterval(() => {
    if (!document.hidden) note()
  }, noteEveryMillis)
  addEventListener("pagehide", note)
  return before.get(key)
}
