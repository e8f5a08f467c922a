/**
 * The port `Authorizations` over SQL. What decides on a card is read with the same statement that a charger's actor uses. Past decisions on
 * an Authorize are in the journal, and those on a start are in its session.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { attemptKinds, Authorizations, type CardWanted } from "../../domain/token/Authorizations.ts"
import { authorizationSources, authorizationStatuses } from "../../domain/token/Authorization.ts"
import { tokenKey, type TokenFacts } from "../../domain/token/Token.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { pagedList } from "../kernel/Cursor.ts"
import { Millis, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { findTokens } from "./TokenLookups.ts"

const policyRow = rowOf(
  Schema.Struct({
    unknownTokens: Schema.Literals(["Refuse", "Accept"]),
    concurrentTransactions: Schema.Literals(["Refuse", "Allow"])
  })
)

const nameRows = rowsOf(Schema.Struct({ id: Schema.String, name: Schema.String }))

const attemptRows = rowsOf(
  Schema.Struct({
    at: Millis,
    chargerId: Schema.String,
    kind: Schema.Literals(attemptKinds),
    status: Schema.Literals(authorizationStatuses),
    source: Schema.Literals(authorizationSources)
  })
)

const partnersOf = ({ askable = [], granted = [], roaming }: TokenFacts): ReadonlyArray<string> => [
  ...new Set([...roaming.map(({ partnerId }) => partnerId), ...granted.map(({ partnerId }) => partnerId), ...askable])
]

const strict = { unknownTokens: "Refuse", concurrentTransactions: "Refuse" } as const

const evidence = (sql: SqlClient.SqlClient) =>
  Effect.fn("Authorizations.evidence")(function* (organisationId: string, wanted: CardWanted, now: number) {
    const own = scopedTo(sql, organisationId)
    const { chargerId = "", tokenUid } = wanted
    const policy = yield* guarded(
      policyRow(own`
        SELECT o.unknown_tokens AS "unknownTokens", o.concurrent_transactions AS "concurrentTransactions"
        FROM organisation o WHERE ${own.itself("o")}`)
    )
    const [found] = unstorableText(tokenUid)
      ? []
      : yield* findTokens(sql)([{ organisationId, tokenUid, chargerId, at: now }])
    const facts: TokenFacts = found ?? { token: undefined, reservations: [], roaming: [], openSessions: [] }
    const names = yield* guarded(
      nameRows(
        own`SELECT p.id, p.name FROM partner p WHERE ${own.rowsOf("p")} AND p.id = ANY (${uuidArray(partnersOf(facts))})`
      )
    )
    const partnerNames = new Map(names.map(({ id, name }) => [id, name]))
    return { facts, policy: policy ?? strict, partnerNames }
  })

/** How many of a card's newest attempts are searched for those at one charger. */
const lookedAt = 1_000

const attemptsOf = (sql: SqlClient.SqlClient, own: Scoped, { chargerId, tokenUid }: CardWanted, limit: number) => {
  const key = tokenKey(tokenUid)
  const here = chargerId === undefined ? sql`` : sql`AND x."chargerId" = ${chargerId}`
  // Without a charger every attempt matches, so no more are read than are shown.
  const authorizationsLookedAt = chargerId === undefined ? limit : lookedAt
  return own`
    SELECT * FROM (
      (SELECT * FROM (
        SELECT j.heard_at AS at, substr(j.subject, 9) AS "chargerId", 'Authorize' AS kind,
          j.body #>> '{authorization,status}' AS status, j.body #>> '{authorization,source}' AS source
        FROM journal j
        WHERE ${own.rowsOf("j")} AND j.type = 'TokenAuthorized' AND lower(j.body ->> 'tokenUid') = ${key}
        ORDER BY j.position DESC LIMIT ${authorizationsLookedAt}
      ) x WHERE true ${here} ORDER BY x.at DESC LIMIT ${limit})
      UNION ALL
      -- An index has the ids of the card's newest sessions. Ids are in the order in which starts were heard, so that of the rows only those are read
      -- that are shown (LIMIT 1 keeps the planner from joining): starts that were heard of late are among the newest by id, and not by their time.
      (SELECT x.at, x."chargerId", x.kind, x.status, x.source FROM (
        SELECT m.id FROM (
          SELECT i.id FROM session i WHERE ${own.rowsOf("i")} AND i.token_key = ${key} ORDER BY i.started_at DESC, i.id DESC LIMIT ${lookedAt}
        ) m ORDER BY m.id DESC
      ) n CROSS JOIN LATERAL (
        SELECT s.created_at AS at, s.charger_id AS "chargerId", 'Start' AS kind, s.authorization_status AS status,
          s.authorization_source AS source, s.reservation_only
        FROM session s WHERE ${own.rowsOf("s")} AND s.id = n.id LIMIT 1
      ) x WHERE NOT x.reservation_only ${here} ORDER BY n.id DESC LIMIT ${limit})
    ) a ORDER BY a.at DESC, a.kind LIMIT ${limit}`
}

const ListedRow = Schema.Struct({
  position: Whole,
  at: Millis,
  chargerId: Schema.String,
  tokenUid: Schema.String,
  kind: Schema.Literals(attemptKinds),
  status: Schema.Literals(authorizationStatuses),
  source: Schema.Literals(authorizationSources)
})
const listedRows = rowsOf(ListedRow)
const pages = pagedList("authorizations", Schema.Int, (row: typeof ListedRow.Type) => row.position)

/** The conditions and the order are exactly those of the indexes; otherwise the planner does not use them. */
const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Authorizations.list")(function* (
    organisationId: string,
    request: PageRequest & { readonly refused: boolean }
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const refused = request.refused ? sql`AND (j.body #>> '{authorization,status}') <> 'Accepted'` : sql``
    const rows = yield* guarded(
      listedRows(own`
        SELECT j.position, j.heard_at AS at, substr(j.subject, 9) AS "chargerId", j.body ->> 'tokenUid' AS "tokenUid",
          CASE j.type WHEN 'SessionStarted' THEN 'Start' ELSE 'Authorize' END AS kind,
          j.body #>> '{authorization,status}' AS status, j.body #>> '{authorization,source}' AS source
        FROM journal j
        WHERE ${own.rowsOf("j")} AND j.type IN ('TokenAuthorized', 'SessionStarted') ${refused}
          ${after === undefined ? sql`` : sql`AND - j.position > - ${after}::float8::bigint`}
        ORDER BY - j.position LIMIT ${pages.rows(request)}`)
    )
    return pages.page(request, rows, ({ position, ...row }) => ({ id: String(position), ...row }))
  })

export const layer: Layer.Layer<Authorizations, never, SqlClient.SqlClient> = Layer.effect(
  Authorizations,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Authorizations.of({
      evidence: evidence(sql),
      list: list(sql),
      attempts: Effect.fn("Authorizations.attempts")((organisationId, wanted, limit) =>
        unstorableText(wanted.tokenUid)
          ? Effect.succeed([])
          : guarded(attemptRows(attemptsOf(sql, scopedTo(sql, organisationId), wanted, limit)))
      )
    })
  )
)
