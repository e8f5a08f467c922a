/** Summarises a number of events for a person who was away. */
import type { LiveEvent } from "../api/types.ts"

export interface Happened {
  readonly healed: number
  readonly faulted: number
  readonly added: number
  readonly tariffs: number
  readonly held: number
  readonly records: number
  readonly rollouts: number
  readonly partners: number
}

/** Faults are counted per connector: one that came and went counts as healed, one that still exists as a fault. */
export const happenedIn = (events: ReadonlyArray<LiveEvent>): Happened => {
  const faults = new Map<string, boolean>()
  const healed = new Set<string>()
  const counts = { added: 0, tariffs: new Set<string>(), held: 0, records: 0, rollouts: 0, partners: 0 }
  for (const event of events) {
    switch (event.type) {
      case "connector.status": {
        const place = `${event.data.chargerId} ${event.data.evseId} ${event.data.connectorId}`
        const isFault = event.data.status === "Faulted"
        if (faults.get(place) === true && !isFault) healed.add(place)
        if (isFault) healed.delete(place)
        faults.set(place, isFault)
        break
      }
      case "charger.changed":
        if (event.data.change === "Created") counts.added++
        break
      case "tariff.changed":
        counts.tariffs.add(event.data.tariffId)
        break
      case "session.held":
        counts.held++
        break
      case "cdr.issued":
        counts.records++
        break
      case "rollout.changed":
        if (event.data.state === "Completed" || event.data.pauseReason === "Failures") counts.rollouts++
        break
      case "partner.health":
        if (event.data.state === "Down") counts.partners++
        break
    }
  }
  const faulted = [...faults.values()].filter(Boolean).length
  return { ...counts, tariffs: counts.tariffs.size, healed: healed.size, faulted }
}
