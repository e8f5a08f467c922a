/** A database of an older version holds locations as they were given, and calls reservations rejected that no charger was asked for. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrate } from "../../src/storage/Migrations.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import { forEachDatabase } from "../support/databases.ts"
import { freshId, noon, seedChargers } from "../support/journalFacts.ts"

const at = new Date(noon)

const locations = [
  ["GetDiagnostics", { location: "ftp://user:s3cr3t@host/up" }, { location: "ftp://user:***@host/up" }],
  [
    "GetLog",
    { logType: "SecurityLog", log: { remoteLocation: "https://h/up?sig=s3cr3t" } },
    { logType: "SecurityLog", log: { remoteLocation: "https://h/up?***" } }
  ],
  ["UpdateFirmware", { location: "https://h/files/down/s3cr3t/a" }, { location: "https://h/files/down/***/a" }],
  [
    "SignedUpdateFirmware",
    { firmware: { location: "https://h:8080/a@b?v=2", signature: "token=x" } },
    { firmware: { location: "https://h:8080/a@b?v=2", signature: "token=x" } }
  ]
] as const

forEachDatabase(
  "The commands of an older version",
  (it) => {
    it.effect("lose what opens their locations, and reservations that were never asked for have failed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(Object.fromEntries(Object.entries(migrations).filter(([key]) => key < "0021")))
        const { organisationId } = yield* seedChargers(["OLD-1"])
        const issue = Effect.fnUntraced(function* (
          type: string,
          parameters: object,
          status: string,
          sentAt: Date | null
        ) {
          const id = freshId()
          const text = JSON.stringify(parameters)
          yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at)
            VALUES (${id}, ${organisationId}, 'OLD-1', ${type}, 'Pending', ${text}::text::jsonb, ${text}::text::jsonb, 'test', ${at})`
          yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
            VALUES (substring(sha256(convert_to('command-issued|' || ${id}::text, 'UTF8')) for 16), ${organisationId}, 'Noted', 'charger:OLD-1',
              ${at}, ${at}, ${text}::text::json)`
          const result = status === "Accepted" ? { status } : { errorCode: "NotSupported" }
          yield* sql`UPDATE command SET status = ${status}, sent_at = ${sentAt}, completed_at = ${at},
            result = ${JSON.stringify(result)}::text::jsonb WHERE id = ${id}`
          return id
        })
        const ids: Array<string> = []
        for (const [type, parameters] of locations) ids.push(yield* issue(type, parameters, "Accepted", at))
        const waiting = yield* issue("GetDiagnostics", locations[0][1], "Pending", null)
        const reserved = { reservationId: 1, place: { evseId: 1, connectorId: 1 }, tokenUid: "A", expiresAt: noon }
        yield* issue("ReserveNow", { ...reserved, reservationId: 1 }, "Failed", null)
        yield* issue("ReserveNow", { ...reserved, reservationId: 2 }, "Failed", at)
        yield* migrate(migrations)
        for (const [n, [type, , shown]] of locations.entries()) {
          const rows = yield* sql`SELECT m.command, m.parameters, j.body FROM command m
            JOIN journal j ON j.key = substring(sha256(convert_to('command-issued|' || m.id, 'UTF8')) for 16) WHERE m.id = ${ids[n] ?? ""}`
          assert.deepStrictEqual(rows, [{ command: shown, parameters: shown, body: shown }], type)
        }
        const [still] = yield* sql`SELECT command, parameters FROM command WHERE id = ${waiting}`
        assert.deepStrictEqual(still, { command: locations[0][1], parameters: locations[0][2] })
        const reservations = yield* sql`SELECT status FROM reservation ORDER BY reservation_id`
        assert.deepStrictEqual(reservations, [{ status: "Failed" }, { status: "Rejected" }])
      })
    )
  },
  { migrations: {} }
)
