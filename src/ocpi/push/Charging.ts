/**
 * Sessions, records and tariffs to partners. A session is always sent whole: what a partner made of an unclear answer does not matter then (OCPI 2.2.1
 * §9.2.2, where PATCH appends periods). A record is sent until it was taken, and never again (§10.2.2). A tariff is deleted only where no location names
 * it any more.
 */
import { Effect, Schema } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { RoamingCdr } from "../../domain/cdr/RoamingCdr.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { RoamingSession } from "../../domain/session/RoamingSession.ts"
import type { Outcome } from "../../domain/event/Subscription.ts"
import type { Tariff } from "../../domain/tariff/Tariff.ts"
import { outsideText } from "../../domain/values/OutsideText.ts"
import type { PartnerFailed } from "../client/OcpiClient.ts"
import { hashOf, sameHash } from "./Hash.ts"
import { isGoneThere, isRefusal } from "./Outcomes.ts"
import { forgotten, nothing, type Pushing, send, type Push } from "./Push.ts"

/** Longest address of a record at a partner's that is kept: OCPI's have 255 characters. */
const referenceMax = 1_024

export const pushSession = (push: Push, session: RoamingSession, fallback: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const body = push.wire.sessions.encode(session)
    // Up to 2.1.1 the location is within it. That is pushed as a location: a session that is over does not change by its site's new name.
    const hash = hashOf({ ...body, location: undefined })
    if (sameHash(push.item.hash, hash)) return nothing(push)
    const from = session.place.party ?? fallback
    const path = [from.countryCode, from.partyId, session.id]
    yield* send(push, { method: "PUT", module: "sessions", path, body, from, to: session.roaming })
    return { _tag: "Delivered", hash }
  })

/** Answers that are about the caller, the moment or a proxy in front of the partner, and not about the content of the record. */
const notTheRecord: ReadonlySet<number> = new Set([401, 403, 408, 425, 429, 502, 503, 504])

/** An answer to a record that may mean that the partner has it: it refuses it, or a try before may have been heard. */
const mayHaveIt = (failed: PartnerFailed, { item }: Push): boolean =>
  failed.http !== undefined && !notTheRecord.has(failed.http) && (isRefusal(failed) || item.tries > 0)

const Held = Schema.Struct({ id: Schema.String })
const held = Schema.decodeUnknownOption(Held)

/**
 * Whether the partner has a record already. Where the answer to the try that it took was lost so was the address that it gave it; then it is below
 * the module's, as the standard's examples have it and partners do. One that has no such address is taken at its word.
 */
const hasIt = (push: Push, cdr: RoamingCdr, from: PartyId): Pushing<boolean> =>
  send(push, { method: "GET", module: "cdrs", path: [cdr.id], from, to: cdr.body.roaming }).pipe(
    Effect.map(({ data }) => {
      const found = held(data)
      return found._tag === "Some" && found.value.id.toLowerCase() === cdr.id.toLowerCase()
    }),
    Effect.catchTag("PartnerFailed", () => Effect.succeed(false))
  )

export const pushCdr = (push: Push, cdr: RoamingCdr, fallback: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const { item } = push
    if (item.hash !== undefined) return nothing(push)
    const body = push.wire.cdrs.encode(cdr)
    const hash = hashOf(body)
    const from = cdr.body.place?.party ?? fallback
    // This process, or another, ended between the partner's answer and the storing of it, or before the partner heard anything.
    if (item.isInDoubt === true && (yield* hasIt(push, cdr, from))) return { _tag: "Delivered", hash, isOnce: true }
    const taken = send(push, { method: "POST", module: "cdrs", path: [], body, from, to: cdr.body.roaming })
    const headers = yield* taken.pipe(
      Effect.map((answered) => answered.headers),
      Effect.catchTag("PartnerFailed", (failed) =>
        Effect.gen(function* () {
          // A conflict is with itself, as its id is like no other: a try before this one was heard, and its answer was not.
          const isTaken = failed.http === 409
          if (!isTaken && !(mayHaveIt(failed, push) && (yield* hasIt(push, cdr, from)))) return yield* failed
          return {} as Readonly<Record<string, string>>
        })
      )
    )
    const address = headers["location"]
    return { _tag: "Delivered", hash, reference: address && outsideText(address, referenceMax), isOnce: true }
  })

export const pushTariff = (push: Push, tariff: Tariff, party: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const body = push.wire.tariff.encode({ party, tariff })
    // It cannot be said in this version; a partner that knew an older one that could receives that it is gone.
    if (body === undefined) return yield* deletedThere(push, tariff.id, party)
    const hash = hashOf(body)
    if (sameHash(push.item.hash, hash)) return nothing(push)
    const path = [party.countryCode, party.partyId, tariff.id]
    yield* send(push, { method: "PUT", module: "tariffs", path, body, from: party })
    return { _tag: "Delivered", hash }
  })

const deletedThere = (push: Push, id: string, party: PartyId): Pushing<Outcome> => {
  if (push.item.hash === undefined) return Effect.succeed(forgotten)
  const path = [party.countryCode, party.partyId, id]
  return send(push, { method: "DELETE", module: "tariffs", path, from: party }).pipe(
    Effect.as<Outcome>({ _tag: "Delivered" }),
    Effect.catchIf(
      (failed) => failed._tag === "PartnerFailed" && isGoneThere(failed, push.item),
      () => Effect.succeed<Outcome>({ _tag: "Delivered" })
    )
  )
}

/** A tariff that is for nothing any more. `isNamed` says whether the partner knows a location that names it: that is pushed without it first. */
export const pushTariffRemoval = (
  push: Push,
  id: string,
  party: PartyId,
  isNamed: Effect.Effect<boolean, StorageUnavailable>
): Pushing<Outcome> =>
  Effect.gen(function* () {
    if (push.item.hash === undefined) return forgotten
    if (yield* isNamed) return { _tag: "Waits" }
    return yield* deletedThere(push, id, party)
  })
