/**
 * Locations to partners (OCPI 2.2.1 §8.2.2): whole where anything of them has changed but a status, and an evse's new status by itself. A partner that
 * does not know the evse is sent the whole.
 */
import { Effect } from "effect"
import type { Location, LocationEvse } from "../../domain/location/Location.ts"
import type { Outcome, Told } from "../../domain/subscription/Subscription.ts"
import { printTimestamp } from "../Timestamp.ts"
import { hashOf, sameHash } from "./Hash.ts"
import { evseRef, locationRef } from "./Objects.ts"
import { isUnknownThere } from "./Outcomes.ts"
import { forgotten, nothing, type Pushing, send, type Telling } from "./Telling.ts"

/** There are nine statuses. */
const statusHashes = new Map<LocationEvse["status"], Uint8Array>()

const statusHash = ({ status }: LocationEvse): Uint8Array => {
  const hash = statusHashes.get(status) ?? hashOf(status)
  statusHashes.set(status, hash)
  return hash
}

/** What a location is apart from what its evses are doing: that one is gone is no passing status. */
const restHash = ({ wire }: Telling, location: Location): Uint8Array => {
  const evses = location.evses.map((evse) => ({
    ...evse,
    status: evse.status === "REMOVED" ? evse.status : ("UNKNOWN" as const)
  }))
  return hashOf(wire.location.encode({ ...location, evses }))
}

const addressOf = ({ id, party }: Location): ReadonlyArray<string> => [party.countryCode, party.partyId, id]

/** All that the partner knows when it has the whole. */
const toldOf = (telling: Telling, location: Location): ReadonlyArray<Told> => [
  { ...locationRef(location.id), hash: restHash(telling, location) },
  ...location.evses.map((evse) => ({ ...evseRef(location.id, evse.uid), hash: statusHash(evse) }))
]

const whole = (telling: Telling, location: Location): Pushing<ReadonlyArray<Told>> =>
  Effect.as(
    send(telling, {
      method: "PUT",
      module: "locations",
      path: addressOf(location),
      body: telling.wire.location.encode(location),
      from: location.party
    }),
    toldOf(telling, location)
  )

const others = (told: ReadonlyArray<Told>, { item }: Telling): ReadonlyArray<Told> =>
  told.filter(({ id, kind }) => kind !== item.kind || id !== item.id)

export const tellLocation = (telling: Telling, location: Location): Pushing<Outcome> =>
  Effect.gen(function* () {
    const hash = restHash(telling, location)
    if (sameHash(telling.item.hash, hash)) return nothing(telling)
    const told = yield* whole(telling, location)
    return { _tag: "Delivered", hash, also: others(told, telling) }
  })

export const tellEvse = (telling: Telling, location: Location, uid: string): Pushing<Outcome> =>
  Effect.gen(function* () {
    const evse = location.evses.find((one) => one.uid === uid)
    // The version has no words for its connectors, so that the partner does not know it.
    if (evse === undefined || telling.wire.evse.encode(evse) === undefined) return forgotten
    const hash = statusHash(evse)
    if (sameHash(telling.item.hash, hash)) return nothing(telling)
    const changed = send(telling, {
      method: "PATCH",
      module: "locations",
      path: [...addressOf(location), uid],
      body: { status: evse.status, last_updated: printTimestamp(evse.lastUpdated) },
      from: location.party
    })
    const also = yield* changed.pipe(
      Effect.as([]),
      Effect.catchIf(
        (failed) => failed._tag === "PartnerFailed" && isUnknownThere(failed),
        () => Effect.map(whole(telling, location), (told) => others(told, telling))
      )
    )
    return { _tag: "Delivered", hash, also }
  })
