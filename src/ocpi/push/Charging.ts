/**
 * Sessions, records and tariffs to partners. A session is always sent whole: what a partner made of an unclear answer does not matter then (OCPI 2.2.1
 * §9.2.2, where PATCH appends periods). A record is sent until it was taken, and never again (§10.2.2).
 */
import { Effect } from "effect"
import type { RoamingCdr } from "../../domain/cdr/RoamingCdr.ts"
import type { PartyId } from "../../domain/party/Party.ts"
import type { RoamingSession } from "../../domain/session/RoamingSession.ts"
import type { Outcome } from "../../domain/subscription/Subscription.ts"
import type { Tariff } from "../../domain/tariff/Tariff.ts"
import { hashOf, sameHash } from "./Hash.ts"
import { forgotten, nothing, type Pushing, send, type Telling } from "./Telling.ts"

/** Longest address of a record at a partner's that is kept: OCPI's have 255 characters. */
const referenceMax = 1_024

export const tellSession = (telling: Telling, session: RoamingSession, fallback: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const body = telling.wire.sessions.encode(session)
    const hash = hashOf(body)
    if (sameHash(telling.item.hash, hash)) return nothing(telling)
    const from = session.place.party ?? fallback
    const path = [from.countryCode, from.partyId, session.id]
    yield* send(telling, { method: "PUT", module: "sessions", path, body, from, to: session.roaming })
    return { _tag: "Delivered", hash }
  })

export const tellCdr = (telling: Telling, cdr: RoamingCdr, fallback: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const { item } = telling
    if (item.hash !== undefined) return nothing(telling)
    const body = telling.wire.cdrs.encode(cdr)
    const hash = hashOf(body)
    const from = cdr.body.place?.party ?? fallback
    const taken = send(telling, { method: "POST", module: "cdrs", path: [], body, from, to: cdr.body.roaming })
    const headers = yield* taken.pipe(
      Effect.map((answered) => answered.headers),
      // A try before this one was heard, and its answer was not.
      Effect.catchIf(
        (failed) => failed._tag === "PartnerFailed" && failed.http === 409 && item.tries > 0,
        () => Effect.succeed<Readonly<Record<string, string>>>({})
      )
    )
    return { _tag: "Delivered", hash, reference: headers["location"]?.slice(0, referenceMax) }
  })

export const tellTariff = (telling: Telling, tariff: Tariff, party: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const body = telling.wire.tariff.encode({ party, tariff })
    // It cannot be said in this version; whoever knew an older one that could is told that it is gone.
    if (body === undefined) return yield* tellTariffGone(telling, tariff.id, party)
    const hash = hashOf(body)
    if (sameHash(telling.item.hash, hash)) return nothing(telling)
    const path = [party.countryCode, party.partyId, tariff.id]
    yield* send(telling, { method: "PUT", module: "tariffs", path, body, from: party })
    return { _tag: "Delivered", hash }
  })

export const tellTariffGone = (telling: Telling, id: string, party: PartyId): Pushing<Outcome> => {
  if (telling.item.hash === undefined) return Effect.succeed(forgotten)
  const path = [party.countryCode, party.partyId, id]
  return send(telling, { method: "DELETE", module: "tariffs", path, from: party }).pipe(
    Effect.as(forgotten),
    Effect.catchIf(
      (failed) => failed._tag === "PartnerFailed" && failed.http === 404,
      () => Effect.succeed(forgotten)
    )
  )
}
