/**
 * How long a charger may remember the answer to a start stands with the session, as the group of its card does, so that a repeat of the start is
 * answered in full. Of sessions from before it is not known, and their repeats are answered without it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Change, changeFunction } from "./changeFunction.ts"

const column = `ALTER TABLE session ADD COLUMN authorized_until timestamptz`

const commit: ReadonlyArray<Change> = [
  [
    "created_at, updated_at, reservation_id, partner_id, roaming)\n",
    "created_at, updated_at, reservation_id, partner_id, roaming, authorized_until)\n"
  ],
  [
    "(x.roaming ->> 'partnerId')::uuid, x.roaming\n",
    "(x.roaming ->> 'partnerId')::uuid, x.roaming, to_timestamp(x.auth_until / 1000)\n"
  ],
  [
    "meter bigint, reservation int, roaming jsonb)\n",
    "meter bigint, reservation int, roaming jsonb, auth_until float8)\n"
  ],
  [
    "'authorization', s.authorization_status, 'superseded'",
    "'authorization', s.authorization_status, 'authorizedUntil', extract(epoch FROM s.authorized_until) * 1000, 'parentUid', s.parent_uid, 'superseded'"
  ]
]

export const authorizedUntil = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(column)
  yield* changeFunction(sql, "journal_commit", commit)
})
