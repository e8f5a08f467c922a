/**
 * Sessions of reservations, from the command to the record: under one id from the charger's acceptance to the bill, ended with the
 * reservation, and never an obstacle to a start.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import type { SessionStatus } from "../../src/domain/session/ChargingSession.ts"
import { sessionIdFor } from "../../src/domain/reservation/Reservation.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Reservations } from "../../src/domain/reservation/Reservations.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { endCommand, endReservations, issueCommand } from "../support/endedCommands.ts"
import { ended, freshId, noon, seedChargers, type Seeded, started, type Transaction } from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"

const world = Layer.mergeAll(
  besideRepositories,
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "reserving" })
)

const minute = 60_000
const expiresAt = noon + 30 * minute

const per = (type: "FLAT" | "TIME" | "ENERGY", price: number) => ({ type, price, stepSize: 1 })
const forReservations = [
  { priceComponents: [per("TIME", 6)], restrictions: { reservation: "RESERVATION" as const } },
  { priceComponents: [per("TIME", 12)], restrictions: { reservation: "RESERVATION_EXPIRES" as const } }
]

const writingOf = (organisationId: string) => ({
  by: { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] },
  now: noon
})

/** A tariff with this price for each kWh, assigned to a charger or one of its connectors. */
const assign = (seeded: Seeded, chargerId: string, evseId: number | undefined, perKwh: number, more: object = {}) =>
  Effect.gen(function* () {
    const tariffs = yield* Tariffs
    const writing = writingOf(seeded.organisationId)
    const elements = [...forReservations, { priceComponents: [per("ENERGY", perKwh)] }]
    const tariff = yield* tariffs.create({ currency: "EUR", elements, ...more }, writing)
    const scope =
      evseId === undefined ? { scope: "charger" as const } : { scope: "connector" as const, evseId, connectorId: 1 }
    yield* tariffs.assign(tariff.id, { ...scope, chargerId }, writing)
    return tariff
  })

let commands = 0

const command = (seeded: Seeded, chargerId: string, type: string, given: object) =>
  Effect.gen(function* () {
    const id = uuid7(noon - minute, new Uint8Array(10).fill(++commands))
    yield* issueCommand(id, { ...seeded, chargerId, type, given, at: noon - minute })
    return id
  })

const answered = (id: string, status: string, at: number) => endCommand(id, { status, at })

/** A reservation that the charger accepted at noon; returns the id of its command, which is also that of its session. */
const reserve = (seeded: Seeded, chargerId: string, evseId = 1, reservationId = 7) =>
  Effect.gen(function* () {
    const place = { evseId, connectorId: Math.min(evseId, 1) }
    const given = { reservationId, place, tokenUid: "CARD", parentUid: "FAMILY", expiresAt }
    const id = yield* command(seeded, chargerId, "ReserveNow", given)
    yield* answered(id, "Accepted", noon)
    return id
  })

const reserved = (chargerId: string, evseId = 1) =>
  Effect.gen(function* () {
    const seeded = yield* seedChargers([chargerId])
    const tariff = yield* assign(seeded, chargerId, undefined, 1)
    return { seeded, tariff, id: yield* reserve(seeded, chargerId, evseId) }
  })

/** The start as it is decided from the facts of the directory. */
const startOf = (seeded: Seeded, chargerId: string, transactionId: number, minutes = 10, evseId = 1) =>
  Effect.gen(function* () {
    const { findToken } = yield* ChargerDirectory
    const at = noon + minutes * minute
    const { reservations } = yield* findToken({ ...seeded, chargerId, tokenUid: "CARD", at })
    const sessionId = reservations[0] === undefined ? undefined : sessionIdFor(reservations[0], at)
    const tx: Transaction = { chargerId, sessionId: sessionId ?? freshId(), transactionId }
    const fact = started(seeded, tx, { at, key: `start:${chargerId}:${transactionId}` })
    const body = { ...fact.body, evseId, ...(sessionId === undefined ? {} : { reserved: true as const }) }
    return { fact: { ...fact, body }, tx, sessionId }
  })

const price = Effect.gen(function* () {
  while (yield* repricing(defaultPriceOptions)) {}
})

interface Seen {
  readonly status: SessionStatus
  /** Minutes after noon. */
  readonly from: number
  readonly to: number | undefined
  readonly transactionId: number | undefined
  /** For each record the cost of the reservation and the total. */
  readonly bills: ReadonlyArray<ReadonlyArray<number>>
}

const seen = ({ organisationId }: Seeded, id: string) =>
  Effect.gen(function* () {
    yield* price
    const { endedAt, startedAt, status, transactionId } = yield* (yield* Sessions).get(organisationId, id)
    const { items } = yield* (yield* Cdrs).list(organisationId, { limit: 5, sessionId: id })
    const ends = endedAt === undefined ? undefined : (endedAt - noon) / minute
    const found: Seen = {
      status,
      from: (startedAt - noon) / minute,
      to: ends,
      transactionId: transactionId.startsWith("reservation:") ? undefined : Number(transactionId),
      bills: items.map(({ body }) => [body.costs.reservation.exclVat, body.total.exclVat])
    }
    return found
  })

const listed = ({ organisationId }: Seeded, more: object = {}) =>
  Effect.map(
    Effect.flatMap(Sessions, (sessions) => sessions.list(organisationId, { limit: 10, ...more })),
    ({ items }) => items.map(({ id }) => id)
  )

const reservationOf = ({ organisationId }: Seeded, at = noon) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Reservations).list(organisationId, { limit: 5 }, at)
    return items.map(({ reason, sessionId, status }) => ({ reason, sessionId, status }))
  })

const expire = (minutes: number) => endReservations(noon + minutes * minute)

/** The charger's connection, up since `minutes` after noon. */
const connect = ({ organisationId }: Seeded, chargerId: string, minutes: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at)
      VALUES (${chargerId}, ${organisationId}, 'n', 1, '1.6', 0, '127.0.0.1', ${new Date(noon + minutes * minute)})
      ON CONFLICT (charger_id) DO UPDATE SET connected_at = excluded.connected_at`
  )

forEachDriver("the session of a reservation", world, (it) => {
  it.effect("exists once the charger has accepted, and is no transaction", () =>
    Effect.gen(function* () {
      const { id, seeded } = yield* reserved("V-1")
      assert.deepStrictEqual(yield* seen(seeded, id), {
        status: "RESERVATION",
        from: 0,
        to: undefined,
        transactionId: undefined,
        bills: []
      })
      assert.deepStrictEqual(yield* listed(seeded, { status: "RESERVATION" }), [id])
      assert.deepStrictEqual(yield* listed(seeded, { status: "ACTIVE" }), [])
      assert.deepStrictEqual(yield* reservationOf(seeded), [{ reason: undefined, sessionId: id, status: "Active" }])
      const figures = yield* (yield* Chargers).statistics(seeded.organisationId, noon)
      assert.deepInclude(figures, { activeSessions: 0, sessionsToday: 0 })
      const directory = yield* ChargerDirectory
      const opening = { ocppVersion: "1.6", securityProfile: 0 as const, remoteAddress: "192.0.2.7", at: noon }
      const state = yield* directory.open({ ...opening, ...seeded, chargerId: "V-1" })
      assert.deepStrictEqual(state?.sessions, [])
      const facts = yield* directory.findToken({ ...seeded, chargerId: "V-1", tokenUid: "CARD", at: noon })
      assert.deepStrictEqual(facts.openSessions, [])
      assert.deepInclude(facts.reservations[0], { reservationId: 7, sessionId: id })
    })
  )

  it.effect("costs nothing when no driver came and another session ran on its connector meanwhile", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      for (const [chargerId, evseId, total] of [
        ["V-taken", 1, 0],
        ["V-beside", 2, 6]
      ] as const) {
        const { id, seeded } = yield* reserved(chargerId)
        const tx: Transaction = { chargerId, sessionId: freshId(), transactionId: 81 }
        const fact = started(seeded, tx, { at: noon + 5 * minute, tokenUid: "OTHER" })
        yield* commit([{ ...fact, body: { ...fact.body, evseId } }])
        yield* commit([ended(seeded, tx, { at: noon + 20 * minute })])
        yield* connect(seeded, chargerId, -60)
        yield* expire(31)
        const { bills, status } = yield* seen(seeded, id)
        assert.deepStrictEqual([status, bills], ["COMPLETED", [[total, total]]])
      }
    })
  )

  it.effect("needs a correction when another session on its connector is reported after it was billed", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const { id, seeded } = yield* reserved("V-late")
      yield* connect(seeded, "V-late", -60)
      yield* expire(31)
      assert.deepStrictEqual((yield* seen(seeded, id)).bills, [[6, 6]])
      const tx: Transaction = { chargerId: "V-late", sessionId: freshId(), transactionId: 82 }
      yield* commit([started(seeded, tx, { at: noon - 30 * minute, tokenUid: "OTHER" })])
      yield* price
      assert.deepStrictEqual(yield* listed(seeded, { needsCorrection: true }), [id])
      const { record } = yield* (yield* Sessions).get(seeded.organisationId, id)
      assert.deepInclude(record, { exclVat: 6 })
      // Its stop says that it had ended before the connector was reserved.
      yield* commit([ended(seeded, tx, { at: noon - 20 * minute })])
      yield* price
      assert.deepStrictEqual(yield* listed(seeded, { needsCorrection: true }), [])
    })
  )

  it.effect("is billed for the corrected time, and cannot be given energy", () =>
    Effect.gen(function* () {
      const reviews = yield* SessionReviews
      const { id, seeded } = yield* reserved("V-corrected")
      yield* connect(seeded, "V-corrected", -60)
      yield* expire(31)
      assert.deepStrictEqual((yield* seen(seeded, id)).bills, [[6, 6]])
      const correction = { energyWh: undefined, startedAt: undefined, endedAt: undefined, reason: "charger was down" }
      const writing = writingOf(seeded.organisationId)
      const refusal = yield* Effect.flip(reviews.correct(id, { ...correction, energyWh: 5000 }, writing))
      assert.deepInclude(refusal, { pointer: "/energyWh" })
      yield* reviews.correct(id, { ...correction, endedAt: noon + 15 * minute }, writing)
      const { bills, to } = yield* seen(seeded, id)
      assert.deepStrictEqual(
        [to, bills],
        [
          15,
          [
            [3, 3],
            [6, -6],
            [6, 6]
          ]
        ]
      )
    })
  )

  it.effect("exists only where the tariff of its connector charges for reservations", () =>
    Effect.gen(function* () {
      const seeded = yield* seedChargers(["V-2"])
      yield* assign(seeded, "V-2", undefined, 1, { elements: [{ priceComponents: [per("ENERGY", 1)] }] })
      yield* assign(seeded, "V-2", 2, 1)
      yield* reserve(seeded, "V-2", 1, 1)
      assert.deepStrictEqual(yield* listed(seeded), [])
      const second = yield* reserve(seeded, "V-2", 2, 2)
      assert.deepStrictEqual(yield* listed(seeded), [second])
    })
  )

  it.effect("continues under its id when the start arrives, and is billed for both", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const { id, seeded } = yield* reserved("V-3")
      const { fact, tx } = yield* startOf(seeded, "V-3", 31)
      assert.strictEqual(tx.sessionId, id)
      assert.deepStrictEqual((yield* commit([fact])).recorded, [true])
      const running: Seen = { status: "ACTIVE", from: 10, to: undefined, transactionId: 31, bills: [] }
      assert.deepStrictEqual(yield* seen(seeded, id), running)
      assert.deepStrictEqual(yield* reservationOf(seeded), [{ reason: undefined, sessionId: id, status: "Used" }])
      // The same start again, decided once more, is the same transaction.
      const again = yield* startOf(seeded, "V-3", 32)
      const { recorded, existing } = yield* commit([{ ...again.fact, key: fact.key }])
      assert.deepStrictEqual([recorded, existing?.transactionId], [[false], 31])
      yield* commit([ended(seeded, tx)])
      yield* expire(600)
      assert.deepStrictEqual(yield* seen(seeded, id), {
        ...running,
        status: "COMPLETED",
        to: 60,
        bills: [[1, 6]]
      })
      assert.deepStrictEqual(yield* listed(seeded, { from: noon + 9 * minute }), [id])
    })
  )

  it.effect("keeps its tariff on the connector it was reserved for, and takes that of any other connector", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const sql = yield* SqlClient.SqlClient
      const tariffOf = (sessionId: string) =>
        Effect.map(
          sql<{ tariff_id: string }>`SELECT tariff_id FROM session_tariff WHERE session_id = ${sessionId}`,
          (rows) => rows.map((row) => row.tariff_id)
        )
      const first = yield* reserved("V-4")
      yield* assign(first.seeded, "V-4", undefined, 9)
      yield* commit([(yield* startOf(first.seeded, "V-4", 41)).fact])
      assert.deepStrictEqual(yield* tariffOf(first.id), [first.tariff.id])
      const whole = yield* reserved("V-4-b", 0)
      const fast = yield* assign(whole.seeded, "V-4-b", 2, 9)
      yield* commit([(yield* startOf(whole.seeded, "V-4-b", 42, 10, 2)).fact])
      assert.deepStrictEqual(yield* tariffOf(whole.id), [fast.id])
    })
  )

  it.effect("is billed as expired when no driver came, once the charger could have reported a start", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const seeded = yield* seedChargers(["V-5"])
      yield* assign(seeded, "V-5", undefined, 1)
      // The previous session on the connector does not affect it.
      const before: Transaction = { chargerId: "V-5", sessionId: freshId(), transactionId: 51 }
      yield* commit([started(seeded, before, { at: noon - 90 * minute, tokenUid: "BERT" })])
      yield* commit([ended(seeded, before, { at: noon - 60 * minute })])
      const id = yield* reserve(seeded, "V-5")
      const inForce: Seen = { status: "RESERVATION", from: 0, to: undefined, transactionId: undefined, bills: [] }
      yield* connect(seeded, "V-5", -60)
      yield* expire(30)
      assert.deepStrictEqual(yield* seen(seeded, id), inForce)
      // It reconnected after the end, and may still report a start.
      yield* connect(seeded, "V-5", 31)
      yield* expire(40)
      assert.deepStrictEqual(yield* seen(seeded, id), inForce)
      yield* expire(41)
      const over: Seen = { ...inForce, status: "COMPLETED", to: 30, bills: [[6, 6]] }
      assert.deepStrictEqual(yield* seen(seeded, id), over)
      assert.deepStrictEqual(yield* reservationOf(seeded), [{ reason: undefined, sessionId: id, status: "Expired" }])
      yield* expire(60)
      assert.deepStrictEqual(yield* seen(seeded, id), over)
    })
  )

  it.effect("is billed after a day when the charger stays offline, and costs nothing when it was removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const away = yield* reserved("V-6")
      const gone = yield* reserved("V-6-b")
      yield* sql`DELETE FROM charger WHERE charger_id = 'V-6-b'`
      yield* expire(24 * 60)
      assert.strictEqual((yield* seen(away.seeded, away.id)).status, "RESERVATION")
      yield* expire(24 * 60 + 30)
      assert.deepInclude(yield* seen(away.seeded, away.id), { status: "COMPLETED", bills: [[6, 6]] })
      assert.deepInclude(yield* seen(gone.seeded, gone.id), { status: "INVALID", bills: [] })
    })
  )

  it.effect("has another price than its bill when a start that was made in time arrives after the bill", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const { id, seeded } = yield* reserved("V-7")
      yield* expire(24 * 60 + 30)
      assert.deepInclude(yield* seen(seeded, id), { bills: [[6, 6]] })
      const { fact, tx } = yield* startOf(seeded, "V-7", 71, 20)
      const heardAt = noon + 25 * 60 * minute
      yield* commit([{ ...fact, heardAt }])
      yield* commit([{ ...ended(seeded, tx), heardAt }])
      assert.deepInclude(yield* seen(seeded, id), { status: "COMPLETED", transactionId: 71, bills: [[6, 6]] })
      const { billed, price: now } = yield* (yield* Sessions).get(seeded.organisationId, id)
      assert.deepStrictEqual([billed?.exclVat, now?.exclVat], [6, 7])
    })
  )

  for (const [how, answer] of [
    ["cancelled", "Accepted"],
    ["not known to the charger any more", "Rejected"]
  ] as const) {
    it.effect(`is invalid, and costs nothing, when it was ${how}`, () =>
      Effect.gen(function* () {
        const { id, seeded } = yield* reserved(`V-8-${answer}`)
        yield* answered(
          yield* command(seeded, `V-8-${answer}`, "CancelReservation", { reservationId: 7 }),
          answer,
          noon + 5 * minute
        )
        assert.deepInclude(yield* seen(seeded, id), { status: "INVALID", from: 0, to: 5, bills: [] })
        yield* expire(2000)
        assert.deepInclude(yield* seen(seeded, id), { status: "INVALID", bills: [] })
        assert.deepStrictEqual(yield* listed(seeded, { status: "INVALID" }), [id])
      })
    )
  }

  it.effect("is invalid when another reservation with its number replaces it", () =>
    Effect.gen(function* () {
      const { id, seeded } = yield* reserved("V-9")
      const next = yield* reserve(seeded, "V-9")
      assert.strictEqual((yield* seen(seeded, id)).status, "INVALID")
      assert.strictEqual((yield* seen(seeded, next)).status, "RESERVATION")
    })
  )

  it.effect("is invalid when its start has an id of its own, which is billed instead", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const { id, seeded } = yield* reserved("V-10")
      const tx: Transaction = { chargerId: "V-10", sessionId: freshId(), transactionId: 101 }
      yield* commit([started(seeded, tx, { at: noon + 10 * minute })])
      yield* commit([ended(seeded, tx)])
      assert.strictEqual((yield* seen(seeded, id)).status, "INVALID")
      const { get } = yield* Sessions
      const used = (sessionId: string) =>
        Effect.map(get(seeded.organisationId, sessionId), ({ reservation }) => reservation?.used)
      assert.deepStrictEqual([yield* used(id), yield* used(tx.sessionId)], [false, true])
      assert.deepInclude(yield* seen(seeded, tx.sessionId), { status: "COMPLETED", bills: [[1, 6]] })
    })
  )

  it.effect("has ended at its expiry when a start with an id of its own is received later", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const { id, seeded } = yield* reserved("V-10-b")
      const tx: Transaction = { chargerId: "V-10-b", sessionId: freshId(), transactionId: 102 }
      yield* commit([{ ...started(seeded, tx, { at: noon + 10 * minute }), heardAt: noon + 45 * minute }])
      assert.deepInclude(yield* seen(seeded, id), { status: "INVALID", from: 0, to: 30 })
    })
  )

  it.effect("is used by one start only: another one is refused, and has an id of its own when decided again", () =>
    Effect.gen(function* () {
      const commit = yield* decidedCommit
      const { id, seeded } = yield* reserved("V-11")
      const one = yield* startOf(seeded, "V-11", 111)
      const other = yield* startOf(seeded, "V-11", 112, 11, 2)
      const bystander: Transaction = { chargerId: "V-11", sessionId: freshId(), transactionId: 113 }
      const [first, second, third] = yield* Effect.all(
        [
          Effect.result(commit([one.fact])),
          Effect.result(commit([other.fact])),
          commit([started(seeded, bystander, { at: noon - minute, tokenUid: "BERT" })])
        ],
        { concurrency: "unbounded" }
      )
      // Either may be the first.
      const [taken, refused, transactionId] = Result.isSuccess(first) ? [first, second, 111] : [second, first, 112]
      assert(Result.isSuccess(taken) && Result.isFailure(refused))
      assert.deepStrictEqual([taken.success.recorded, third.recorded], [[true], [true]])
      assert.propertyVal(refused.failure, "_tag", "FactRefused")
      const anew = yield* startOf(seeded, "V-11", 223 - transactionId, 11, 2)
      assert.isUndefined(anew.sessionId)
      assert.deepStrictEqual((yield* commit([anew.fact])).recorded, [true])
      const three = [id, anew.tx.sessionId, bystander.sessionId]
      assert.deepStrictEqual((yield* listed(seeded)).toSorted(), three.toSorted())
      assert.strictEqual((yield* seen(seeded, id)).transactionId, transactionId)
    })
  )

  it.effect("is not continued by a start after more than a day, since lists find sessions by their ids", () =>
    Effect.sync(() => {
      const facts = {
        commandId: "c",
        reservationId: 1,
        evseId: 1,
        tokenUid: "CARD",
        parentUid: undefined,
        expiresAt,
        status: "Active" as const,
        sessionId: "s",
        createdAt: noon
      }
      assert.strictEqual(sessionIdFor(facts, noon + 1440 * minute), "s")
      assert.isUndefined(sessionIdFor(facts, noon + 1440 * minute + 1))
    })
  )
})
