/**
 * The fact of a start, completed with what the domain decides for it from the facts of the database, for suites that create facts by hand: it adds
 * what an actor's decision would have put into it.
 */
import { Effect, Layer } from "effect"
import { limits } from "../../src/Config.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import type { ChargerFact, SessionStarted } from "../../src/domain/charger/Fact.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { followed } from "../../src/domain/command/Following.ts"
import { consumedFor, startWanted, tariffFor } from "../../src/domain/decide/Start.ts"
import { keepsTariff } from "../../src/domain/reservation/Reservation.ts"
import type { Place } from "../../src/domain/site/Connector.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"

const options = { ...limits.directory, nodeId: "decided" }

/** What the directory answers about a token and a start at a place. */
export const askedAs = (wanted: Parameters<ChargerDirectory["Service"]["findToken"]>[0]) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(ChargerDirectoryRepository.layer(options))
    const { findToken } = yield* Effect.provide(ChargerDirectory, context)
    return yield* findToken(wanted)
  }).pipe(Effect.scoped)

/** The tariff of a session that starts at a place. */
export const tariffAt = (organisationId: string, chargerId: string, place: Place, at: number) =>
  Effect.map(askedAs({ organisationId, chargerId, tokenUid: "", at, start: startWanted({ place }, at) }), ({ start }) =>
    start === undefined ? undefined : tariffFor(chargerId, { place }, start, at)
  )

/** Values that the fact already has were chosen by its test and stay. */
export const decidedStart = (fact: SessionStarted) =>
  Effect.gen(function* () {
    const { at, body, chargerId, organisationId } = fact
    const place = { evseId: body.evseId, connectorId: body.connectorId }
    const found = yield* askedAs({
      organisationId,
      chargerId,
      tokenUid: body.tokenUid,
      at,
      start: startWanted({ place }, fact.heardAt)
    })
    if (found.start === undefined) return fact
    const consumed = consumedFor({ ...body, place }, body.authorization, found.reservations, at)
    const keeps = body.reserved === true && consumed !== undefined && keepsTariff(consumed, place)
    const decided: SessionStarted["body"] = {
      tariff: tariffFor(chargerId, { place }, found.start, at),
      consumes: consumed?.commandId,
      follows: followed({ ...body, heardAt: fact.heardAt, queuedAt: undefined }, found.start.remoteStarts)?.commandId,
      keepsTariff: keeps ? true : undefined,
      ...body
    }
    return { ...fact, body: decided }
  })

/** The journal's commit for facts that were created by hand, with `decidedStart` applied to the starts among them. */
export const decidedCommit = Effect.map(
  Journal,
  (journal) => (facts: ReadonlyArray<ChargerFact>) =>
    Effect.gen(function* () {
      const decided: Array<ChargerFact> = []
      for (const fact of facts) decided.push(fact.type === "SessionStarted" ? yield* decidedStart(fact) : fact)
      return yield* journal.commit(decided)
    })
)
