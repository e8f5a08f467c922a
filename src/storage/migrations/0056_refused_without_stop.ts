/**
 * A session whose card was refused, which took nothing and for which no stop came, ends when its connector is free again or another start
 * follows. Like one that is superseded it waits for its own stop, which may still come and takes that end's place.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Change, changeFunction } from "./changeFunction.ts"

/** Of the ends of sessions in `journal_commit`. */
const changes: ReadonlyArray<Change> = [
  [
    `UPDATE session s SET status = 'COMPLETED', superseded = false, ended_at`,
    `UPDATE session s SET status = 'COMPLETED', superseded = coalesce(x.unheard, false), ended_at`
  ],
  [
    `energy bigint, reason text, held text)
    WHERE s.id = x.id AND (v_all OR x.ord = ANY (fresh));`,
    `energy bigint, reason text, held text, unheard boolean)
    WHERE s.id = x.id AND (x.unheard IS NOT TRUE OR s.ended_at IS NULL) AND (v_all OR x.ord = ANY (fresh));`
  ]
]

export const refusedWithoutStop = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  changeFunction(sql, "journal_commit", changes)
)
