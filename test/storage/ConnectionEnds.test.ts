/** Every reader sees the same end of a connection: that in memory until it is stored, and the end of the lease of a node that is gone. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Presence } from "../../src/domain/charger/Presence.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import * as Nodes from "../../src/storage/charging/Nodes.ts"
import { forEachDriver } from "../support/databases.ts"
import { endDue } from "../support/endedCommands.ts"
import { freshId, seedChargers } from "../support/journalFacts.ts"
import { besideRepositories } from "../support/repositories.ts"

const ports = Layer.mergeAll(
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 1000 }),
  besideRepositories
)

const minute = 60_000
/** Long past, so that a wrong use of the current time is noticed. */
const october = Date.UTC(2025, 9, 1)
const afterwards = october + 60 * minute

let made = 0

/** A charger that has connected to a node of its own, with one connector that is available. */
const aCharger = Effect.gen(function* () {
  const chargerId = `ENDS-${++made}`
  const nodeId = `ends-${made}`
  const { organisationId } = yield* seedChargers([chargerId])
  const layer = ChargerDirectoryStorage.layer({
    nodeId,
    maxBatch: 100,
    maxQueue: 100,
    maxCards: 1000,
    maxCardBytes: 1_000_000
  })
  const directory = yield* Effect.provide(ChargerDirectory, yield* Layer.build(layer))
  const opening = {
    chargerId,
    organisationId,
    ocppVersion: "1.6",
    securityProfile: 0,
    remoteAddress: "192.0.2.7",
    at: october
  } as const
  const epoch = (yield* directory.open(opening))?.epoch ?? 0
  yield* (yield* Journal).commit([
    {
      type: "ConnectorStatusChanged",
      key: freshId(),
      organisationId,
      chargerId,
      epoch,
      at: october,
      heardAt: october,
      body: {
        evseId: 1,
        connectorId: 1,
        status: "Available",
        rawStatus: "Available",
        errorCode: "NoError",
        info: undefined,
        vendorId: undefined,
        vendorErrorCode: undefined
      }
    }
  ])
  return { chargerId, directory, epoch, nodeId, opening, organisationId }
})

type World = Effect.Success<typeof aCharger>

/** When a node's lease ran out, in minutes of October. */
const leaseEnds = (nodeId: string, at: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO node (node_id, started_at, lease_until) VALUES (${nodeId}, ${new Date(october)}, ${new Date(at)})
      ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until`
  )

const minutes = (at: number | undefined) => at && (at - october) / minute

/** The end of a charger's only connection as each reader reports it, in minutes: the record, the history, the uptime, the fact. */
const reported = ({ chargerId, organisationId }: World) =>
  Effect.gen(function* () {
    const history = yield* ChargerHistory
    const { offlineSince } = yield* (yield* Chargers).get(organisationId, chargerId)
    const [connection] = (yield* history.connections(organisationId, chargerId, { limit: 5 })).items
    const uptime = yield* history.uptime(organisationId, { limit: 5, chargerId, month: "2025-10" }, afterwards)
    const sql = yield* SqlClient.SqlClient
    const facts = yield* sql<{ at: Date }>`
      SELECT at FROM journal WHERE type = 'ChargerDisconnected' AND subject = ${`charger:${chargerId}`}`
    return {
      record: minutes(offlineSince),
      history: minutes(connection?.disconnectedAt),
      offlineMinutes: (uptime.items[0]?.offlineSeconds ?? 0) / 60,
      facts: facts.map(({ at }) => minutes(at.getTime())),
      reason: connection?.reason
    }
  })

const goneReason = "the node that held the connection is gone"

forEachDriver("the end of a connection", ports, (it) => {
  it.effect("is the same in history and uptime before and after it is stored", () =>
    Effect.gen(function* () {
      const presence = yield* Presence
      const world = yield* aCharger
      const { chargerId, directory, epoch, nodeId, organisationId } = world
      yield* leaseEnds(nodeId, Date.now() + 60 * minute)
      presence.opened(chargerId, epoch)
      const open = { record: undefined, history: undefined, offlineMinutes: 0, facts: [], reason: undefined }
      assert.deepStrictEqual(yield* reported(world), open)
      const end = { at: october + 20 * minute, reason: "the line broke off" }
      presence.closed(chargerId, epoch, end)
      const known = { ...open, history: 20, offlineMinutes: 40, reason: end.reason }
      assert.deepStrictEqual(yield* reported(world), known)
      yield* directory.close({ chargerId, organisationId, epoch, ...end })
      const stored = { ...known, record: 20, facts: [20] }
      assert.deepStrictEqual(yield* reported(world), stored)
      presence.stored(chargerId, epoch)
      assert.deepStrictEqual(yield* reported(world), stored)
    }).pipe(Effect.scoped)
  )

  it.effect("belongs to the connection that memory knows, and not to a newer one", () =>
    Effect.gen(function* () {
      const presence = yield* Presence
      const world = yield* aCharger
      const { chargerId, directory, epoch, nodeId, opening, organisationId } = world
      yield* leaseEnds(nodeId, Date.now() + 60 * minute)
      presence.opened(chargerId, epoch)
      const end = { at: october + 20 * minute, reason: "the line broke off" }
      presence.closed(chargerId, epoch, end)
      yield* directory.close({ chargerId, organisationId, epoch, ...end })
      // Its handshake came before the older connection was found to be gone; memory does not know of it yet.
      yield* directory.open({ ...opening, at: october + 19 * minute })
      const { items } = yield* (yield* ChargerHistory).connections(organisationId, chargerId, { limit: 5 })
      assert.deepStrictEqual(
        items.map(({ connectedAt, disconnectedAt }) => [minutes(connectedAt), minutes(disconnectedAt)]),
        [
          [19, undefined],
          [0, 20]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is the end of its node's lease, before and after its commands are given up", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* leaseEnds(world.nodeId, october + 30 * minute)
      const gone = { record: 30, history: 30, offlineMinutes: 30, facts: [], reason: goneReason }
      assert.deepStrictEqual(yield* reported(world), gone)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO command (id, organisation_id, charger_id, type, parameters, command, status, issued_by, created_at, sent_at, sent_epoch)
        VALUES (${freshId()}::text::uuid, ${world.organisationId}, ${world.chargerId}, 'Reset', '{}', '{}', 'Sent', 'test',
          ${new Date(october)}, ${new Date(october)}, ${world.epoch}::float8::bigint)`
      yield* endDue(october + 50 * minute)
      assert.deepStrictEqual(yield* reported(world), { ...gone, facts: [30] })
    }).pipe(Effect.scoped)
  )

  it.effect("is still the end of its node's old lease once the node has started again", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* leaseEnds(world.nodeId, october + 30 * minute)
      const gone = yield* reported(world)
      yield* Layer.build(Nodes.layer({ nodeId: world.nodeId, leaseMillis: 60_000 }))
      const reason = "the service ended without a farewell"
      assert.deepStrictEqual(yield* reported(world), { ...gone, facts: [30], reason })
    }).pipe(Effect.scoped)
  )

  it.effect("is the restart of its node where the lease has not run out, since it counted as open until then", () =>
    Effect.gen(function* () {
      const world = yield* aCharger
      yield* leaseEnds(world.nodeId, Date.now() + 60 * minute)
      const before = Date.now()
      yield* Layer.build(Nodes.layer({ nodeId: world.nodeId, leaseMillis: 60_000 }))
      const { facts, history, record } = yield* reported(world)
      assert.isAtLeast(Number(record), Number(minutes(before)))
      assert.isAtMost(Number(record), Number(minutes(Date.now())))
      assert.deepStrictEqual([history, facts], [record, [record]])
    }).pipe(Effect.scoped)
  )
})
