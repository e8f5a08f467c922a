/** Applies the ends of commands to the local lists that they were about: read, decided by the domain, and written in one statement. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { beginsList, type ListRecord, listAfter, type LocalListEnd } from "../../domain/command/LocalListEnd.ts"
import { textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import type { EndedCommand } from "./EndedCommands.ts"
import { keptListStates } from "../../domain/command/LocalLists.ts"

const ListRow = Schema.Struct({
  chargerId: Schema.String,
  organisationId: Schema.String,
  version: Schema.Int,
  syncedSeq: Whole,
  fillTo: Whole,
  needsFull: Schema.Boolean,
  state: Schema.Literals(keptListStates),
  checkedEpoch: optional(Whole),
  checkedAt: optional(Millis),
  pendingVersion: optional(Schema.Int),
  pendingSeq: optional(Whole),
  pendingFill: optional(Whole),
  pendingFull: Schema.Boolean,
  attempts: Schema.Int,
  nextLookAt: Millis,
  updatedAt: Millis,
  reason: optional(Schema.String)
})
const listRows = rowsOf(ListRow)

const recordOf = (row: typeof ListRow.Type): ListRecord => {
  const { chargerId: _, organisationId: __, pendingFill, pendingFull, pendingSeq, pendingVersion, ...list } = row
  if (pendingVersion === undefined) return { ...list, pending: undefined }
  const pending = { version: pendingVersion, seq: pendingSeq ?? 0, fillTo: pendingFill ?? 0, full: pendingFull }
  return { ...list, pending }
}

/** Creates the record of a list that is not managed, with the first answer that says something about it. */
const begin = (sql: SqlClient.SqlClient, ends: ReadonlyArray<LocalListEnd>) =>
  ends.length === 0
    ? Effect.void
    : sql`
        INSERT INTO local_list (charger_id, organisation_id, looked_at, next_look_at, updated_at)
        SELECT c.charger_id, c.organisation_id, x.at, x.at, x.at
        FROM unnest(${textArray(ends.map((end) => end.chargerId))}, ${uuidArray(ends.map((end) => end.organisationId))},
          ${timestamptzArray(ends.map((end) => end.completedAt))}) AS x(charger_id, organisation_id, at)
        JOIN charger c ON c.charger_id = x.charger_id AND c.organisation_id = x.organisation_id
        ON CONFLICT (charger_id) DO NOTHING`

/** Locks the rows, since the background loop of lists writes them without the journal's lock. */
const select = (sql: SqlClient.SqlClient, chargers: ReadonlyArray<string>) =>
  listRows(sql`
    SELECT charger_id AS "chargerId", organisation_id AS "organisationId", version, synced_seq AS "syncedSeq", fill_to AS "fillTo",
      needs_full AS "needsFull", state, checked_epoch AS "checkedEpoch", checked_at AS "checkedAt", pending_version AS "pendingVersion",
      pending_seq AS "pendingSeq", pending_fill AS "pendingFill", pending_full AS "pendingFull", attempts, next_look_at AS "nextLookAt",
      updated_at AS "updatedAt", reason
    FROM local_list WHERE charger_id = ANY (${textArray(chargers)}) ORDER BY charger_id FOR UPDATE`)

const write = (sql: SqlClient.SqlClient, lists: ReadonlyMap<string, ListRecord>) => sql`
  UPDATE local_list l SET version = x.version, synced_seq = x."syncedSeq", fill_to = x."fillTo", needs_full = x."needsFull", state = x.state,
    checked_epoch = x."checkedEpoch", checked_at = to_timestamp(x."checkedAt" / 1000), pending_version = x."pendingVersion",
    pending_seq = x."pendingSeq", pending_fill = x."pendingFill", pending_full = coalesce(x."pendingFull", false), attempts = x.attempts,
    next_look_at = to_timestamp(x."nextLookAt" / 1000), updated_at = to_timestamp(x."updatedAt" / 1000), reason = x.reason
  FROM jsonb_to_recordset(${JSON.stringify(
    [...lists].map(([chargerId, { pending, ...list }]) => ({
      ...list,
      chargerId,
      pendingVersion: pending?.version,
      pendingSeq: pending?.seq,
      pendingFill: pending?.fillTo,
      pendingFull: pending?.full
    }))
  )}::text::jsonb) AS x("chargerId" text, version int, "syncedSeq" bigint, "fillTo" bigint, "needsFull" boolean, state text,
    "checkedEpoch" bigint, "checkedAt" float8, "pendingVersion" int, "pendingSeq" bigint, "pendingFill" bigint, "pendingFull" boolean,
    attempts int, "nextLookAt" float8, "updatedAt" float8, reason text)
  WHERE l.charger_id = x."chargerId"`

const isAboutList = (end: EndedCommand): end is EndedCommand & LocalListEnd =>
  end.type === "SendLocalList" || end.type === "GetLocalListVersion"

/** Applies the ends of commands to the lists that they were about. */
export const followLists = (sql: SqlClient.SqlClient, ended: ReadonlyArray<EndedCommand>) =>
  Effect.gen(function* () {
    const ends = ended.filter(isAboutList)
    if (ends.length === 0) return
    yield* begin(sql, ends.filter(beginsList))
    const rows = yield* select(
      sql,
      ends.map((end) => end.chargerId)
    )
    const known = new Map(rows.map((row) => [row.chargerId, row]))
    const lists = new Map<string, ListRecord>()
    for (const end of ends) {
      const row = known.get(end.chargerId)
      if (row?.organisationId !== end.organisationId) continue
      lists.set(end.chargerId, listAfter(lists.get(end.chargerId) ?? recordOf(row), end))
    }
    if (lists.size > 0) yield* write(sql, lists)
  })
