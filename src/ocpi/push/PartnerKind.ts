/**
 * Partners as subscribers: which facts concern each of them, and how an object is encoded for the partner's OCPI version and sent. The objects are
 * read from the same ports that answer the partners' requests, so that a push and a pull give the same object.
 */
import { Cache, Effect, Exit, Layer, Request, RequestResolver } from "effect"
import { NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import type { Location } from "../../domain/site/Location.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { Locations } from "../../domain/site/Locations.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { type Addressee, SubscriberLookup } from "../../domain/event/SubscriberLookup.ts"
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
import { ModulePauses } from "./ModulePauses.ts"
import { locationRef, tariffRef } from "./Objects.ts"
import { isReachable } from "./Outcomes.ts"
import { pushEvse, pushLocation } from "./LocationPush.ts"
import { type Push, type Pushing, forgotten, settled } from "./Push.ts"
import { touchingTypes } from "./ChangedObjects.ts"

class AddresseeOf extends Request.TaggedClass("AddresseeOf")<
  { readonly partnerId: string },
  Addressee | undefined,
  StorageUnavailable
> {}

/**
 * Reads one partner by its id, with the token by which it is called; undefined if the partner no longer exists. Nothing is cached between
 * pushes: the partner may have registered again meanwhile, with another version, address or token. Simultaneous reads are one query.
 */
const addressees = Effect.map(SubscriberLookup, (lookup) => {
  const resolver = RequestResolver.make<AddresseeOf>((entries) =>
    Effect.gen(function* () {
      const ids = [...new Set(entries.map(({ request }) => request.partnerId))]
      const found = new Map((yield* lookup.addressees(ids)).map((one) => [one.partner.id, one]))
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(found.get(entry.request.partnerId)))
    })
  )
  return (partnerId: string): Effect.Effect<Addressee | undefined, StorageUnavailable> =>
    Effect.request(new AddresseeOf({ partnerId }), resolver)
})

class FreshLocation extends Request.TaggedClass("FreshLocation")<
  { readonly organisationId: string; readonly siteId: string },
  Location,
  NotFound | StorageUnavailable
> {}

/** The most sites in one query. They are brought up to date in one transaction. */
const sitesAtOnce = 50

/** A stale location must not be pushed, since it would count as pushed. It is tried again instead. */
const notYet = () =>
  Exit.fail(new StorageUnavailable({ reason: "busy", message: "the location is not up to date yet" }))

const answerOf = (siteId: string, found: ReadonlyMap<string, Location>, stale: ReadonlyMap<string, unknown>) => {
  if (stale.has(siteId)) return notYet()
  const location = found.get(siteId)
  return location === undefined ? Exit.fail(new NotFound({ kind: "location", id: siteId })) : Exit.succeed(location)
}

/**
 * Reads one location with every change that was committed before. Simultaneous reads are one query: a busy second changes a hundred
 * locations, and each is pushed to twenty partners.
 */
const freshLocations = Effect.gen(function* () {
  const locations = yield* Locations
  const lookup = yield* SubscriberLookup

  const resolver = RequestResolver.makeGrouped<FreshLocation, string>({
    key: ({ request }) => request.organisationId,
    resolver: (entries, organisationId) =>
      Effect.gen(function* () {
        const siteIds = [...new Set(entries.map(({ request }) => request.siteId))]
        const marks = yield* lookup.newestMarks(organisationId, siteIds)
        const all = yield* locations.ofSites(organisationId, siteIds)
        const stale = marks.size === 0 ? marks : yield* lookup.stillMarked(organisationId, marks)
        const found = new Map(all.map((location) => [location.id, location]))
        for (const entry of entries) entry.completeUnsafe(answerOf(entry.request.siteId, found, stale))
      })
  }).pipe(RequestResolver.batchN(sitesAtOnce))

  return (organisationId: string, siteId: string): Effect.Effect<Location, NotFound | StorageUnavailable> =>
    Effect.request(new FreshLocation({ organisationId, siteId }), resolver)
})

/**
 * How long an object is cached: long enough to push it to twenty partners, but short, since some objects change with time alone, without a
 * fact.
 */
const keepMillis = 1_000

/** The most objects that are cached: as many as a busy second changes. */
const capacity = 2_000

/** Reads by organisation and id, for the fact at `position`. What was read for one partner is used for the other partners. */
const recent = <A, E>(read: (organisationId: string, id: string) => Effect.Effect<A, E>) =>
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

/** A placeholder for an organisation without a party. Every organisation has one, so this is never sent. */
const noParty: PartyId = { countryCode: "ZZ", partyId: "ZZZ" }

/** Whether the partner knows all of our parties: its version has more than one per platform. */
const knowsAll = ({ client, partner }: Push): boolean => {
  const version = client.versionOf(partner)
  return version !== undefined && factsOf(version).hasParties
}

/** The location as the partner's version can express it; NotFound if it cannot. */
const shownIn = ({ wire }: Push, location: Location): Effect.Effect<Location, NotFound> => {
  const shown = wire.location.shown(location)
  return shown === undefined ? Effect.fail(new NotFound({ kind: "location", id: location.id })) : Effect.succeed(shown)
}

const gone = () => Effect.succeed(forgotten)

/** Whether the partner received the location before. It is evaluated lazily, since only an EVSE whose status was never pushed needs it. */
const wasSent = (lookup: SubscriberLookup["Service"], partnerId: string, siteId: string) =>
  Effect.suspend(() => lookup.wasSent(partnerId, locationRef(siteId)))

/** Whether a location that the partner received still names the tariff. A partner without the locations module received none. */
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

  /** The object with the party under which the partner knows it. */
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
  const pauses = new ModulePauses()

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
    // No span: thousands of these run a second, and each span would cost as much as its request.
    deliver: Effect.fnUntraced(function* (subscription, item, inTurn) {
      const { partner, sealedToken } = (yield* addresseeOf(subscription.id)) ?? {}
      const version = partner === undefined ? undefined : client.versionOf(partner)
      // The partner was unregistered after this item was taken. Its items remain, for when it registers again.
      if (partner === undefined || version === undefined)
        return { _tag: "Failed", message: "The partner is not registered." }
      if (!takes(client, partner, item)) return forgotten
      return yield* settled(push({ item, partner, sealedToken, wire: wireObjects[version], client, pauses, inTurn }))
    }),
    isThere: Effect.fn("PartnerKind.isThere")(function* (subscription) {
      const [partner] = yield* lookup.partners([subscription.id])
      const url = partner?.connection?.versionsUrl
      if (partner === undefined || url === undefined) return false
      return yield* client.call(partner, { method: "GET", at: { url }, correlationId: subscription.id }).pipe(
        Effect.as(true),
        Effect.catchTags({
          // A partner that refuses this request is reachable. Only a push shows whether it accepts pushes.
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
