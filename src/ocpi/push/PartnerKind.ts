/**
 * Partners as subscribers: what concerns each, and how an object as it is now is put into the words of its version and sent. The objects are read
 * from the same ports that answer the partners' own questions, so that what is pushed and what is pulled are the same.
 */
import { Effect, Layer } from "effect"
import { NotFound } from "../../domain/Errors.ts"
import type { Location } from "../../domain/site/Location.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Locations } from "../../domain/site/Locations.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { SubscriberLookup } from "../../domain/event/SubscriberLookup.ts"
import { RoamingCdrs } from "../../domain/cdr/RoamingCdrs.ts"
import { RoamingSessions } from "../../domain/session/RoamingSessions.ts"
import { PartnerKind, type SubscriptionKind } from "../../domain/event/SubscriptionKind.ts"
import { Tariffs } from "../../domain/tariff/Tariffs.ts"
import type { ObjectRef, Outcome } from "../../domain/event/Subscription.ts"
import { PartnerClient } from "../client/PartnerClient.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { factsOf } from "../protocol/Version.ts"
import { pushCdr, pushSession, pushTariff, pushTariffRemoval } from "./Charging.ts"
import { concernOf, takes } from "./Concern.ts"
import { withDoubtsSettled } from "./Doubts.ts"
import { addressees } from "./Addressees.ts"
import { freshLocations } from "./FreshLocations.ts"
import { locationRef, tariffRef } from "./Objects.ts"
import { isReachable } from "./Outcomes.ts"
import { pushEvse, pushLocation } from "./LocationPush.ts"
import { recent } from "./Recent.ts"
import { forgotten, type Pushing, settled, type Push } from "./Push.ts"
import { touchingTypes } from "./ChangedObjects.ts"

/** The party by which an organisation speaks where an object has none of its own; there always is one. */
const noParty: PartyId = { countryCode: "ZZ", partyId: "ZZZ" }

/** Our parties that a partner knows are all of them, or one. */
const knowsAll = ({ client, partner }: Push): boolean => {
  const version = client.versionOf(partner)
  return version !== undefined && factsOf(version).hasParties
}

/** As the partner's version shows it, which may be not at all. */
const shownIn = ({ wire }: Push, location: Location): Effect.Effect<Location, NotFound> => {
  const shown = wire.location.shown(location)
  return shown === undefined ? Effect.fail(new NotFound({ kind: "location", id: location.id })) : Effect.succeed(shown)
}

const gone = () => Effect.succeed(forgotten)

/** Made when it is asked for, which it is but once for each evse. */
const wasSent = (lookup: SubscriberLookup["Service"], partnerId: string, siteId: string) =>
  Effect.suspend(() => lookup.wasSent(partnerId, locationRef(siteId)))

/** A partner without locations knows none that names a tariff. */
const isNamed = (lookup: SubscriberLookup["Service"], { client, item, partner }: Push) =>
  Effect.suspend(() =>
    takes(client, partner, { kind: "location" }) ? lookup.stillNames(partner.id, item.id) : Effect.succeed(false)
  )

/** How an object of each kind is read and pushed. */
const pushing = Effect.gen(function* () {
  const lookup = yield* SubscriberLookup
  const tariffs = yield* Tariffs
  const sessions = yield* RoamingSessions
  const cdrs = yield* RoamingCdrs
  const parties = yield* Parties
  const locationAt = yield* recent(yield* freshLocations)
  const tariffAt = yield* recent(tariffs.offer)
  const partyAt = yield* recent((organisationId) =>
    Effect.map(parties.list(organisationId), ([first]): PartyId => first ?? noParty)
  )

  /** An object that is of a party, in the name by which the partner knows it. */
  const named = <A extends { readonly party?: PartyId | undefined }>(one: Push, owned: A) =>
    knowsAll(one)
      ? Effect.succeed(owned)
      : Effect.map(partyAt(one.item.organisationId, "party", 0), (party): A => ({ ...owned, party }))

  const placeAt = (one: Push, siteId: string) =>
    locationAt(one.item.organisationId, siteId, one.item.position).pipe(
      Effect.flatMap((location) => shownIn(one, location)),
      Effect.flatMap((location) => named(one, location))
    )

  return (one: Push): Pushing<Outcome> => {
    const { item, partner, wire } = one
    const { organisationId, position } = item
    const scope = { organisationId, partnerId: partner.id }
    const party = partyAt(organisationId, "party", position)
    switch (item.kind) {
      case "location":
        return placeAt(one, item.id).pipe(
          Effect.flatMap((location) => pushLocation(one, location)),
          Effect.catchTag("NotFound", gone)
        )
      case "evse": {
        const [siteId = "", uid = ""] = item.id.split("/")
        return placeAt(one, siteId).pipe(
          Effect.flatMap((location) => pushEvse(one, location, uid, wasSent(lookup, partner.id, siteId))),
          Effect.catchTag("NotFound", gone)
        )
      }
      case "tariff":
        return Effect.flatMap(party, (from) =>
          tariffAt(organisationId, item.id, position).pipe(
            Effect.flatMap((tariff) => pushTariff(one, tariff, from)),
            Effect.catchTag("NotFound", () => pushTariffRemoval(one, item.id, from, isNamed(lookup, one)))
          )
        )
      case "session":
        return Effect.flatMap(party, (from) =>
          sessions.get(scope, item.id).pipe(
            Effect.flatMap((session) => Effect.map(named(one, session.place), (place) => ({ ...session, place }))),
            Effect.flatMap((session) => pushSession(one, session, from)),
            Effect.catchTag("NotFound", gone)
          )
        )
      case "cdr": {
        const takesCredits = wire.cdrs.hasCredits && partner.switches.noCreditCdrs !== true
        return Effect.flatMap(party, (from) =>
          cdrs.get({ ...scope, takesCredits }, item.id).pipe(
            Effect.flatMap((cdr) => pushCdr(one, cdr, from)),
            Effect.catchTag("NotFound", gone)
          )
        )
      }
      default:
        return gone()
    }
  }
})

const make = Effect.gen(function* () {
  const lookup = yield* SubscriberLookup
  const client = yield* PartnerClient
  const push = yield* pushing
  const addresseeOf = yield* addressees

  const kind: SubscriptionKind = {
    types: touchingTypes,
    concern: (facts, subscriptions) => concernOf(lookup, client, facts, subscriptions),
    everything: Effect.fn("PartnerKind.everything")(function* ({ id, organisationId }) {
      const [partner] = yield* lookup.partners([id])
      if (partner === undefined) return []
      const objects: ReadonlyArray<ObjectRef> = [
        ...(yield* lookup.tariffs(organisationId)).map(tariffRef),
        ...(yield* lookup.sites(organisationId)).map(locationRef)
      ]
      return objects.filter((object) => takes(client, partner, object))
    }),
    // Thousands a second: a span for each would cost as much as its request.
    deliver: Effect.fnUntraced(function* (subscription, item, inTurn) {
      const { partner, sealedToken } = (yield* addresseeOf(subscription.id)) ?? {}
      const version = partner === undefined ? undefined : client.versionOf(partner)
      // It is unregistered at this very moment: what is owed to it stays.
      if (partner === undefined || version === undefined) return { _tag: "Failed", message: "It is not registered." }
      if (!takes(client, partner, item)) return forgotten
      return yield* settled(push({ item, partner, sealedToken, wire: wireObjects[version], client, inTurn }))
    }),
    isThere: Effect.fn("PartnerKind.isThere")(function* (subscription) {
      const [partner] = yield* lookup.partners([subscription.id])
      const url = partner?.connection?.versionsUrl
      if (partner === undefined || url === undefined) return false
      return yield* client.call(partner, { method: "GET", at: { url }, correlationId: subscription.id }).pipe(
        Effect.as(true),
        Effect.catchTags({
          // A partner that refuses does answer: what it makes of a push is found out by one.
          PartnerFailed: (failed) => Effect.succeed(isReachable(failed)),
          PartnerUnreached: () => Effect.succeed(false)
        })
      )
    })
  }
  return withDoubtsSettled(kind)
})

export const layer: Layer.Layer<
  PartnerKind,
  never,
  Locations | Tariffs | RoamingSessions | RoamingCdrs | Parties | SubscriberLookup | PartnerClient
> = Layer.effect(PartnerKind, make)
