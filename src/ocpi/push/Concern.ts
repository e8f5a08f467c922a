/**
 * Decides which objects a fact makes due for which partners. Locations and tariffs go to all partners of the organisation, and a session
 * and its CDR to the partner of its driver. A partner without a module for an object does not receive it.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { Owned, SubscriberLookup, FoundCharger } from "../../domain/event/SubscriberLookup.ts"
import type { Due, JournaledFact, ObjectRef, Subscription } from "../../domain/event/Subscription.ts"
import type { PartnerClient } from "../client/PartnerClient.ts"
import { cdrRef, evseRef, isPushedKind, locationRef, moduleOf, sessionRef, tariffRef } from "./Objects.ts"
import { type Touched, touchedBy } from "./ChangedObjects.ts"

type Takes = Pick<PartnerClient["Service"], "endpointOf">

/** Whether a partner has a module for the object. */
export const takes = (client: Takes, partner: Partner, { kind }: Pick<ObjectRef, "kind">): boolean =>
  isPushedKind(kind) && client.endpointOf(partner, moduleOf[kind], "RECEIVER") !== undefined

interface Found {
  readonly chargers: ReadonlyMap<string, FoundCharger>
  /** The sites of each organisation. */
  readonly sites: ReadonlyMap<string, ReadonlyArray<string>>
  readonly tariffs: ReadonlyMap<string, ReadonlyArray<string>>
  readonly sessions: ReadonlyMap<string, Owned>
  readonly cdrs: ReadonlyMap<string, Owned>
}

interface Wanted {
  readonly object: ObjectRef
  /** Undefined: for all partners of the organisation. */
  readonly partnerId: string | undefined
}

const forAll = (object: ObjectRef): Wanted => ({ object, partnerId: undefined })

/** The charger, if it still belongs to the organisation. The removal of a charger is pushed by its site. */
const ofCharger = (found: Found, organisationId: string, chargerId: string): FoundCharger | undefined => {
  const charger = found.chargers.get(chargerId)
  return charger?.organisationId === organisationId ? charger : undefined
}

const wantedOf = (touched: Touched, { organisationId }: JournaledFact, found: Found): ReadonlyArray<Wanted> => {
  switch (touched._tag) {
    case "Status": {
      const charger = ofCharger(found, organisationId, touched.chargerId)
      const evses = charger?.evses.filter(({ evseId }) => touched.evseId === undefined || evseId === touched.evseId)
      return (evses ?? []).map(({ uid }) => forAll(evseRef(charger!.siteId, uid)))
    }
    case "Charger": {
      const charger = ofCharger(found, organisationId, touched.chargerId)
      return charger === undefined ? [] : [forAll(locationRef(charger.siteId))]
    }
    case "Site":
      return [forAll(locationRef(touched.siteId))]
    case "Evses":
      return touched.uids.map((uid) => forAll(evseRef(touched.siteId, uid)))
    case "Sites":
      return (found.sites.get(organisationId) ?? []).map((id) => forAll(locationRef(id)))
    case "Tariffs":
      return (found.tariffs.get(organisationId) ?? []).map((id) => forAll(tariffRef(id)))
    case "Tariff":
      return [forAll(tariffRef(touched.tariffId))]
    case "Session": {
      const owned = found.sessions.get(touched.sessionId)
      return owned?.organisationId === organisationId
        ? [{ object: sessionRef(owned.id), partnerId: owned.partnerId }]
        : []
    }
    case "Cdr": {
      const owned = found.cdrs.get(touched.cdrId)
      return owned?.organisationId === organisationId
        ? [{ object: cdrRef(owned.id, owned.sessionId), partnerId: owned.partnerId }]
        : []
    }
  }
}

interface Seen {
  readonly fact: JournaledFact
  readonly touched: ReadonlyArray<Touched>
}

const byKey = <A>(rows: ReadonlyArray<A>, key: (row: A) => string): ReadonlyMap<string, A> =>
  new Map(rows.map((row) => [key(row), row]))

/** At most one query of each kind for all facts together. */
const lookUp = (
  lookup: SubscriberLookup["Service"],
  seen: ReadonlyArray<Seen>
): Effect.Effect<Found, StorageUnavailable> =>
  Effect.gen(function* () {
    const all = seen.flatMap(({ touched }) => touched)
    const idsOf = (pick: (touched: Touched) => string | undefined) => [
      ...new Set(all.map(pick).filter((id) => id !== undefined))
    ]
    const ask = <A>(
      ids: ReadonlyArray<string>,
      question: (ids: ReadonlyArray<string>) => Effect.Effect<A, StorageUnavailable>
    ) => (ids.length === 0 ? Effect.undefined : question(ids))
    const chargers = yield* ask(
      idsOf((one) => (one._tag === "Status" || one._tag === "Charger" ? one.chargerId : undefined)),
      lookup.chargers
    )
    const sessions = yield* ask(
      idsOf((one) => (one._tag === "Session" ? one.sessionId : undefined)),
      lookup.sessions
    )
    const cdrs = yield* ask(
      idsOf((one) => (one._tag === "Cdr" ? one.cdrId : undefined)),
      lookup.cdrs
    )
    const allOf = (tag: "Sites" | "Tariffs", question: typeof lookup.sites) =>
      Effect.gen(function* () {
        const known = new Map<string, ReadonlyArray<string>>()
        for (const { fact, touched } of seen) {
          if (known.has(fact.organisationId) || !touched.some(({ _tag }) => _tag === tag)) continue
          known.set(fact.organisationId, yield* question(fact.organisationId))
        }
        return known
      })
    return {
      chargers: byKey(chargers ?? [], ({ chargerId }) => chargerId),
      sites: yield* allOf("Sites", lookup.sites),
      tariffs: yield* allOf("Tariffs", lookup.tariffs),
      sessions: byKey(sessions ?? [], ({ id }) => id),
      cdrs: byKey(cdrs ?? [], ({ id }) => id)
    }
  })

/** What the facts make due, for each fact, object and partner. Storage merges the entries of one object. */
export const concernOf = (
  lookup: SubscriberLookup["Service"],
  client: Takes,
  facts: ReadonlyArray<JournaledFact>,
  subscriptions: ReadonlyArray<Subscription>
): Effect.Effect<ReadonlyArray<Due>, StorageUnavailable> =>
  Effect.gen(function* () {
    const seen = facts.map((fact) => ({ fact, touched: touchedBy(fact) })).filter(({ touched }) => touched.length > 0)
    if (seen.length === 0) return []
    const found = yield* lookUp(lookup, seen)
    const partners = byKey(yield* lookup.partners(subscriptions.map(({ id }) => id)), ({ id }) => id)
    const due: Array<Due> = []
    for (const { fact, touched } of seen) {
      for (const { object, partnerId } of touched.flatMap((one) => wantedOf(one, fact, found))) {
        for (const subscription of subscriptions) {
          if (subscription.organisationId !== fact.organisationId) continue
          if (partnerId !== undefined && partnerId !== subscription.id) continue
          const partner = partners.get(subscription.id)
          if (partner === undefined || !takes(client, partner, object)) continue
          due.push({ ...object, subscriptionId: subscription.id, position: fact.position })
        }
      }
    }
    return due
  })
