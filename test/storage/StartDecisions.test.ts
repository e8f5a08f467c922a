/**
 * The decision of a start, from the look-up to the rows: the database supplies what the decision needs, and projects what the fact says, also
 * when something else was stored in between.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionStarted } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { at, evse, minute, started as startedAt } from "../support/events.ts"
import { freshId, noon, seedChargers, type Seeded, started } from "../support/journalFacts.ts"
import { ModelJournal } from "../support/modelJournal.ts"
import { besideRepositories } from "../support/repositories.ts"
import { StoredCharger } from "../support/storedCharger.ts"

const world = Layer.mergeAll(
  besideRepositories,
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "deciding" })
)

const elements = [{ priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }]

const writingOf = ({ organisationId }: Seeded) => ({
  by: { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] },
  now: minute(0)
})

const aTariff = (seeded: Seeded, assignment: Parameters<Tariffs["Service"]["assign"]>[1], more: object = {}) =>
  Effect.gen(function* () {
    const tariffs = yield* Tariffs
    const { id } = yield* tariffs.create({ currency: "EUR", elements, ...more }, writingOf(seeded))
    yield* tariffs.assign(id, assignment, writingOf(seeded))
    return id
  })

const tariffRows = ({ organisationId }: Seeded) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      SELECT t.session_id AS session, t.tariff_id AS tariff, t.version, t.time_zone AS zone FROM session_tariff t
      WHERE t.organisation_id = ${organisationId} ORDER BY t.session_id`
  )

/** A reservation in force; returns the id of its command. */
const aReservation = ({ organisationId }: Seeded, chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    yield* sql`INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, expires_at, status,
        created_at, updated_at)
      VALUES (${id}::uuid, ${organisationId}::uuid, ${chargerId}, 7, 1, 'CARD', ${new Date(noon + 60_000)}, 'Active', ${new Date(noon)},
        ${new Date(noon)})`
    return id
  })

/** A RemoteStart at EVSE 2, or the command that `more` describes; returns its id. */
const aCommand = (
  { organisationId }: Seeded,
  chargerId: string,
  more: {
    readonly type?: string
    readonly sentAt?: number | undefined
    readonly status?: string
    readonly result?: object
    readonly command?: object
    readonly sessionId?: string
  } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    const { command = { tokenUid: "card", place: { evseId: 2, connectorId: 1 } }, result, sentAt, sessionId } = more
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, sent_at,
        result, session_id)
      VALUES (${id}::uuid, ${organisationId}::uuid, ${chargerId}, ${more.type ?? "RemoteStart"}, ${more.status ?? "Sent"},
        ${JSON.stringify(command)}::text::jsonb, '{}', 'test', now(), ${sentAt === undefined ? null : new Date(sentAt)},
        ${result === undefined ? null : JSON.stringify(result)}::text::jsonb, ${sessionId ?? null})`
    return id
  })

const reservationRow = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly status: string; readonly session: string | null; readonly at: number }>`
      SELECT status, session_id AS session, (extract(epoch FROM updated_at) * 1000)::float8 AS at FROM reservation
      WHERE command_id = ${id}::uuid`
    return row ?? assert.fail("no such reservation")
  })

const withStart = (fact: SessionStarted, body: Partial<SessionStarted["body"]>): SessionStarted => ({
  ...fact,
  body: { ...fact.body, ...body }
})

forEachDriver("the decision of a start", world, (it) => {
  it.effect("gets with the card the tariffs for its connector, with their validity and the site's time zone", () =>
    Effect.gen(function* () {
      const { findToken } = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-1", "SD-2"])
      const other = yield* seedChargers(["SD-3"])
      yield* sql`UPDATE site SET time_zone = 'Europe/Madrid' WHERE id = ${seeded.siteId}::uuid`
      const wide = yield* aTariff(seeded, { scope: "organisation" })
      const valid = { startDateTime: minute(1), endDateTime: minute(2) }
      const ofSite = yield* aTariff(seeded, { scope: "site", siteId: seeded.siteId }, valid)
      const ofCharger = yield* aTariff(seeded, { scope: "charger", chargerId: "SD-1" })
      const ofConnector = yield* aTariff(seeded, { scope: "connector", chargerId: "SD-1", evseId: 2, connectorId: 1 })
      yield* aTariff(other, { scope: "organisation" })
      const elsewhereId = freshId()
      yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
        VALUES (${elsewhereId}::uuid, ${seeded.organisationId}::uuid, 'Elsewhere', 'UTC', now(), now())`
      yield* aTariff(seeded, { scope: "site", siteId: elsewhereId })
      yield* aTariff(seeded, { scope: "charger", chargerId: "SD-2" })
      for (const [chargerId, evseId, connectorId] of [
        ["SD-1", 1, 1],
        ["SD-1", 2, 2],
        ["SD-2", 1, 1]
      ] as const)
        yield* aTariff(seeded, { scope: "connector", chargerId, evseId, connectorId })
      yield* (yield* Tariffs).update(wide, { currency: "NOK", elements }, writingOf(seeded))
      const wanted = { organisationId: seeded.organisationId, tokenUid: "CARD", at: minute(0) }
      const [known, elsewhere, asked, foreign] = yield* Effect.all(
        [
          findToken({ ...wanted, chargerId: "SD-1", start: { place: evse(2), sentSince: minute(-15) } }),
          findToken({ ...wanted, chargerId: "SD-2", start: { place: evse(2), sentSince: minute(-15) } }),
          findToken({ ...wanted, chargerId: "SD-1" }),
          findToken({ ...wanted, chargerId: "SD-3", start: { place: evse(2), sentSince: minute(-15) } })
        ],
        { concurrency: "unbounded" }
      )
      const always = { startsAt: undefined, endsAt: undefined }
      assert.strictEqual(known.start?.timeZone, "Europe/Madrid")
      assert.deepStrictEqual(
        (known.start?.tariffs ?? []).toSorted((a, b) => (a.assignment.scope < b.assignment.scope ? -1 : 1)),
        [
          { tariffId: ofCharger, version: 1, assignment: { scope: "charger", chargerId: "SD-1" }, ...always },
          {
            tariffId: ofConnector,
            version: 1,
            assignment: { scope: "connector", chargerId: "SD-1", evseId: 2, connectorId: 1 },
            ...always
          },
          { tariffId: wide, version: 2, assignment: { scope: "organisation" }, ...always },
          {
            tariffId: ofSite,
            version: 1,
            assignment: { scope: "site", siteId: seeded.siteId },
            startsAt: minute(1),
            endsAt: minute(2)
          }
        ]
      )
      const scopes = (elsewhere.start?.tariffs ?? []).map(({ assignment }) => assignment.scope)
      assert.sameMembers(scopes, ["organisation", "site", "charger"])
      assert.isFalse("start" in asked)
      assert.deepStrictEqual(foreign.start, { timeZone: undefined, tariffs: [], remoteStarts: [] })
    })
  )

  it.effect("is stored with the start, once, and is not changed by a repeat", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["SD-4"])
      const tariff = yield* aTariff(seeded, { scope: "charger", chargerId: "SD-4" })
      const charger = yield* StoredCharger.connect("SD-4", seeded.organisationId, new ModelJournal())
      yield* charger.say(startedAt({ time: at(minute(1)) }))
      const [session] = charger.state.sessions
      const row = { session: session?.sessionId, tariff, version: 1, zone: "UTC" }
      assert.deepStrictEqual(yield* tariffRows(seeded), [row])
      // A repeat that was decided with another tariff.
      const tx = { chargerId: "SD-4", sessionId: freshId(), transactionId: 9_000_001 }
      const start = withStart(started(seeded, tx), { tariff: { tariffId: tariff, version: 1, timeZone: "UTC" } })
      yield* commit([start])
      const other = { tariffId: freshId(), version: 5, timeZone: undefined }
      yield* commit([withStart(start, { tariff: other })])
      const rows = yield* tariffRows(seeded)
      assert.deepStrictEqual(
        rows.filter(({ session: id }) => id === tx.sessionId),
        [{ ...row, session: tx.sessionId }]
      )
      assert.lengthOf(rows, 2)
    })
  )

  it.effect("is not stored for a charger that was removed meanwhile", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-5"])
      const tariff = { tariffId: freshId(), version: 1, timeZone: "UTC" }
      yield* sql`DELETE FROM charger WHERE charger_id = 'SD-5'`
      const tx = { chargerId: "SD-5", sessionId: freshId(), transactionId: 9_000_002 }
      yield* commit([withStart(started(seeded, tx), { tariff })])
      assert.deepStrictEqual(yield* tariffRows(seeded), [])
    })
  )

  it.effect("uses a reservation once, even when two starts were decided by the same look-up", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["SD-6"])
      const reservation = yield* aReservation(seeded, "SD-6")
      const start = (transactionId: number) => {
        const tx = { chargerId: "SD-6", sessionId: freshId(), transactionId }
        return withStart(started(seeded, tx), { consumes: reservation })
      }
      const first = start(9_000_010)
      const used = { status: "Used", session: first.body.sessionId, at: noon + 500 }
      yield* commit([first, start(9_000_011)])
      assert.deepStrictEqual(yield* reservationRow(reservation), used)
      yield* commit([start(9_000_012)])
      assert.deepStrictEqual(yield* reservationRow(reservation), used)
    })
  )

  it.effect("uses no reservation that was cancelled since, and none for a repeat", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-7"])
      const [cancelled, open] = [yield* aReservation(seeded, "SD-7"), yield* aReservation(seeded, "SD-7")]
      yield* sql`UPDATE reservation SET status = 'Cancelled' WHERE command_id = ${cancelled}::uuid`
      const tx = { chargerId: "SD-7", sessionId: freshId(), transactionId: 9_000_020 }
      const start = withStart(started(seeded, tx), { consumes: cancelled })
      yield* commit([start])
      assert.deepInclude(yield* reservationRow(cancelled), { status: "Cancelled", session: null })
      yield* commit([withStart(start, { consumes: open })])
      assert.deepInclude(yield* reservationRow(open), { status: "Active", session: null })
    })
  )

  it.effect("uses no reservation of another charger or organisation, and none without a session", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-8", "SD-8-b"])
      const other = yield* seedChargers([])
      const [theirs, beside, removed] = [
        // Of the organisation that had a charger of this id before.
        yield* aReservation(other, "SD-8"),
        yield* aReservation(seeded, "SD-8-b"),
        yield* aReservation(seeded, "SD-8")
      ]
      const commitStart = (consumes: string, transactionId: number) =>
        commit([withStart(started(seeded, { chargerId: "SD-8", sessionId: freshId(), transactionId }), { consumes })])
      yield* commitStart(theirs, 9_000_030)
      yield* commitStart(beside, 9_000_031)
      yield* sql`DELETE FROM charger WHERE charger_id = 'SD-8'`
      yield* commitStart(removed, 9_000_032)
      for (const id of [theirs, beside, removed]) {
        assert.deepInclude(yield* reservationRow(id), { status: "Active", session: null })
      }
    })
  )

  it.effect("gets the newest RemoteStarts that were sent to the charger and that no session has followed", () =>
    Effect.gen(function* () {
      const { findToken } = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-10", "SD-11"])
      const other = yield* seedChargers(["SD-12"])
      const remote = (n: number, more: Parameters<typeof aCommand>[2] = {}) =>
        aCommand(seeded, "SD-10", { sentAt: noon + n, ...more })
      yield* remote(-1)
      const placed = yield* remote(1, { status: "Failed", result: { errorCode: "ConnectionLost" } })
      const anywhere = yield* remote(2, { command: { tokenUid: "Card" } })
      yield* remote(3, { sessionId: freshId() })
      yield* remote(4, { type: "RemoteStop" })
      yield* remote(5, { sentAt: undefined })
      yield* aCommand(seeded, "SD-11", { sentAt: noon + 6 })
      yield* aCommand(other, "SD-12", { sentAt: noon + 7 })
      const asked = (organisationId: string, chargerId: string) =>
        Effect.map(
          findToken({
            organisationId,
            chargerId,
            tokenUid: "CARD",
            at: noon,
            start: { place: evse(1), sentSince: noon }
          }),
          ({ start }) => start?.remoteStarts
        )
      assert.deepStrictEqual(yield* asked(seeded.organisationId, "SD-10"), [
        {
          commandId: anywhere,
          sentAt: noon + 2,
          status: "Sent",
          errorCode: undefined,
          tokenUid: "Card",
          evseId: undefined
        },
        {
          commandId: placed,
          sentAt: noon + 1,
          status: "Failed",
          errorCode: "ConnectionLost",
          tokenUid: "card",
          evseId: 2
        }
      ])
      assert.deepStrictEqual(yield* asked(seeded.organisationId, "SD-12"), [])
      yield* sql`
        INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, sent_at)
        SELECT gen_random_uuid(), ${seeded.organisationId}::uuid, 'SD-10', 'RemoteStart', 'Sent', '{"tokenUid": "x"}', '{}', 'test', now(),
          ${new Date(noon)}::timestamptz + n * interval '1 second' FROM generate_series(1, 120) n`
      const many = (yield* asked(seeded.organisationId, "SD-10")) ?? []
      assert.deepStrictEqual([many.length, many[0]?.sentAt], [100, noon + 120_000])
    })
  )

  it.effect("assigns a RemoteStart to the first stored session of its charger, and to no other", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["SD-13", "SD-13-b"])
      const other = yield* seedChargers([])
      const sent = { sentAt: noon }
      const [own, repeated, beside, removed] = [
        yield* aCommand(seeded, "SD-13", sent),
        yield* aCommand(seeded, "SD-13", sent),
        yield* aCommand(seeded, "SD-13-b", sent),
        yield* aCommand(seeded, "SD-13", sent)
      ]
      // Of the organisation that had a charger of this id before.
      const theirs = yield* aCommand(other, "SD-13", sent)
      const stop = yield* aCommand(seeded, "SD-13", { ...sent, type: "RemoteStop" })
      const follower = (follows: string, transactionId: number) =>
        withStart(started(seeded, { chargerId: "SD-13", sessionId: freshId(), transactionId }), { follows })
      const followedBy = (id: string) =>
        Effect.map(
          sql<{ readonly session: string | null }>`SELECT session_id AS session FROM command WHERE id = ${id}::uuid`,
          (rows) => rows[0]?.session
        )
      const first = follower(own, 9_000_040)
      yield* commit([first, follower(own, 9_000_041)])
      assert.strictEqual(yield* followedBy(own), first.body.sessionId)
      yield* commit([follower(own, 9_000_042)])
      assert.strictEqual(yield* followedBy(own), first.body.sessionId)
      yield* commit([withStart(first, { follows: repeated })])
      yield* commit([follower(beside, 9_000_043), follower(theirs, 9_000_044), follower(stop, 9_000_045)])
      yield* sql`DELETE FROM charger WHERE charger_id = 'SD-13'`
      yield* commit([follower(removed, 9_000_046)])
      for (const id of [repeated, beside, removed, theirs, stop]) assert.isNull(yield* followedBy(id))
    })
  )
})
