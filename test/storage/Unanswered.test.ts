/** Commands that no charger will answer: which of them end, when, and with which message. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import { forEachDriver } from "../support/databases.ts"
import { endDue } from "../support/endedCommands.ts"
import { freshId, noon, seedChargers, type Seeded } from "../support/journalFacts.ts"
import { repositories } from "../support/repositories.ts"

const world = Layer.provideMerge(
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "unanswered" }),
  repositories
)

const hour = 3_600_000

interface Stored {
  readonly status: "Pending" | "Sent"
  readonly expiresAt?: number
  readonly epoch?: number
}

const store = (seeded: Seeded, chargerId: string, { epoch, expiresAt, status }: Stored) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    yield* sql`
      INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, expires_at, sent_at, sent_epoch)
      VALUES (${id}::uuid, ${seeded.organisationId}::uuid, ${chargerId}, 'Reset', ${status}, '{}', '{}', 'test', ${new Date(noon)},
        ${expiresAt === undefined ? null : new Date(expiresAt)}, ${status === "Sent" ? new Date(noon) : null}, ${epoch ?? null}::float8::bigint)`
    return id
  })

const ends = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found: Array<unknown> = []
    for (const id of ids) {
      const rows = yield* sql<Record<string, unknown>>`
        SELECT m.status, m.result ->> 'errorCode' AS code, m.result ->> 'errorDescription' AS text, m.completed_at IS NOT NULL AS ended,
          (SELECT count(*)::int FROM journal j WHERE j.type = 'CommandAnswered' AND j.body ->> 'commandId' = m.id::text
            AND j.body ->> 'status' = m.status AND j.body ->> 'type' = m.type AND j.subject = 'charger:' || m.charger_id) AS facts
        FROM command m WHERE m.id = ${id}::uuid`
      const { code, ended, facts, status, text } = rows[0] ?? {}
      assert.strictEqual(facts, ended === true ? 1 : 0, String(status))
      found.push(ended === true ? [status, code, text] : status)
    }
    return found
  })

const lost = ["Failed", "ConnectionLost", "the connection ended before the charger answered; the outcome is unknown"]
const offline = [
  "Failed",
  "NotConnected",
  "the charger is not connected, so the command was not sent. Give expiresIn to let it wait for a connection"
]
const late = ["Expired", "Expired", "the charger did not connect in time, so the command was not sent"]

const opening = (seeded: Seeded, chargerId: string) => ({
  chargerId,
  organisationId: seeded.organisationId,
  ocppVersion: "1.6",
  securityProfile: 0 as const,
  remoteAddress: "192.0.2.7",
  at: noon
})

forEachDriver("a command that no charger will answer", world, (it) => {
  it.effect("ends with its connection when it was sent or may not wait for another one", () =>
    Effect.gen(function* () {
      const directory = yield* ChargerDirectory
      const seeded = yield* seedChargers(["UN-1", "UN-2"])
      const { epoch } = (yield* directory.open(opening(seeded, "UN-1")))!
      const waits = { status: "Pending", expiresAt: Date.now() + hour } as const
      const ids = [
        yield* store(seeded, "UN-1", { status: "Sent", epoch }),
        yield* store(seeded, "UN-1", { status: "Sent", epoch, expiresAt: noon }),
        yield* store(seeded, "UN-1", { status: "Pending" }),
        yield* store(seeded, "UN-1", waits)
      ]
      const others = [
        yield* store(seeded, "UN-2", { status: "Sent", epoch: 1 }),
        yield* store(seeded, "UN-2", { status: "Pending" })
      ]
      const second = (yield* directory.open(opening(seeded, "UN-1")))!
      assert.deepStrictEqual(yield* ends(ids), [lost, lost, "Pending", "Pending"])
      const sent = yield* store(seeded, "UN-1", { status: "Sent", epoch: second.epoch })
      const closing = { chargerId: "UN-1", organisationId: seeded.organisationId, at: noon, reason: "gone" }
      yield* directory.close({ ...closing, epoch })
      assert.deepStrictEqual(yield* ends([...ids, sent]), [lost, lost, "Pending", "Pending", "Sent"], "a late close")
      yield* directory.close({ ...closing, epoch: second.epoch })
      assert.deepStrictEqual(yield* ends([...ids, sent]), [lost, lost, offline, "Pending", lost])
      assert.deepStrictEqual(yield* ends(others), ["Sent", "Pending"])
    })
  )

  it.effect("expires when it has waited for as long as it may", () =>
    Effect.gen(function* () {
      const directory = yield* ChargerDirectory
      const seeded = yield* seedChargers(["UN-3"])
      const { epoch } = (yield* directory.open(opening(seeded, "UN-3")))!
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES ('unanswered', now(), ${new Date(noon + hour)})
        ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until`
      const ids = [
        yield* store(seeded, "UN-3", { status: "Pending", expiresAt: noon + 60_000 }),
        yield* store(seeded, "UN-3", { status: "Pending", expiresAt: noon + 60_001 }),
        yield* store(seeded, "UN-3", { status: "Pending" }),
        yield* store(seeded, "UN-3", { status: "Sent", expiresAt: noon + 60_000, epoch })
      ]
      yield* endDue(noon + 60_000)
      assert.deepStrictEqual(yield* ends(ids), [late, "Pending", "Pending", "Sent"])
    })
  )

  it.effect("ends a minute after the lease of the node that held its connection", () =>
    Effect.gen(function* () {
      const directory = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["UN-4"])
      const { epoch } = (yield* directory.open(opening(seeded, "UN-4")))!
      yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES ('unanswered', now(), ${new Date(noon)})
        ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until`
      const ids = [
        yield* store(seeded, "UN-4", { status: "Sent", epoch }),
        yield* store(seeded, "UN-4", { status: "Pending" }),
        yield* store(seeded, "UN-4", { status: "Pending", expiresAt: noon + hour })
      ]
      yield* endDue(noon + 60_000)
      assert.deepStrictEqual(yield* ends(ids), ["Sent", "Pending", "Pending"])
      yield* endDue(noon + 60_001)
      assert.deepStrictEqual(yield* ends(ids), [lost, offline, "Pending"])
    })
  )

  it.effect("stays open after an outage that outlasted the lease of the process which still holds the connection", () =>
    Effect.gen(function* () {
      const directory = yield* ChargerDirectory
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["UN-5", "UN-6"])
      const { epoch } = (yield* directory.open(opening(seeded, "UN-5")))!
      const now = Date.now()
      yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES ('unanswered', now(), ${new Date(now - 120_000)})
        ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until`
      const ids = [
        yield* store(seeded, "UN-5", { status: "Sent", epoch }),
        yield* store(seeded, "UN-5", { status: "Pending" })
      ]
      const overdue = yield* store(seeded, "UN-6", { status: "Pending", expiresAt: now - 1 })
      // The sweep that ends the overdue command has also decided about the others.
      const swept = Effect.flatMap(Commands, ({ wait }) => wait(seeded.organisationId, overdue, 30_000))
      const options = { ...limits.commands, tls: true, clientCertificates: true, nodeId: "unanswered" }
      yield* Effect.provide(swept, CommandsStorage.layer(options))
      assert.deepStrictEqual(yield* ends([overdue, ...ids]), [late, "Sent", "Pending"])
      const [connection] = yield* sql`SELECT closed_at FROM connection WHERE charger_id = 'UN-5'`
      assert.deepStrictEqual(connection, { closed_at: null })
    })
  )
})
