/**
 * How PostgreSQL plans the lists of a roaming partner, with enough rows that it has a choice: a page along the partner's own index, a span of changes
 * along that of times, and no whole table however large the offset is.
 */
import { assert, expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { RoamingCdrs } from "../../src/domain/cdr/RoamingCdrs.ts"
import { RoamingSessions } from "../../src/domain/session/RoamingSessions.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { textArray } from "../../src/storage/kernel/Arrays.ts"
import { drivers } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { planOf, rowsReadBy, type SentStatement, statementsOf } from "../support/statements.ts"

const rows = 20_000
const minute = 60_000

/** One of twenty partners. */
const partnerOf = (n: number) => uuid7(noon, new Uint8Array(10).fill(n))
const partnerId = partnerOf(1)

/** Each partner has a twentieth of the sessions, each made and changed a minute after the previous one. */
const fill = (ours: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = new Date(noon)
    const site = partnerOf(99)
    const others = Array.from({ length: 20 }, (_, n) => partnerOf(n + 1))
    const id = sql`(left(uuid_at(${now}::timestamptz + n * interval '1 minute')::text, 14) || '7000-b000-' || lpad(to_hex(n), 12, '0'))::uuid`
    const owner = sql`(${textArray(others)}::text[])[1 + n % 20]::uuid`
    yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
        token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh,
        created_at, updated_at, partner_id, roaming)
      SELECT ${id}, ${ours.id}, 'C', ${site}, 1, 1, n::text, '1.6', 'Card', 'card', 'COMPLETED', 'Accepted', 'RoamingToken',
        ${now}, ${now}, ${now}, 0, ${now}, ${now}, ${owner}, '{}'
      FROM generate_series(1, ${rows}) n`
    yield* sql`UPDATE session_roaming w SET last_updated = ${now}::timestamptz + x.n * interval '1 minute'
      FROM (SELECT session_id, row_number() OVER (ORDER BY session_id) AS n FROM session_roaming) x WHERE x.session_id = w.session_id`
    yield* sql`INSERT INTO cdr (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, body, issued_at,
        partner_id, stored_at)
      SELECT gen_random_uuid(), ${ours.id}, row_number() OVER (), id, 0, charger_id, site_id, ${now}, ${now}, '{}', ${now}, partner_id,
        ${now}::timestamptz + row_number() OVER () * interval '1 second'
      FROM session`
    yield* sql`ANALYZE`
  })

const plansOf = (statements: ReadonlyArray<SentStatement>) => Effect.forEach(statements, planOf)

/** The other tables have no rows here. */
const wholeTable = /Seq Scan on (?:session|session_roaming|cdr)\b/

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(repositories, driver.layer), { excludeTestServices: true, timeout: "120 seconds" })(
    `Plans of partners' lists on ${driver.name}`,
    (it) => {
      let ours: TestOrganisation

      it.effect("are asked of a database with rows", () =>
        Effect.gen(function* () {
          ours = yield* anOrganisation
          yield* fill(ours)
        })
      )

      it.effect("pages of sessions are read in their order, and spans of changes along the times", () =>
        Effect.gen(function* () {
          const sessions = yield* RoamingSessions
          const scope = { organisationId: ours.id, partnerId }
          for (const offset of [0, 900]) {
            const sent = yield* statementsOf(Effect.exit(sessions.window(scope, { offset, limit: 50 })))
            const [count = "", keys = "", page = ""] = yield* plansOf(sent)
            expect(`${count}${keys}${page}`).not.toMatch(wholeTable)
            expect(keys).toContain("session_roaming_order")
            expect(page).toMatch(/Index Scan using session_(?:pkey|organisation)/)
          }
          const from = noon + (rows - 100) * minute
          const window = { from, to: from + 60 * minute, offset: 0, limit: 50 }
          const [count = "", keys = "", page = ""] = yield* plansOf(
            yield* statementsOf(Effect.exit(sessions.window(scope, window)))
          )
          expect(count).toContain("session_roaming_updated")
          expect(keys).toContain("session_roaming_updated")
          expect(`${count}${keys}${page}`).not.toMatch(wholeTable)
        })
      )

      it.effect("sessions made long before or after a span of changes are not read", () =>
        Effect.gen(function* () {
          const sessions = yield* RoamingSessions
          const middle = noon + (rows / 2) * minute
          // 500 of the partner's sessions were made before, and as many after; the same number within 25 hours of the middle.
          for (const asked of [
            { from: middle, offset: 0 },
            { from: middle, to: middle + 1440 * minute, offset: 70 },
            { to: middle, offset: 480 }
          ]) {
            const window = sessions.window({ organisationId: ours.id, partnerId }, { ...asked, limit: 50 })
            const [, keys] = yield* statementsOf(Effect.exit(window))
            assert(keys !== undefined)
            expect(yield* rowsReadBy(keys)).toBeLessThan("from" in asked ? 250 : 600)
          }
        })
      )

      it.effect("a page of sessions is planned once", () =>
        Effect.gen(function* () {
          const sessions = yield* RoamingSessions
          const sql = yield* SqlClient.SqlClient
          const pages = Effect.gen(function* () {
            for (let n = 0; n < 12; n++) {
              yield* Effect.exit(sessions.window({ organisationId: ours.id, partnerId }, { offset: n, limit: 50 }))
            }
            return yield* sql<{ kept: number }>`
              SELECT max(generic_plans)::int AS kept FROM pg_prepared_statements
              WHERE statement LIKE ${'%"isBehind"%'} AND statement NOT LIKE 'EXPLAIN%'`
          })
          // On one connection, since it keeps its plans.
          expect((yield* sql.withTransaction(pages))[0]?.kept).toBeGreaterThan(5)
        })
      )

      it.effect("pages of records are read in their order, also without credit records", () =>
        Effect.gen(function* () {
          const cdrs = yield* RoamingCdrs
          for (const takesCredits of [true, false]) {
            const taken = { organisationId: ours.id, partnerId, takesCredits }
            const from = noon + (rows - 100) * 1000
            for (const offset of [0, 900]) {
              const sent = yield* statementsOf(Effect.exit(cdrs.window(taken, { offset, limit: 50 })))
              const [count = "", page = ""] = yield* plansOf(sent)
              expect(page).toContain("cdr_partner")
              expect(count).toContain("cdr_partner")
            }
            const sent = yield* statementsOf(Effect.exit(cdrs.window(taken, { from, offset: 0, limit: 50 })))
            for (const plan of yield* plansOf(sent)) {
              expect(plan).toContain("cdr_partner_stored")
              expect(plan).not.toMatch(wholeTable)
            }
            // However far back it begins, rows stored before are not read.
            for (const offset of [0, 300]) {
              const half = { from: noon + (rows / 2) * 1000, offset, limit: 50 }
              const [, page = ""] = yield* plansOf(yield* statementsOf(Effect.exit(cdrs.window(taken, half))))
              expect(page).toContain("cdr_partner_stored")
            }
          }
        })
      )

      it.effect("the lists of a partner in REST use the partner's indexes", () =>
        Effect.gen(function* () {
          const sessions = yield* Sessions
          const cdrs = yield* Cdrs
          const lists: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, string]> = [
            [Effect.exit(sessions.list(ours.id, { limit: 50, partnerId })), "session_partner"],
            [Effect.exit(cdrs.list(ours.id, { limit: 50, partnerId })), "cdr_partner"]
          ]
          for (const [list, index] of lists) {
            for (const plan of yield* plansOf(yield* statementsOf(list))) expect(plan).toContain(index)
          }
        })
      )
    }
  )
}
