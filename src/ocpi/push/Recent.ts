/**
 * What was just read for one partner serves the others: an object that was read for a fact is as new as every other reading for that fact needs. Kept
 * for a moment only, since times change what no fact does.
 */
import { Cache, Effect, Exit } from "effect"

/** Twenty partners are reached within it. */
const keepMillis = 1_000

/** A busy second's worth of objects. */
const capacity = 2_000

/** Reads by organisation and id, for the fact at `position`. */
export const recent = <A, E>(read: (organisationId: string, id: string) => Effect.Effect<A, E>) =>
  Effect.map(
    Cache.makeWith(
      (key: string) => {
        const [organisationId = "", id = ""] = key.split(" ")
        return read(organisationId, id)
      },
      { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? keepMillis : 0) }
    ),
    (cache) => (organisationId: string, id: string, position: number) =>
      Cache.get(cache, `${organisationId} ${id} ${position}`)
  )
