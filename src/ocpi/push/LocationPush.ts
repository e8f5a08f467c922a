/**
 * Locations to partners (OCPI 2.2.1 §8.2.2): whole where anything of them has changed but a status, and an evse's new status by itself. A partner that
 * does not know the evse is sent the whole.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { Location, LocationEvse } from "../../domain/site/Location.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Outcome, PushedObject } from "../../domain/event/Subscription.ts"
import { printTimestamp } from "../protocol/Timestamp.ts"
import { hashOf, sameHash } from "./Hash.ts"
import { evseRef, locationRef } from "./Objects.ts"
import { isRefusal, isUnknownThere } from "./Outcomes.ts"
import { forgotten, nothing, type Pushing, send, type Push } from "./Push.ts"

/** There are nine statuses. */
const statusHashes = new Map<LocationEvse["status"], Uint8Array>()

const statusHash = ({ status }: LocationEvse): Uint8Array => {
  const hash = statusHashes.get(status) ?? hashOf(status)
  statusHashes.set(status, hash)
  return hash
}

/** What a location is apart from what its evses are doing: that one is gone is no passing status. */
const restHash = ({ wire }: Push, location: Location): Uint8Array => {
  const evses = location.evses.map((evse) => ({
    ...evse,
    status: evse.status === "REMOVED" ? evse.status : ("UNKNOWN" as const)
  }))
  return hashOf(wire.location.encode({ ...location, evses }))
}

const addressOf = ({ id, party }: Location): ReadonlyArray<string> => [party.countryCode, party.partyId, id]

/** By which party it was sent last is kept with it: elsewhere it is another location. */
const nameOf = ({ countryCode, partyId }: PartyId): string => `${countryCode}*${partyId}`

/**
 * The tariffs that it names: a partner keeps each of them until it received the location without it. Those of evses that are gone are no reason to:
 * releases before this one have left them there.
 */
const tariffsOf = ({ evses }: Location): ReadonlyArray<string> => {
  const connectors = evses.flatMap((evse) => (evse.status === "REMOVED" ? [] : evse.connectors))
  return [...new Set(connectors.flatMap(({ laterTariffIds, tariffId }) => [tariffId ?? [], laterTariffIds].flat()))]
}

/** All that the partner knows when it has the whole. */
const pushedOf = (push: Push, location: Location): ReadonlyArray<PushedObject> => [
  {
    ...locationRef(location.id),
    hash: restHash(push, location),
    reference: nameOf(location.party),
    named: tariffsOf(location)
  },
  ...location.evses.map((evse) => ({ ...evseRef(location.id, evse.uid), hash: statusHash(evse) }))
]

const whole = (push: Push, location: Location): Pushing<ReadonlyArray<PushedObject>> =>
  Effect.as(
    send(push, {
      method: "PUT",
      module: "locations",
      path: addressOf(location),
      body: push.wire.location.encode(location),
      from: location.party
    }),
    pushedOf(push, location)
  )

const others = (pushed: ReadonlyArray<PushedObject>, { item }: Push): ReadonlyArray<PushedObject> =>
  pushed.filter(({ id, kind }) => kind !== item.kind || id !== item.id)

const formerOf = ({ item }: Push, { party }: Location): PartyId | undefined => {
  const [countryCode, partyId] = item.reference?.split("*") ?? []
  if (countryCode === undefined || partyId === undefined || item.reference === nameOf(party)) return undefined
  return { countryCode, partyId }
}

/** Takes it away where it was before its site went to another party. A partner that wants nothing of that party has nothing of it. */
const withdrawn = (push: Push, location: Location, party: PartyId): Pushing<void> => {
  const evses = location.evses.map((evse) => ({ ...evse, evseId: undefined, status: "REMOVED" as const }))
  return Effect.catchIf(
    Effect.asVoid(whole(push, { ...location, party, evses })),
    (failed) => failed._tag === "PartnerFailed" && isRefusal(failed),
    () => Effect.void
  )
}

export const pushLocation = (push: Push, location: Location): Pushing<Outcome> =>
  Effect.gen(function* () {
    const hash = restHash(push, location)
    const said = { reference: nameOf(location.party), named: tariffsOf(location) }
    const former = formerOf(push, location)
    // What an older release pushed has no name yet.
    if (former === undefined && sameHash(push.item.hash, hash)) {
      return { ...nothing(push), ...said }
    }
    if (former !== undefined) yield* withdrawn(push, location, former)
    const pushed = yield* whole(push, location)
    return { _tag: "Delivered", hash, ...said, also: others(pushed, push) }
  })

/**
 * An evse's status. `isKnown` says whether the partner received the location before, which is asked about an evse whose status it never received:
 * the first that it hears of a location is the whole.
 */
export const pushEvse = (
  push: Push,
  location: Location,
  uid: string,
  isKnown: Effect.Effect<boolean, StorageUnavailable>
): Pushing<Outcome> =>
  Effect.gen(function* () {
    const evse = location.evses.find((one) => one.uid === uid)
    // The version has no words for its connectors, so that the partner does not know it.
    if (evse === undefined || push.wire.evse.encode(evse) === undefined) return forgotten
    const hash = statusHash(evse)
    if (sameHash(push.item.hash, hash)) return nothing(push)
    if (push.item.hash === undefined && !(yield* isKnown)) {
      return { _tag: "Delivered", hash, also: others(yield* whole(push, location), push) }
    }
    const changed = send(push, {
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
        // What is known of the location itself stays: where it changed its party, it is pushed by that in its turn.
        () =>
          Effect.map(whole(push, location), (pushed) =>
            others(pushed, push).filter(({ kind }) => kind === push.item.kind)
          )
      )
    )
    return { _tag: "Delivered", hash, also }
  })
