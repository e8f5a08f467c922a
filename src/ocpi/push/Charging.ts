/**
 * Pushes sessions, CDRs and tariffs to partners. A session is always sent whole by PUT: a PATCH appends periods (OCPI 2.2.1 §9.2.2), so a repeated one
 * could add them twice. A CDR is sent until the partner has accepted it, and never again (§10.2.2). A tariff is deleted only once no location of the
 * partner names it.
 */
import { Effect, Schema } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { RoamingCdr } from "../../domain/cdr/RoamingCdr.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { RoamingSession } from "../../domain/session/RoamingSession.ts"
import type { DueItem, Outcome } from "../../domain/event/Subscription.ts"
import type { Tariff } from "../../domain/tariff/Tariff.ts"
import { outsideText } from "../../domain/values/OutsideText.ts"
import { hashOf, sameHash } from "./Hash.ts"
import { isGoneThere, isRefusal } from "./Outcomes.ts"
import { forgotten, nothing, type Pushing, send, type Push } from "./Push.ts"

/** The longest URL of a CDR at a partner that is stored. OCPI allows 255 characters. */
const referenceMax = 1_024

export const pushSession = (push: Push, session: RoamingSession, fallback: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const body = push.wire.sessions.encode(session)
    // In 2.1.1 a session contains its location. It is left out of the hash, so that a site's new name does not push sessions that are over.
    const hash = hashOf({ ...body, location: undefined })
    if (sameHash(push.item.hash, hash)) return nothing(push)
    const from = session.place.party ?? fallback
    const path = [from.countryCode, from.partyId, session.id]
    yield* send(push, { method: "PUT", module: "sessions", path, body, from, to: session.roaming })
    return { _tag: "Delivered", hash }
  })

const Held = Schema.Struct({ id: Schema.String })
const held = Schema.decodeUnknownOption(Held)

/**
 * Whether the partner already has the CDR. If the answer to an earlier try was lost, its URL was lost with it. Then the CDR is looked for below the
 * module's URL, as in the standard's examples and as partners do it. A partner that does not answer says nothing about it, and gets no second copy.
 */
const hasIt = (push: Push, cdr: RoamingCdr, from: PartyId): Pushing<boolean> =>
  send(push, { method: "GET", module: "cdrs", path: [cdr.id], from, to: cdr.body.roaming }).pipe(
    Effect.map(({ data }) => {
      const found = held(data)
      return found._tag === "Some" && found.value.id.toLowerCase() === cdr.id.toLowerCase()
    }),
    Effect.catchIf(
      (failed) => failed._tag === "PartnerFailed" && failed.http !== undefined && failed.http !== 429,
      () => Effect.succeed(false)
    )
  )

export const pushCdr = (push: Push, cdr: RoamingCdr, fallback: PartyId): Pushing<Outcome> =>
  Effect.gen(function* () {
    const { item } = push
    if (item.hash !== undefined) return nothing(push)
    const body = push.wire.cdrs.encode(cdr)
    const hash = hashOf(body)
    const from = cdr.body.place?.party ?? fallback
    // An earlier try was not accepted, or not recorded: its process ended before the push, or before it could store the answer.
    const mayHaveIt = item.isInDoubt === true || item.tries > 0
    if (mayHaveIt && (yield* hasIt(push, cdr, from))) return { _tag: "Delivered", hash, isOnce: true }
    const taken = send(push, { method: "POST", module: "cdrs", path: [], body, from, to: cdr.body.roaming })
    const headers = yield* taken.pipe(
      Effect.map((answered) => answered.headers),
      Effect.catchTag("PartnerFailed", (failed) =>
        Effect.gen(function* () {
          // The CDR's id is unique, so it conflicts with itself: the partner received an earlier try, and its answer was lost.
          const isTaken = failed.http === 409
          // A partner may also refuse a record in other words because it has it, from before it lost its registration.
          const isHeld = !mayHaveIt && isRefusal(failed) && (yield* hasIt(push, cdr, from))
          if (!isTaken && !isHeld) return yield* failed
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
    // This version cannot express the tariff. A partner that has an older form of it receives a DELETE.
    if (body === undefined) return yield* deletedThere(push, tariff.id, party)
    const hash = hashOf(body)
    if (sameHash(push.item.hash, hash)) return nothing(push)
    const path = [party.countryCode, party.partyId, tariff.id]
    yield* send(push, { method: "PUT", module: "tariffs", path, body, from: party })
    return { _tag: "Delivered", hash }
  })

/** What is known of a tariff at the partner: it accepted it, or it may have it because the answer to a PUT was lost, or it never had it. */
const knownThere = ({ hash, isInDoubt, tries }: DueItem): "Accepted" | "Perhaps" | "Never" =>
  hash !== undefined ? "Accepted" : tries > 0 || isInDoubt === true ? "Perhaps" : "Never"

const deletedThere = (push: Push, id: string, party: PartyId): Pushing<Outcome> => {
  const known = knownThere(push.item)
  if (known === "Never") return Effect.succeed(forgotten)
  const path = [party.countryCode, party.partyId, id]
  return send(push, { method: "DELETE", module: "tariffs", path, from: party }).pipe(
    Effect.as<Outcome>({ _tag: "Delivered" }),
    Effect.catchIf(
      // A partner that perhaps never had it may refuse to delete it in any words.
      (failed) =>
        failed._tag === "PartnerFailed" &&
        (isGoneThere(failed, push.item) || (known === "Perhaps" && isRefusal(failed))),
      () => Effect.succeed<Outcome>({ _tag: "Delivered" })
    )
  )
}

/** Deletes a tariff that no connector has any more. While `isNamed`, a location at the partner names it, and is pushed without it first. */
export const pushTariffRemoval = (
  push: Push,
  id: string,
  party: PartyId,
  isNamed: Effect.Effect<boolean, StorageUnavailable>
): Pushing<Outcome> =>
  Effect.gen(function* () {
    if (knownThere(push.item) === "Never") return forgotten
    if (yield* isNamed) return { _tag: "Waits" }
    return yield* deletedThere(push, id, party)
  })
