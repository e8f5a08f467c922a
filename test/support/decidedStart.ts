/**
 * A start's fact with what the domain decides for it by the database's facts, for suites that make their facts by hand: what an actor's
 * decision would have put in it.
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

/** What is known to a start at a place. */
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

/** Whatever the fact says already was decided by its test. */
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
      follows: followed({ ...body, heardAt: fact.heardAt }, found.start.remoteStarts)?.commandId,
      keepsTariff: keeps ? true : undefined,
      ...body
    }
    return { ...fact, body: decided }
  })

/** The journal's commit of facts that were made by hand, with the starts among them decided. */
export const decidedCommit = Effect.map(
  Journal,
  (journal) => (facts: ReadonlyArray<ChargerFact>) =>
    Effect.gen(function* () {
      const decided: Array<ChargerFact> = []
      for (const fact of facts) decided.push(fact.type === "SessionStarted" ? yield* decidedStart(fact) : fact)
      return yield* journal.commit(decided)
    })
)
