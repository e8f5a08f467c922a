/** The credentials of chargers, their connections, and the state that an actor is loaded with. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { StorageHealth } from "../../src/domain/values/StorageHealth.ts"
import type { TokenFacts } from "../../src/domain/token/Token.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import { forEachDriver } from "../support/databases.ts"
import {
  ended,
  freshId,
  metered,
  noon,
  orphaned,
  seedChargers,
  started,
  statusChanged
} from "../support/journalFacts.ts"
import { statementsOf } from "../support/statements.ts"
import { directoryAndJournal, directoryOptions } from "../support/commandedCharger.ts"
import { opening, openedEpoch, connectionOf, comings, registerAnew } from "../support/directoryRows.ts"
import { transaction } from "../support/journalRows.ts"

forEachDriver("the directory of chargers", directoryAndJournal, (it) => {
  it.effect("returns the credentials of a registered charger, and none for any other id", () =>
    Effect.gen(function* () {
      const { credentials } = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["D-1", "D-1-open"])
      const verifier = Uint8Array.from([0, 1, 2, 255])
      yield* sql`UPDATE charger SET security_profile = 2, password_verifier = ${verifier}, registered_serial = 'SN 1'
        WHERE charger_id = 'D-1'`
      // What chargers report of themselves proves nothing: each could report another's.
      yield* sql`UPDATE charger SET serial_number = 'reported'`
      const found = yield* Effect.all(["D-1", "D-1-open", "d-1", "D-1'--", ""].map(credentials), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        found.map((one) => one && { ...one, passwordVerifier: one.passwordVerifier && [...one.passwordVerifier] }),
        [
          {
            chargerId: "D-1",
            organisationId: seeded.organisationId,
            securityProfile: 2,
            passwordVerifier: [0, 1, 2, 255],
            pending: [],
            registeredSerialNumber: "SN 1"
          },
          {
            chargerId: "D-1-open",
            organisationId: seeded.organisationId,
            securityProfile: 0,
            passwordVerifier: undefined,
            pending: [],
            registeredSerialNumber: undefined
          },
          undefined,
          undefined,
          undefined
        ]
      )
    })
  )

  it.effect("gives each connection the next epoch, and records each connection once", () =>
    Effect.gen(function* () {
      const seeded = yield* seedChargers(["D-2"])
      const first = yield* openedEpoch(seeded, "D-2")
      const second = yield* openedEpoch(seeded, "D-2", {
        securityProfile: 1,
        remoteAddress: "192.0.2.8",
        ocppVersion: "2.0.1"
      })
      assert.strictEqual(second, first + 1)
      assert.deepInclude(yield* connectionOf("D-2"), {
        node: "node-1",
        epoch: second,
        version: "2.0.1",
        profile: 1,
        address: "192.0.2.8",
        open: true
      })
      assert.deepStrictEqual(yield* comings("D-2"), [
        ["ChargerConnected", first],
        ["ChargerConnected", second]
      ])
      const sql = yield* SqlClient.SqlClient
      const [charger] = yield* sql<{
        version: string
      }>`SELECT ocpp_version AS version FROM charger WHERE charger_id = 'D-2'`
      assert.strictEqual(charger?.version, "2.0.1")
    })
  )

  it.effect("records one connection for each epoch when a charger connects twice at the same moment", () =>
    Effect.gen(function* () {
      const { open } = yield* ChargerDirectory
      const seeded = yield* seedChargers(["D-3", "D-3-other"])
      const states = yield* Effect.all(
        ["D-3", "D-3-other", "D-3", "D-3-unknown"].map((id) => open(opening(seeded, id))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        states.map((state) => state?.chargerId),
        ["D-3", "D-3-other", "D-3", undefined]
      )
      const epochs = new Set([states[0]?.epoch, states[2]?.epoch])
      assert.lengthOf(yield* comings("D-3"), epochs.size)
      assert.strictEqual((yield* connectionOf("D-3"))?.["epoch"], Math.max(...[...epochs].map(Number)))
      assert.isUndefined(yield* connectionOf("D-3-unknown"))
    })
  )

  it.effect("takes time proportional to the number of connections, whatever batches came before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ids = Array.from({ length: 2000 }, (_, i) => `D-storm-${i}`)
      yield* seedChargers(ids)
      const reconnect = (count: number) => sql`
        SELECT connection_close(x.ids, x.epochs, x.times, x.reasons), (
          SELECT count(*) FROM connection_open(x.ids, x.reasons, x.profiles, x.reasons, x.times, 'node-1'))
        FROM (
          SELECT array_agg(c.charger_id) AS ids, array_agg(coalesce(n.epoch, 0)::float8) AS epochs, array_agg(now()) AS times,
            array_agg('1.6'::text) AS reasons, array_agg(0) AS profiles
          FROM (SELECT charger_id FROM charger WHERE charger_id LIKE 'D-storm-%' ORDER BY charger_id LIMIT ${count}::int) c
          LEFT JOIN connection n ON n.charger_id = c.charger_id
        ) x`
      // Enough runs for the plans to be cached, and made for one charger.
      for (let n = 0; n < 8; n++) yield* reconnect(1)
      const millis = (count: number) =>
        Effect.gen(function* () {
          const began = performance.now()
          yield* reconnect(count)
          return performance.now() - began
        })
      yield* reconnect(2000)
      const [few, many] = [Array<number>(), Array<number>()]
      for (let n = 0; n < 5; n++) {
        few.push(yield* millis(250))
        many.push(yield* millis(2000))
      }
      assert.isBelow(Math.min(...many) / Math.min(...few), 20)
    })
  )

  it.effect("ends a connection once, and ignores the late end of an older one", () =>
    Effect.gen(function* () {
      const { close } = yield* ChargerDirectory
      const { organisationId, siteId } = yield* seedChargers(["D-4"])
      const seeded = { organisationId, siteId }
      const old = yield* openedEpoch(seeded, "D-4")
      const now = yield* openedEpoch(seeded, "D-4")
      const end = (epoch: number, reason: string) =>
        close({ chargerId: "D-4", organisationId, epoch, at: noon + 1, reason })
      yield* end(old, "late")
      assert.deepInclude(yield* connectionOf("D-4"), { epoch: now, open: true })
      yield* Effect.all([end(now, "left"), end(now, "left again"), end(old, "late again")], {
        concurrency: "unbounded"
      })
      yield* end(now, "and again")
      assert.deepInclude(yield* connectionOf("D-4"), { epoch: now, open: false })
      assert.deepStrictEqual(yield* comings("D-4"), [
        ["ChargerConnected", old],
        ["ChargerConnected", now],
        ["ChargerDisconnected", now, "left"]
      ])
      assert.strictEqual(yield* openedEpoch(seeded, "D-4"), now + 1)
      assert.deepInclude(yield* connectionOf("D-4"), { epoch: now + 1, open: true })
    })
  )

  it.effect("records new connections after a charger is registered again", () =>
    Effect.gen(function* () {
      const seeded = yield* seedChargers(["D-5"])
      const first = yield* openedEpoch(seeded, "D-5")
      const second = yield* openedEpoch(seeded, "D-5")
      const other = yield* seedChargers([])
      yield* registerAnew("D-5", other)
      const anew = yield* openedEpoch(other, "D-5")
      assert.isAbove(anew, second)
      assert.deepStrictEqual(yield* comings("D-5"), [
        ["ChargerConnected", first],
        ["ChargerConnected", second],
        ["ChargerConnected", anew]
      ])
    })
  )

  it.effect("reloads a state with the epoch of its actor, and nothing for a removed charger", () =>
    Effect.gen(function* () {
      const { reload } = yield* ChargerDirectory
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["D-6"])
      const old = yield* openedEpoch(seeded, "D-6")
      const now = yield* openedEpoch(seeded, "D-6")
      yield* commit([statusChanged(seeded, "D-6", now, "Charging", "D-6:status")])
      assert.strictEqual((yield* reload("D-6", now))?.epoch, now)
      const stale = yield* reload("D-6", old)
      assert.strictEqual(stale?.epoch, old)
      assert.strictEqual(stale?.connectors[0]?.status, "Charging")
      yield* sql`DELETE FROM charger WHERE charger_id = 'D-6'`
      assert.isUndefined(yield* reload("D-6", now))
    })
  )

  it.effect("loads the settings of the organisation and what the charger reported", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const { open } = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["D-7"])
      yield* sql`UPDATE organisation SET unknown_tokens = 'Accept', concurrent_transactions = 'Allow', heartbeat_interval_s = 77
        WHERE id = ${seeded.organisationId}::uuid`
      yield* sql`UPDATE charger SET registration = 'Pending', manufacturer = 'Maker', model = 'M', firmware_version = '1',
        booted_at = now() WHERE charger_id = 'D-7'`
      const tx = transaction("D-7")
      const orphan = orphaned(seeded, "D-7", freshId())
      yield* commit([started(seeded, tx), metered(seeded, tx, noon + 60_000, 2500), orphan])
      const state = yield* open(opening(seeded, "D-7"))
      assert.deepInclude(state, {
        organisationId: seeded.organisationId,
        registration: "Pending",
        booted: true,
        configured: false,
        vendor: "Maker",
        model: "M",
        firmwareVersion: "1",
        policy: { unknownTokens: "Accept", concurrentTransactions: "Allow", heartbeatIntervalSeconds: 77 }
      })
      assert.deepInclude(state?.sessions[0], {
        sessionId: tx.sessionId,
        transactionId: tx.transactionId,
        status: "Open",
        startedAt: noon,
        meterStartWh: 1000,
        registerWh: 2500,
        registerAt: noon + 60_000
      })
      assert.deepInclude(state?.orphans[0], { orphanId: orphan.body.orphanId, meterStopWh: 6000, at: noon })
    })
  )

  it.effect("finds a token of the organisation in any letter case, with its open sessions at all chargers", () =>
    Effect.gen(function* () {
      const directory = yield* ChargerDirectory
      const findToken = (organisationId: string, tokenUid: string) =>
        directory.findToken({ organisationId, tokenUid, chargerId: "D-8", at: noon })
      const { commit } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const own = yield* seedChargers(["D-8", "D-8-b"])
      const other = yield* seedChargers(["D-8-other"])
      yield* sql`INSERT INTO token (organisation_id, uid_key, uid, type, status, parent_uid, expires_at, created_at, updated_at)
        VALUES (${own.organisationId}::uuid, 'driver-é', 'Driver-É', 'RFID', 'Blocked', 'Parent', ${new Date(noon)}, now(), now())`
      const [a, b, ours, theirs] = [
        transaction("D-8"),
        transaction("D-8-b"),
        transaction("D-8-b"),
        transaction("D-8-other")
      ]
      yield* commit([started(own, a, { tokenUid: "DRIVER-É" })])
      yield* commit([started(own, b, { tokenUid: "driver-É" })])
      yield* commit([started(own, ours, { tokenUid: "Driver-É" })])
      yield* commit([ended(own, ours)])
      yield* commit([started(other, theirs, { tokenUid: "Driver-É" })])
      const found = yield* findToken(own.organisationId, "dRIVER-É")
      assert.deepInclude(found.token, {
        uid: "Driver-É",
        organisationId: own.organisationId,
        status: "Blocked",
        parentUid: "Parent",
        expiresAt: noon
      })
      assert.deepStrictEqual(
        found.openSessions.map(({ chargerId, sessionId }) => [chargerId, sessionId]).toSorted(),
        [
          ["D-8", a.sessionId],
          ["D-8-b", b.sessionId]
        ].toSorted()
      )
      const [stranger, missing] = yield* Effect.all(
        [findToken(other.organisationId, "Driver-É"), findToken(own.organisationId, "no one's")],
        { concurrency: "unbounded" }
      )
      assert.isUndefined(stranger.token)
      assert.deepStrictEqual(
        stranger.openSessions.map(({ sessionId }) => sessionId),
        [theirs.sessionId]
      )
      assert.deepStrictEqual(missing, { token: undefined, reservations: [], roaming: [], openSessions: [] })
    })
  )

  it.effect("returns with a token the reservations that may be in force at its charger at that time", () =>
    Effect.gen(function* () {
      const { findToken } = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const own = yield* seedChargers(["D-R", "D-R-b"])
      const reserve = (chargerId: string, reservationId: number, status: string, expiresAt: number) => sql`
        INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, parent_uid, expires_at, status,
          created_at, updated_at)
        VALUES (${freshId()}::uuid, ${own.organisationId}::uuid, ${chargerId}, ${reservationId}, 1, 'Anna', 'FAMILY', ${new Date(expiresAt)},
          ${status}, now(), now())`
      yield* reserve("D-R", 1, "Active", noon + 1)
      yield* reserve("D-R", 2, "Active", noon)
      yield* reserve("D-R", 3, "Used", noon + 60_000)
      yield* reserve("D-R", 4, "Pending", noon + 60_000)
      yield* reserve("D-R-b", 5, "Active", noon + 60_000)
      const wanted = { organisationId: own.organisationId, chargerId: "D-R", tokenUid: "no one's" }
      const [found, earlier, neighbour] = yield* Effect.all(
        [
          findToken({ ...wanted, at: noon }),
          findToken({ ...wanted, at: noon - 1 }),
          findToken({ ...wanted, chargerId: "D-R-b", at: noon })
        ],
        { concurrency: "unbounded" }
      )
      assert.isUndefined(found.token)
      const ids = ({ reservations }: TokenFacts) => reservations.map(({ reservationId }) => reservationId)
      assert.deepStrictEqual([found, earlier, neighbour].map(ids), [[4, 1], [4, 1, 2], [5]])
      assert.deepInclude(found.reservations[1], {
        reservationId: 1,
        evseId: 1,
        tokenUid: "Anna",
        parentUid: "FAMILY",
        expiresAt: noon + 1,
        status: "Active"
      })
    })
  )

  it.effect("finds a session of the charger by its transaction id, ended or not, and none of other chargers", () =>
    Effect.gen(function* () {
      const { findSession } = yield* ChargerDirectory
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["D-9", "D-9-neighbour"])
      const [first, neighbours] = [transaction("D-9"), transaction("D-9-neighbour")]
      yield* commit([started(seeded, first)])
      yield* commit([started(seeded, neighbours)])
      yield* commit([ended(seeded, first)])
      assert.deepInclude(yield* findSession("D-9", first.transactionId), {
        sessionId: first.sessionId,
        status: "Ended",
        endedAt: noon + 3_600_000
      })
      assert.isUndefined(yield* findSession("D-9", neighbours.transactionId))
      assert.isUndefined(yield* findSession("D-9", 1))
      const other = yield* seedChargers([])
      yield* registerAnew("D-9", other)
      assert.isUndefined(yield* findSession("D-9", first.transactionId), "its id belongs to another organisation now")
    })
  )

  it.effect("loads no session and no orphan of the organisation that used the charger id before", () =>
    Effect.gen(function* () {
      const { open } = yield* ChargerDirectory
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["D-10"])
      yield* commit([started(seeded, transaction("D-10")), orphaned(seeded, "D-10", freshId())])
      const other = yield* seedChargers([])
      yield* registerAnew("D-10", other)
      const state = yield* open(opening(other, "D-10"))
      assert.deepInclude(state, { organisationId: other.organisationId, sessions: [], orphans: [] })
    })
  )

  it.effect("never gives a transaction number twice, even to concurrent callers", () =>
    Effect.gen(function* () {
      const { takeTransactionNumbers } = yield* ChargerDirectory
      const sizes = Array.from({ length: 20 }, (_, n) => 1 + ((n * 37) % 100))
      const starts = yield* Effect.all(sizes.map(takeTransactionNumbers), { concurrency: "unbounded" })
      const taken = starts.flatMap((from, n) => Array.from({ length: sizes[n]! }, (_, i) => from + i))
      assert.strictEqual(new Set(taken).size, taken.length)
      assert.isAbove(Math.min(...taken), 0)
      assert.isAbove(yield* takeTransactionNumbers(1), Math.max(...taken))
    })
  )

  it.effect("admits a thousand chargers that connect at the same time with at most 12 statements", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers([])
      yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
        SELECT 'CITY-' || n, ${seeded.organisationId}::uuid, ${seeded.siteId}::uuid, 'Charger', 0, now(), now()
        FROM generate_series(1, 1000) n`
      const ids = Array.from({ length: 1000 }, (_, n) => `CITY-${n + 1}`)
      // The fibers that query belong to the layer, so it is built where statements are watched.
      const sent = yield* statementsOf(
        Effect.gen(function* () {
          const context = yield* Layer.build(ChargerDirectoryStorage.layer(directoryOptions))
          const { credentials, open } = yield* Effect.provide(ChargerDirectory, context)
          const known = yield* Effect.all(ids.map(credentials), { concurrency: "unbounded" })
          assert.isTrue(known.every((one, n) => one?.chargerId === ids[n]))
          const states = yield* Effect.all(
            ids.map((id) => open(opening(seeded, id))),
            { concurrency: "unbounded" }
          )
          assert.isTrue(states.every((state, n) => state?.chargerId === ids[n]))
        }).pipe(Effect.scoped)
      )
      // Two batches of credentials, and a few batches of openings, each of which takes epochs and loads states.
      assert.isAtLeast(sent.length, 6)
      assert.isAtMost(sent.length, 12)
      const [row] = yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM journal
        WHERE type = 'ChargerConnected' AND subject LIKE 'charger:CITY-%'`
      assert.strictEqual(row?.n, 1000)
    })
  )
})

// The embedded database alone: its one session is made read-only on a nearly full disk.
forEachDriver("the directory of chargers on a nearly full disk", Layer.empty, (it) => {
  it.effect("accepts connections while less than half of the reserve is used, and no transactions", () =>
    Effect.gen(function* () {
      const health = yield* StorageHealth
      if (health.kind !== "pglite") return
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["FULL-1"])
      let room: Effect.Effect<void, StorageUnavailable> = Effect.void
      const context = yield* Layer.build(
        directoryAndJournal.pipe(
          Layer.provide(
            Layer.succeed(
              StorageHealth,
              StorageHealth.of({ ...health, writableByConnections: Effect.suspend(() => room) })
            )
          )
        )
      )
      yield* Effect.gen(function* () {
        const directory = yield* ChargerDirectory
        const journal = yield* Journal
        yield* sql`SET default_transaction_read_only = on`
        const opened = yield* directory.open(opening(seeded, "FULL-1"))
        assert.isAbove(opened?.epoch ?? 0, 0)
        yield* directory.close({
          chargerId: "FULL-1",
          organisationId: seeded.organisationId,
          epoch: opened!.epoch,
          at: noon,
          reason: "gone"
        })
        assert.deepStrictEqual(
          (yield* comings("FULL-1")).map(([type]) => type),
          ["ChargerConnected", "ChargerDisconnected"]
        )
        const refused = yield* Effect.flip(journal.commit([started(seeded, transaction("FULL-1"))]))
        assert.deepStrictEqual([refused._tag, "reason" in refused && refused.reason], ["StorageUnavailable", "full"])
        room = Effect.fail(new StorageUnavailable({ reason: "full", message: "half is used" }))
        const late = yield* Effect.flip(directory.open(opening(seeded, "FULL-1")))
        assert.strictEqual(late.message, "half is used")
      }).pipe(Effect.provide(context), Effect.ensuring(Effect.ignore(sql`SET default_transaction_read_only = off`)))
    }).pipe(Effect.scoped)
  )
})
