/** Local lists in the database after the ends of commands about them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ListRecord } from "../../src/domain/command/LocalListEnd.ts"
import { forEachDatabase } from "../support/databases.ts"
import { endCommand } from "../support/endedCommands.ts"
import { freshId, noon, seedChargers, type Seeded } from "../support/journalFacts.ts"
import { firstEnds, listBefore, listCases, type ListEnd } from "../support/listEnds.ts"

const date = (ms: number | undefined) => (ms === undefined ? null : new Date(ms))

const store = ({ organisationId }: Seeded, chargerId: string, list: ListRecord) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO local_list (charger_id, organisation_id, version, synced_seq, fill_to, needs_full, state, checked_epoch, checked_at,
        pending_version, pending_seq, pending_fill, pending_full, attempts, looked_at, next_look_at, updated_at, reason)
      VALUES (${chargerId}, ${organisationId}::uuid, ${list.version}, ${list.syncedSeq}::int, ${list.fillTo}::int, ${list.needsFull}, ${list.state},
        ${list.checkedEpoch ?? null}::int, ${date(list.checkedAt)}, ${list.pending?.version ?? null}::int, ${list.pending?.seq ?? null}::int,
        ${list.pending?.fillTo ?? null}::int, ${list.pending?.full ?? false}, ${list.attempts}, ${new Date(noon)}, ${date(list.nextLookAt)},
        ${date(list.updatedAt)}, ${list.reason ?? null})`
  )

const stored = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const millis = (column: string) => sql`(extract(epoch FROM ${sql(column)}) * 1000)::float8`
    const rows = yield* sql<Record<string, unknown>>`
      SELECT version, synced_seq::int AS "syncedSeq", fill_to::int AS "fillTo", needs_full AS "needsFull", state,
        checked_epoch::int AS "checkedEpoch", ${millis("checked_at")} AS "checkedAt", CASE WHEN pending_version IS NOT NULL THEN
          json_build_object('version', pending_version, 'seq', pending_seq, 'fillTo', pending_fill, 'full', pending_full) END AS pending,
        attempts, ${millis("next_look_at")} AS "nextLookAt", ${millis("updated_at")} AS "updatedAt", reason
      FROM local_list WHERE charger_id = ${chargerId}`
    const [row] = rows
    if (row === undefined) return undefined
    return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value ?? undefined]))
  })

const end = ({ organisationId }: Seeded, chargerId: string, ended: ListEnd) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    const { answer, by, errorCode, listVersion, reportedVersion, sentAt, sentEpoch, status, type } = ended
    yield* sql`
      INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, sent_epoch)
      VALUES (${id}::uuid, ${organisationId}::uuid, ${chargerId}, ${type}, 'Sent', ${JSON.stringify({ listVersion })}::text::jsonb, '{}', ${by},
        ${new Date(noon)}, ${sentEpoch ?? null}::int)`
    yield* endCommand(id, {
      status,
      result: { status: answer, errorCode, listVersion: reportedVersion },
      at: noon,
      sentAt
    })
  })

forEachDatabase("local lists after the end of a command", (it) => {
  it.effect("are stored as the shared cases expect", () =>
    Effect.gen(function* () {
      const ids = listCases.map((_, n) => `LIST-${n}`)
      const seeded = yield* seedChargers(ids)
      for (const [n, one] of listCases.entries()) {
        const chargerId = ids[n]!
        const before = { ...listBefore, ...one.before }
        yield* store(seeded, chargerId, before)
        yield* end(seeded, chargerId, one.end)
        assert.deepStrictEqual(yield* stored(chargerId), { ...before, ...one.after, reason: one.reason }, one.name)
      }
    })
  )

  it.effect("begin with the first end that reveals something, only for chargers of the organisation", () =>
    Effect.gen(function* () {
      const ids = firstEnds.map((_, n) => `LIST-NEW-${n}`)
      const seeded = yield* seedChargers(ids)
      for (const [n, [ended, begins]] of firstEnds.entries()) {
        yield* end(seeded, ids[n]!, ended)
        assert.strictEqual((yield* stored(ids[n]!)) !== undefined, begins, JSON.stringify(ended))
      }
      const other = yield* seedChargers(["LIST-OTHER", "LIST-OTHER-2"])
      yield* end(seeded, "LIST-OTHER", firstEnds[0]![0])
      assert.isUndefined(yield* stored("LIST-OTHER"))
      yield* store(other, "LIST-OTHER-2", listBefore)
      yield* end(seeded, "LIST-OTHER-2", firstEnds[0]![0])
      assert.deepStrictEqual(yield* stored("LIST-OTHER-2"), { ...listBefore })
    })
  )
})
