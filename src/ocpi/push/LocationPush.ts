/**
 * Pushes locations to partners (OCPI 2.2.1 §8.2.2). An EVSE's new status is sent by itself. Any other change sends the whole location, and so does a
 * status of an EVSE that the partner does not know.
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

/** Hashed once each: there are only nine statuses. */
const statusHashes = new Map<LocationEvse["status"], Uint8Array>()

const statusHash = ({ status }: LocationEvse): Uint8Array => {
  const hash = statusHashes.get(status) ?? hashOf(status)
  statusHashes.set(status, hash)
  return hash
}

/** The hash of a location without the statuses of its EVSEs. REMOVED is included, since it is permanent. */
const restHash = ({ wire }: Push, location: Location): Uint8Array => {
  const evses = location.evses.map((evse) => ({
    ...evse,
    status: evse.status === "REMOVED" ? evse.status : ("UNKNOWN" as const)
  }))
  return hashOf(wire.location.encode({ ...location, evses }))
}

const addressOf = ({ id, party }: Location): ReadonlyArray<string> => [party.countryCode, party.partyId, id]

/** The party under which a location was sent is stored with it. Under another party it is another location. */
const nameOf = ({ countryCode, partyId }: PartyId): string => `${countryCode}*${partyId}`

/**
 * The tariffs that a location names. None of them is deleted at the partner until it has received the location without that tariff. Removed
 * EVSEs do not count, since they may still name tariffs.
 */
const tariffsOf = ({ evses }: Location): ReadonlyArray<string> => {
  const connectors = evses.flatMap((evse) => (evse.status === "REMOVED" ? [] : evse.connectors))
  return [...new Set(connectors.flatMap(({ laterTariffIds, tariffId }) => [tariffId ?? [], laterTariffIds].flat()))]
}

/** What is recorded as pushed once the partner has the whole location. */
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

/** Removes a location under its former party, after its site went to another party. A partner that takes nothing of that party never had it. */
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
    // What an older release pushed has no stored party yet.
    if (former === undefined && sameHash(push.item.hash, hash)) {
      return { ...nothing(push), ...said }
    }
    if (former !== undefined) yield* withdrawn(push, location, former)
    const pushed = yield* whole(push, location)
    return { _tag: "Delivered", hash, ...said, also: others(pushed, push) }
  })

/**
 * Pushes an EVSE's status. `isKnown` says whether the partner received the location before. It is only evaluated for an EVSE whose status was never
 * pushed, since a partner must receive the whole location first.
 */
export const pushEvse = (
  push: Push,
  location: Location,
  uid: string,
  isKnown: Effect.Effect<boolean, StorageUnavailable>
): Pushing<Outcome> =>
  Effect.gen(function* () {
    const evse = location.evses.find((one) => one.uid === uid)
    // The version cannot express the EVSE's connectors, so the partner does not know the EVSE.
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
        // The location's own record remains. If its party has changed, an item of its own pushes that.
        () =>
          Effect.map(whole(push, location), (pushed) =>
            others(pushed, push).filter(({ kind }) => kind === push.item.kind)
          )
      )
    )
    return { _tag: "Delivered", hash, also }
  })
