/** Finished commands are deleted after their retention, oldest first; those still needed stay, and so do reservations with a session. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { commandTypes } from "../../src/domain/command/Kinds.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { forgetCommands, maintain } from "../../src/storage/kernel/Partitions.ts"
import { forEachDatabase } from "../support/databases.ts"
import { freshId } from "../support/journalFacts.ts"
import { usualRetention } from "../support/retention.ts"

const now = Date.UTC(2029, 5, 15, 12)
const limit = Date.UTC(2027, 4, 15, 12)

let made = 0
const idAt = (at: number): string => uuid7(at, new Uint8Array(10).fill(++made))

const addCommand = (name: string, type: string, at: number, status = "Accepted") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = idAt(at)
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at)
      VALUES (${id}, ${freshId()}::uuid, 'C', ${type}, ${status}, '{}', '{}', ${name}, ${new Date(at)})`
    return id
  })

const addReservation = (
  name: string,
  at: number,
  more: {
    readonly id?: string
    readonly status?: string
    readonly sessionId?: string
    readonly expiresAt?: number
  } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, expires_at, status,
        session_id, created_at, updated_at)
      VALUES (${more.id ?? idAt(at)}, ${freshId()}::uuid, 'C', 1, 1, ${name}, ${new Date(more.expiresAt ?? at)}, ${more.status ?? "Expired"},
        ${more.sessionId ?? null}::uuid, ${new Date(at)}, ${new Date(at)})`
  })

const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commands = yield* sql<{ name: string }>`SELECT issued_by AS name FROM command ORDER BY turn`
  const reservations = yield* sql<{ name: string }>`SELECT token_uid AS name FROM reservation ORDER BY command_id`
  return [...commands, ...reservations].map(({ name }) => name)
})

const cleared = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM command`
  yield* sql`DELETE FROM reservation`
})

forEachDatabase("commands older than their retention", (it) => {
  it.effect("are deleted, except those that wait and those whose outcome is still needed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const old = limit - 1000
      yield* addCommand("old stop", "RemoteStop", old)
      yield* addCommand("old failure", "Reset", old, "Failed")
      yield* addCommand("waits", "Reset", old, "Pending")
      yield* addCommand("out of service", "ChangeAvailability", old)
      yield* addCommand("certificates", "GetInstalledCertificateIds", old)
      yield* addCommand("young stop", "RemoteStop", limit + 1000)
      const password = yield* addCommand("password", "ChangeConfiguration", old, "TimedOut")
      const site = freshId()
      const organisation = freshId()
      yield* sql`INSERT INTO organisation (id, name, country_code, party_id, created_at) VALUES (${organisation}, 'O', 'NL', 'ORG', now())`
      yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
        VALUES (${site}, ${organisation}, 'S', 'UTC', now(), now())`
      yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
        VALUES ('C', ${organisation}, ${site}, 'C', 1, now(), now())`
      yield* sql`INSERT INTO charger_pending (command_id, charger_id, verifier) VALUES (${password}, 'C', '')`
      const rolled = yield* addCommand("rolled out", "Reset", old, "Failed")
      const rollout = freshId()
      yield* sql`INSERT INTO rollout (id, organisation_id, kind, name, state, type, sealed, parameters, plan, targets,
          created_by, created_by_person, created_at, ends_at)
        VALUES (${rollout}, ${organisation}, 'CommandBatch', 'R', 'Paused', 'Reset', '', '{}', '{}', 1, 'o', 'o', now(), now())`
      yield* sql`INSERT INTO rollout_target (rollout_id, organisation_id, turn, charger_id, state, command_id)
        VALUES (${rollout}, ${organisation}, 1, 'C', 'Issued', ${rolled})`
      yield* addReservation("used", old, { sessionId: freshId(), status: "Used" })
      yield* addReservation("expired", old)
      yield* addReservation("in force", old, { status: "Active" })
      yield* addReservation("young", limit + 1000)
      yield* maintain(sql, usualRetention, now)
      assert.deepStrictEqual(yield* left, [
        "waits",
        "out of service",
        "certificates",
        "young stop",
        "password",
        "rolled out",
        "used",
        "in force",
        "young"
      ])
      yield* cleared
    })
  )

  it.effect("are deleted whatever their type, except transfers and those whose last answer describes the charger", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const type of commandTypes) yield* addCommand(type, type, limit - 1000)
      yield* maintain(sql, usualRetention, now)
      assert.deepStrictEqual(yield* left, [
        "ChangeAvailability",
        "GetDiagnostics",
        "UpdateFirmware",
        "GetLocalListVersion",
        "SendLocalList",
        "SetChargingProfile",
        "ClearChargingProfile",
        "GetCompositeSchedule",
        "CertificateSigned",
        "DeleteCertificate",
        "GetInstalledCertificateIds",
        "GetLog",
        "InstallCertificate",
        "SignedUpdateFirmware"
      ])
      yield* cleared
    })
  )

  it.effect("are kept while the reservation that they made may be in force, or ended lately", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const old = limit - 1000
      const reserve = (name: string, more: Parameters<typeof addReservation>[2]) =>
        Effect.flatMap(addCommand(`${name}: command`, "ReserveNow", old), (id) =>
          addReservation(name, old, { ...more, id })
        )
      yield* reserve("used", { status: "Used", sessionId: freshId() })
      yield* reserve("active", { status: "Active" })
      yield* reserve("unknown", { status: "Unknown" })
      yield* reserve("pending", { status: "Pending" })
      yield* reserve("cancelled lately", { status: "Cancelled", expiresAt: limit + 1000 })
      yield* reserve("expired", {})
      yield* maintain(sql, usualRetention, now)
      const kept = ["active", "unknown", "pending", "cancelled lately"]
      assert.deepStrictEqual(yield* left, [...kept.map((name) => `${name}: command`), "used", ...kept])
      yield* cleared
    })
  )

  it.effect("are deleted in the same run as nodes that are long gone and have no connections", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const day = 86_400_000
      const add = (name: string, until: number) =>
        sql`INSERT INTO node (node_id, started_at, lease_until) VALUES (${name}, ${new Date(until)}, ${new Date(until)})`
      yield* add("gone", now - 31 * day)
      yield* add("gone lately", now - 29 * day)
      yield* add("gone with a charger", now - 31 * day)
      const [charger] = yield* sql<{
        organisation_id: string
      }>`SELECT organisation_id FROM charger WHERE charger_id = 'C'`
      yield* sql`INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at)
        VALUES ('C', ${charger?.organisation_id ?? ""}, 'gone with a charger', 1, '1.6', 0, '', now())`
      yield* maintain(sql, usualRetention, now)
      const rows = yield* sql<{ name: string }>`SELECT node_id AS name FROM node WHERE node_id LIKE 'gone%' ORDER BY 1`
      assert.deepStrictEqual(
        rows.map(({ name }) => name),
        ["gone lately", "gone with a charger"]
      )
    })
  )

  it.effect("are deleted in slices until none is left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 5; n++) yield* addCommand(`old ${n}`, "RemoteStop", limit - 10_000 + n)
      for (let n = 0; n < 3; n++) yield* addReservation(`expired ${n}`, limit - 10_000 + n)
      yield* addCommand("young", "RemoteStop", limit + 1)
      assert.strictEqual(yield* forgetCommands(sql, limit, 2), 8)
      assert.deepStrictEqual(yield* left, ["young"])
      yield* cleared
    })
  )
})
