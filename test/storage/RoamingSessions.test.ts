/**
 * Sessions and records of partners' drivers, from the fact of a start to the list of each partner: those of its own tokens, in order of creation,
 * and again whenever they have changed.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import type { SessionRoaming } from "../../src/domain/roaming/Roaming.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { RoamingCdrs } from "../../src/domain/cdr/RoamingCdrs.ts"
import { RoamingSessions } from "../../src/domain/session/RoamingSessions.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { readingsPricedAtOnce } from "../../src/domain/session/Ledger.ts"
import type { TariffElement } from "../../src/domain/tariff/Tariff.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import type { Window } from "../../src/domain/values/Window.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { endCommand, issueCommand } from "../support/endedCommands.ts"
import { ended, freshId, metered, noon, seedChargers, type Seeded, started } from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"
import { aConnector } from "../support/reported.ts"

const world = Layer.mergeAll(besideRepositories, JournalRepository.layer(limits.journal))

const minute = 60_000
const everything: Window = { offset: 0, limit: 100 }

const writingOf = (organisationId: string) => ({
  by: { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] },
  now: noon
})

const contract = (partnerId: string, more: Partial<SessionRoaming> = {}): SessionRoaming => ({
  partnerId,
  countryCode: "DE",
  partyId: "ABC",
  uid: "04A2B3",
  type: "RFID",
  contractId: "DE-ABC-C00000001-1",
  authMethod: "WHITELIST",
  ...more
})

const unchanged = { energyWh: undefined, startedAt: undefined, endedAt: undefined }

let transactions = 100

/** A started session with a partner's token or one of the organisation. */
const begin = (seeded: Seeded, chargerId: string, roaming: SessionRoaming | undefined, more: { id?: string } = {}) =>
  Effect.gen(function* () {
    const tx = { chargerId, sessionId: more.id ?? freshId(), transactionId: ++transactions }
    const fact = started(seeded, tx, { at: noon, key: `start:${tx.sessionId}` })
    const authorization = { ...fact.body.authorization, ...(roaming === undefined ? {} : { roaming }) }
    const reserved = more.id === undefined ? {} : { reserved: true as const }
    yield* (yield* decidedCommit)([{ ...fact, body: { ...fact.body, ...reserved, authorization } }])
    return tx
  })

const end = (seeded: Seeded, tx: { chargerId: string; sessionId: string; transactionId: number }, wh = 11_000) =>
  Effect.flatMap(Journal, (journal) => journal.commit([ended(seeded, tx, { at: noon + 30 * minute, meterStopWh: wh })]))

const price = Effect.gen(function* () {
  while (yield* repricing(defaultPriceOptions)) {}
})

/** An organisation with two chargers under a tariff of 0.5 per kWh, and two partners. */
const aWorld = (name: string, before: ReadonlyArray<TariffElement> = []) =>
  Effect.gen(function* () {
    const chargers = [`${name}-1`, `${name}-2`] as const
    const seeded = yield* seedChargers(chargers)
    for (const charger of chargers) yield* aConnector(charger, 1, 1, "Charging")
    const tariffs = yield* Tariffs
    const writing = writingOf(seeded.organisationId)
    const elements = [...before, { priceComponents: [{ type: "ENERGY" as const, price: 0.5, vat: 20, stepSize: 1 }] }]
    const tariff = yield* tariffs.create({ currency: "EUR", elements }, writing)
    yield* tariffs.assign(tariff.id, { scope: "organisation" }, writing)
    const scope = (partnerId: string) => ({ organisationId: seeded.organisationId, partnerId })
    return { seeded, chargers, tariff, writing, one: scope(freshId()), other: scope(freshId()) }
  })

const forReservations: ReadonlyArray<TariffElement> = [
  { priceComponents: [{ type: "TIME", price: 6, stepSize: 1 }], restrictions: { reservation: "RESERVATION" } }
]

/** A reservation that a partner requested and the charger accepted; returns the id of its command, which is also that of its session. */
const reserve = ({ organisationId }: Seeded, chargerId: string, roaming: SessionRoaming) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    const given = {
      reservationId: 7,
      place: { evseId: 1, connectorId: 1 },
      tokenUid: "CARD",
      expiresAt: noon + 60 * minute
    }
    const now = new Date(noon)
    yield* sql`INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
      VALUES (${roaming.partnerId}, ${organisationId}, 'Partner', 'Registered', '{}', ${now}, ${now})`
    yield* issueCommand(id, { organisationId, chargerId, type: "ReserveNow", given, at: noon, by: "partner" })
    yield* sql`INSERT INTO partner_command (command_id, organisation_id, partner_id, kind, version, response_url, correlation_id, created_at)
      VALUES (${id}, ${organisationId}, ${roaming.partnerId}, 'ReserveNow', '2.2.1', 'sealed', 'c', ${now})`
    yield* sql`INSERT INTO token_grant (command_id, organisation_id, charger_id, evse_id, uid_key, roaming, created_at, expires_at)
      VALUES (${id}, ${organisationId}, ${chargerId}, 1, 'card', ${JSON.stringify({ ...roaming, evseId: 1, expiresAt: noon })}::text::jsonb,
        ${now}, ${now})`
    yield* endCommand(id, { status: "Accepted", at: noon })
    return id
  })

forEachDriver("a session with a partner's token", world, (it) => {
  it.effect("is listed only for the partner of the token, in order of creation", () =>
    Effect.gen(function* () {
      const sessions = yield* RoamingSessions
      const { chargers, one, other, seeded, tariff } = yield* aWorld("OWN")
      const [first, second] = chargers
      const a = yield* begin(seeded, first, contract(one.partnerId, { authorizationReference: "REF-1" }))
      const b = yield* begin(seeded, second, contract(other.partnerId))
      const own = yield* begin(seeded, first, undefined)
      const c = yield* begin(seeded, second, contract(one.partnerId, { authMethod: "COMMAND" }))
      const idsOf = (scope: typeof one, window = everything) =>
        Effect.map(sessions.window(scope, window), ({ items, total }) => [items.map(({ id }) => id), total])
      assert.deepStrictEqual(yield* idsOf(one), [[a.sessionId, c.sessionId], 2])
      assert.deepStrictEqual(yield* idsOf(other), [[b.sessionId], 1])
      assert.deepStrictEqual(yield* idsOf(one, { offset: 1, limit: 1 }), [[c.sessionId], 2], "a page knows of all")
      assert.deepStrictEqual(yield* idsOf(one, { offset: 5, limit: 1 }), [[], 2])
      const stranger = { ...one, organisationId: freshId() }
      assert.deepStrictEqual(yield* idsOf(stranger), [[], 0], "another organisation has no such partner")
      for (const [scope, id] of [
        [one, b.sessionId],
        [one, own.sessionId],
        [other, a.sessionId],
        [stranger, a.sessionId],
        [one, "no uuid"]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(sessions.get(scope, id)))._tag, "NotFound")
        assert.isFalse(yield* sessions.isSteerable(scope, id))
      }
      const shown = yield* sessions.get(one, a.sessionId)
      assert.deepStrictEqual(shown.roaming, contract(one.partnerId, { authorizationReference: "REF-1" }))
      assert.deepStrictEqual([shown.tariffId, shown.currency], [tariff.id, "EUR"])
      assert.match(shown.place.evseUid ?? "", /^[0-9a-f-]{36}$/)
      assert.match(shown.place.publicEvseId ?? "", /^X\d+\*\d+\*E\d+$/)
      assert.deepStrictEqual((yield* (yield* Sessions).get(one.organisationId, a.sessionId)).roaming, shown.roaming)
    })
  )

  it.effect("is in the window of its last change, whenever it was created", () =>
    Effect.gen(function* () {
      const { chargers, one, seeded } = yield* aWorld("W")
      const sql = yield* SqlClient.SqlClient
      const hour = 60 * minute
      // Hours from noon: when each was made, and when it changed last. The last two were made by clocks that are ahead.
      const times = [
        [-9_000, -8_999],
        [-9_000, 10],
        [-49, -26],
        [-48, 0],
        [-24, -1],
        [-1, 1],
        [0, 0],
        [1, 40],
        [30, -2],
        [26, 1]
      ] as const
      const changed = new Map<string, number>()
      for (const [n, [made, last]] of times.entries()) {
        const tx = yield* begin(seeded, chargers[n % 2]!, contract(one.partnerId), {
          id: uuid7(noon + made * hour, new Uint8Array(10).fill(n))
        })
        yield* sql`UPDATE session_roaming SET last_updated = ${new Date(noon + last * hour)} WHERE session_id = ${tx.sessionId}`
        changed.set(tx.sessionId, noon + last * hour)
      }
      const sessions = yield* RoamingSessions
      const spans = [-9_001, -48, -26, -2, 0, 1, 10, 50].map((hours) => noon + hours * hour)
      for (const from of [undefined, ...spans]) {
        for (const to of [undefined, ...spans]) {
          const wanted = [...changed.keys()]
            .filter((id) => changed.get(id)! >= (from ?? -Infinity) && changed.get(id)! < (to ?? Infinity))
            .sort()
          for (const offset of [0, 2]) {
            const { items, total } = yield* sessions.window(one, { from, to, offset, limit: 3 })
            assert.deepStrictEqual(
              [items.map(({ id }) => id), total],
              [wanted.slice(offset, offset + 3), wanted.length]
            )
          }
        }
      }
    })
  )

  it.effect("is listed again, with its price, after a reading, the stop or a correction, and only then", () =>
    Effect.gen(function* () {
      const sessions = yield* RoamingSessions
      const { chargers, one, seeded, writing } = yield* aWorld("NEW")
      const tx = yield* begin(seeded, chargers[0], contract(one.partnerId))
      yield* price
      let last = 0
      const isNew = Effect.gen(function* () {
        const { items, total } = yield* sessions.window(one, { ...everything, from: last + 1 })
        assert.strictEqual(items.length, total)
        const [session] = items
        if (session !== undefined) last = session.lastUpdated
        return session
      })
      assert.isDefined(yield* isNew)
      assert.isUndefined(yield* isNew, "nothing has changed since")
      const journal = yield* Journal
      yield* journal.commit([metered(seeded, tx, noon + 10 * minute, 3000)])
      const read = yield* isNew
      assert.deepStrictEqual([read?.energyWh, read?.price?.exclVat], [2000, 1], "the price is of that reading")
      assert.deepStrictEqual(read?.price?.periods.at(-1)?.energyWh, 2000)
      yield* price
      assert.isUndefined(yield* isNew, "when the price is kept that is no news")
      assert.deepStrictEqual(yield* sessions.get(one, tx.sessionId), read)
      yield* end(seeded, tx)
      const over = yield* isNew
      assert.deepStrictEqual(
        [over?.status, over?.price?.exclVat],
        ["COMPLETED", 5],
        "an ended session is published with its final price"
      )
      yield* price
      assert.isUndefined(yield* isNew)
      const billed = { exclVat: 5, inclVat: 6 }
      assert.deepStrictEqual(yield* sessions.get(one, tx.sessionId), over && { ...over, billed })
      yield* (yield* SessionReviews).correct(tx.sessionId, { ...unchanged, energyWh: 4000, reason: "meter" }, writing)
      assert.strictEqual((yield* isNew)?.energyWh, 4000)
      const until = yield* sessions.window(one, { ...everything, to: last })
      assert.strictEqual(until.total, 0, "before its last change there is nothing of it")
    })
  )

  it.effect("with too many readings to price at once is listed again by a fact when it is priced", () =>
    Effect.gen(function* () {
      const sessions = yield* RoamingSessions
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      const { chargers, one, seeded } = yield* aWorld("LONG")
      const tx = yield* begin(seeded, chargers[0], contract(one.partnerId))
      const own = yield* begin(seeded, chargers[1], undefined)
      const readings = (of: typeof tx, from: number, to: number) =>
        Array.from({ length: to - from }, (_, n) =>
          metered(seeded, of, noon + (from + n) * 1_000, 1_002 + 2 * (from + n))
        )
      const pricedFacts = Effect.map(
        sql<{ readonly body: unknown }>`SELECT body FROM journal WHERE type = 'SessionPriced' ORDER BY position`,
        (rows) => rows.map(({ body }) => body)
      )
      yield* journal.commit([
        ...readings(tx, 1, readingsPricedAtOnce + 1),
        ...readings(own, 1, readingsPricedAtOnce + 2)
      ])
      const few = yield* sessions.get(one, tx.sessionId)
      assert.deepStrictEqual([few.energyWh, few.price?.exclVat], [1_002, 0.501])
      yield* price
      assert.deepStrictEqual(yield* pricedFacts, [], "it was published with that price, and the other has no partner")
      yield* journal.commit(readings(tx, readingsPricedAtOnce + 1, readingsPricedAtOnce + 2))
      const many = yield* sessions.get(one, tx.sessionId)
      assert.deepStrictEqual([many.energyWh, many.price?.exclVat], [1_004, 0.501], "the price that is kept")
      yield* price
      assert.deepStrictEqual(yield* pricedFacts, [{ sessionId: tx.sessionId }])
      const { items } = yield* sessions.window(one, { ...everything, from: many.lastUpdated + 1 })
      assert.deepStrictEqual(
        items.map(({ energyWh, price }) => [energyWh, price?.exclVat]),
        [[1_004, 0.502]]
      )
    })
  )

  it.effect("is billed to that partner, and credited to it after a correction", () =>
    Effect.gen(function* () {
      const records = yield* RoamingCdrs
      const { chargers, one, other, seeded, writing } = yield* aWorld("BILL")
      const a = yield* begin(seeded, chargers[0], contract(one.partnerId))
      const b = yield* begin(seeded, chargers[1], contract(other.partnerId))
      for (const tx of [a, b]) yield* end(seeded, tx)
      const own = yield* begin(seeded, chargers[0], undefined)
      yield* end(seeded, own)
      yield* price
      const recordsOf = (scope: typeof one, takesCredits = true, window = everything) =>
        Effect.map(records.window({ ...scope, takesCredits }, window), ({ items, total }) => {
          assert.strictEqual(items.length, Math.min(total, window.limit))
          return items.map(({ body, creditReferenceId, sessionId }) => [
            sessionId,
            body.total.exclVat,
            creditReferenceId !== undefined
          ])
        })
      assert.deepStrictEqual(yield* recordsOf(one), [[a.sessionId, 5, false]])
      assert.deepStrictEqual(yield* recordsOf(other), [[b.sessionId, 5, false]])
      assert.deepStrictEqual(yield* recordsOf({ ...one, organisationId: freshId() }), [])
      const [cdr] = (yield* records.window({ ...one, takesCredits: true }, everything)).items
      if (cdr === undefined) return yield* Effect.die("no record")
      assert.deepStrictEqual(cdr.body.roaming, contract(one.partnerId))
      assert.match(cdr.body.place?.party?.countryCode ?? "", /^X\d+$/)
      assert.isDefined(cdr.body.place?.evseUid)
      assert.strictEqual((yield* Effect.flip(records.get({ ...other, takesCredits: true }, cdr.id)))._tag, "NotFound")
      assert.deepStrictEqual(yield* records.get({ ...one, takesCredits: false }, cdr.id), cdr)
      // Corrected: the old record is credited and another one replaces it.
      yield* (yield* SessionReviews).correct(a.sessionId, { ...unchanged, energyWh: 4000, reason: "meter" }, writing)
      yield* price
      assert.deepStrictEqual(yield* recordsOf(one), [
        [a.sessionId, 5, false],
        [a.sessionId, -5, true],
        [a.sessionId, 2, false]
      ])
      assert.deepStrictEqual(
        yield* recordsOf(one, false),
        [[a.sessionId, 5, false]],
        "a partner that takes no credits is not sent the new record either"
      )
      const { items } = yield* records.window(
        { ...one, takesCredits: true },
        { ...everything, from: cdr.lastUpdated + 1 }
      )
      assert.deepStrictEqual(
        items.map(({ body }) => body.total.exclVat),
        [-5, 2]
      )
      for (const hidden of items) {
        const get = records.get({ ...one, takesCredits: false }, hidden.id)
        assert.strictEqual((yield* Effect.flip(get))._tag, "NotFound")
      }
      const stored = items.map(({ id }) => id)
      assert.deepStrictEqual(
        yield* records.withheld(one.organisationId, stored),
        new Set(),
        "a partner that takes them"
      )
      const sql = yield* SqlClient.SqlClient
      const now = new Date(noon)
      yield* sql`INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
        VALUES (${one.partnerId}, ${one.organisationId}, 'Partner', 'Registered', '{"noCreditCdrs": true}', ${now}, ${now})`
      assert.deepStrictEqual(yield* records.withheld(one.organisationId, [cdr.id, ...stored]), new Set(stored))
      assert.deepStrictEqual(yield* records.withheld(freshId(), stored), new Set(), "of another organisation nothing")
      assert.deepStrictEqual(yield* records.ofPlainTariffs(one.organisationId, [cdr.id]), new Set(), "of no version")
      yield* sql`UPDATE partner SET switches = '{}', connection = '{"version": "2.1.1"}' WHERE id = ${one.partnerId}`
      assert.deepStrictEqual(yield* records.withheld(one.organisationId, [cdr.id, ...stored]), new Set(stored))
      assert.deepStrictEqual(yield* records.ofPlainTariffs(one.organisationId, [cdr.id]), new Set([cdr.id]))
      assert.deepStrictEqual(yield* records.ofPlainTariffs(freshId(), [cdr.id]), new Set())
      yield* sql`UPDATE partner SET connection = '{"version": "2.2"}' WHERE id = ${one.partnerId}`
      assert.deepStrictEqual(yield* records.ofPlainTariffs(one.organisationId, [cdr.id]), new Set())
      const all = yield* (yield* Cdrs).list(one.organisationId, { limit: 10, partnerId: one.partnerId })
      assert.lengthOf(all.items, 3)
    })
  )

  it.effect("that was corrected before it was billed has one record, also for partners without credits", () =>
    Effect.gen(function* () {
      const records = yield* RoamingCdrs
      const sql = yield* SqlClient.SqlClient
      const { chargers, one, seeded, writing } = yield* aWorld("HELD")
      const tx = yield* begin(seeded, chargers[0], contract(one.partnerId))
      yield* end(seeded, tx)
      yield* sql`UPDATE session SET held_reason = 'NotAuthorized' WHERE id = ${tx.sessionId}`
      yield* price
      const [held] = (yield* (yield* RoamingSessions).window(one, everything)).items
      assert.strictEqual(held?.status, "COMPLETED", "to the partner it has ended")
      assert.strictEqual(
        (yield* records.window({ ...one, takesCredits: true }, everything)).total,
        0,
        "and is not billed"
      )
      yield* (yield* SessionReviews).correct(tx.sessionId, { ...unchanged, energyWh: 4000, reason: "meter" }, writing)
      yield* price
      const { items } = yield* records.window({ ...one, takesCredits: false }, everything)
      assert.deepStrictEqual(
        items.map(({ body, revision }) => [body.total.exclVat, revision]),
        [[2, 1]]
      )
    })
  )

  it.effect("belongs to the partner from its reservation on, under one id", () =>
    Effect.gen(function* () {
      const sessions = yield* RoamingSessions
      const { chargers, one, seeded } = yield* aWorld("KEPT", forReservations)
      const id = yield* reserve(seeded, chargers[0], contract(one.partnerId, { authMethod: "COMMAND" }))
      const listed = Effect.map(sessions.window(one, everything), ({ items }) =>
        items.map(({ id, roaming, status }) => [id, status, roaming.authMethod])
      )
      assert.deepStrictEqual(yield* listed, [[id, "RESERVATION", "COMMAND"]])
      const other = yield* begin(seeded, chargers[1], contract(one.partnerId))
      const tx = yield* begin(seeded, chargers[0], contract(one.partnerId, { authMethod: "COMMAND" }), { id })
      const order = [
        [id, "ACTIVE", "COMMAND"],
        [other.sessionId, "ACTIVE", "WHITELIST"]
      ].toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1))
      assert.deepStrictEqual(yield* listed, order, "a start moves nothing")
      yield* end(seeded, tx)
      yield* price
      const { items } = yield* (yield* RoamingCdrs).window({ ...one, takesCredits: true }, everything)
      assert.deepStrictEqual(
        items.map(({ sessionId }) => sessionId),
        [id]
      )
    })
  )

  it.effect("belongs to the party of its site, and its record keeps that party when the site changes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { chargers, one, seeded } = yield* aWorld("PARTY")
      const now = new Date(noon)
      const id = freshId()
      yield* sql`INSERT INTO party (id, organisation_id, country_code, party_id, business_details, is_default, created_at)
        VALUES (${id}, ${seeded.organisationId}, 'BE', ${`B${chargers[0].length}X`}, '{"name": "Branch"}', false, ${now})`
      yield* sql`UPDATE site SET party_id = ${id} WHERE id = ${seeded.siteId}`
      const tx = yield* begin(seeded, chargers[0], contract(one.partnerId))
      yield* end(seeded, tx)
      yield* price
      const sessionParty = Effect.map((yield* RoamingSessions).get(one, tx.sessionId), ({ place }) => place.party)
      const cdrParty = Effect.map(
        (yield* RoamingCdrs).window({ ...one, takesCredits: true }, everything),
        ({ items }) => items[0]?.body.place?.party
      )
      assert.strictEqual((yield* sessionParty)?.countryCode, "BE")
      const sealed = yield* cdrParty
      assert.strictEqual(sealed?.countryCode, "BE")
      yield* sql`UPDATE site SET party_id = NULL WHERE id = ${seeded.siteId}`
      assert.notStrictEqual((yield* sessionParty)?.countryCode, "BE")
      assert.deepStrictEqual(yield* cdrParty, sealed)
    })
  )

  it.effect("accepts charging preferences of that partner alone", () =>
    Effect.gen(function* () {
      const sessions = yield* RoamingSessions
      const sql = yield* SqlClient.SqlClient
      const { chargers, one, other, seeded } = yield* aWorld("WISH")
      const tx = yield* begin(seeded, chargers[0], contract(one.partnerId))
      assert.isFalse(yield* sessions.isSteerable(one, tx.sessionId), "it has not said that it can")
      const keys = JSON.stringify([{ key: "SupportedFeatureProfiles", value: "Core, SmartCharging", readonly: true }])
      yield* sql`INSERT INTO charger_configuration (charger_id, keys, reported_at) VALUES (${chargers[0]}, ${keys}::text::jsonb, now())`
      assert.isTrue(yield* sessions.isSteerable(one, tx.sessionId))
      assert.isFalse(yield* sessions.isSteerable(other, tx.sessionId))
      const wish = { profileType: "REGULAR", energyNeedWh: 9000 }
      yield* sessions.prefer(one, tx.sessionId, wish)
      assert.strictEqual((yield* Effect.flip(sessions.prefer(other, tx.sessionId, wish)))._tag, "NotFound")
      const shown = yield* (yield* Sessions).get(one.organisationId, tx.sessionId)
      assert.deepStrictEqual(shown.preferences, wish)
    })
  )
})
