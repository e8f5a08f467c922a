/**
 * How PostgreSQL plans the repositories' statements for a page of a list and for a look-up, with enough rows that it has a choice: along an index up
 * to the end of the page, without reading a whole table or sorting it.
 */
import { assert, expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AccessStorage from "../../src/storage/operators/Access.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { Events } from "../../src/domain/event/Events.ts"
import { Webhooks } from "../../src/domain/event/Webhooks.ts"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Drifts } from "../../src/domain/charger/Drifts.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { type SessionFilter, Sessions } from "../../src/domain/session/Sessions.ts"
import { Authorizations } from "../../src/domain/token/Authorizations.ts"
import { Search } from "../../src/domain/search/Search.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { Work } from "../../src/domain/work/Work.ts"
import { drivers } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { planOf, rowsReadBy, type SentStatement, statementsOf } from "../support/statements.ts"

const rows = 6000

const free = { exclVat: 0, inclVat: 0 }

/** The body of a record. */
const sealed = {
  currency: "EUR",
  total: free,
  costs: { fixed: free, energy: free, time: free, parking: free, reservation: free },
  energyWh: 0,
  durationMillis: 0,
  parkingMillis: 0,
  periods: [],
  tariff: { id: "t", version: 1, currency: "EUR", elements: [] },
  timeZone: "UTC",
  evseId: 1,
  connectorId: 1,
  transactionId: "1",
  ocppVersion: "1.6",
  tokenUid: "Card",
  authorizationSource: "LocalToken",
  meterStartWh: 0
}

/** True for about one row in `of`; for different rows with another `rest`. */
const oneOf = (sql: SqlClient.SqlClient, of: number, rest: number) =>
  sql`abs(hashtext(id::text)::bigint) % ${of}::int = ${rest}::int`

/** Half of the rows belong to the organisation, so that no index is chosen only because it is selective. */
const fill = (ours: TestOrganisation, theirs: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = new Date(noon)
    const owner = sql`CASE WHEN n % 2 = 0 THEN ${ours.id}::uuid ELSE ${theirs.id}::uuid END`
    yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      SELECT gen_random_uuid(), ${owner}, 'Site', 'UTC', ${now}, ${now} FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
      SELECT 'C' || n, s.organisation_id, s.id, 'Charger', 0, ${now}, ${now}
      FROM (SELECT *, row_number() OVER () AS n FROM site) s`
    yield* sql`INSERT INTO configuration_drift (charger_id, organisation_id, keys, since)
      SELECT charger_id, organisation_id, 1, ${now} FROM charger`
    yield* sql`INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, status_at, heard_at)
      SELECT charger_id, e, 1, 'Available', 'Available', ${now}, ${now} FROM charger, generate_series(0, 2) e`
    yield* sql`INSERT INTO token (organisation_id, uid_key, uid, type, status, created_at, updated_at)
      SELECT ${owner}, 'card' || n, 'Card' || n, 'RFID', 'Accepted', ${now}, ${now} FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO api_key (id, organisation_id, operator_id, name, public_id, prefix, verifier, created_at)
      SELECT gen_random_uuid(), ${ours.id}, ${ours.operatorId}, 'Key', 'many' || n, 'vl', '', ${now} FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
        token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh,
        created_at, updated_at)
      SELECT gen_random_uuid(), c.organisation_id, c.charger_id, c.site_id, 1, 1, n::text, '1.6', 'Card', 'card',
        CASE WHEN n % 500 = 0 THEN 'ACTIVE' ELSE 'COMPLETED' END, 'Accepted', 'LocalToken', ${now}, ${now},
        CASE WHEN n % 500 = 0 THEN NULL ELSE ${now}::timestamptz END, 0, ${now}, ${now}
      FROM charger c, generate_series(1, 3) n`
    yield* sql`INSERT INTO meter (charger_id, at, key, organisation_id, session_id, evse_id, connector_id, heard_at, samples)
      SELECT s.charger_id, ${now}::timestamptz + n * interval '1 minute', convert_to(s.transaction_id || n, 'UTF8'), s.organisation_id,
        s.id, 1, 1, ${now}, '[]'
      FROM (SELECT * FROM session ORDER BY id DESC LIMIT 20) s, generate_series(1, 1000) n`
    yield* sql`INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status)
      SELECT c.charger_id, e, 1, ${now}::timestamptz + n * interval '1 hour', ${now}, n, c.organisation_id, 'Available'
      FROM (SELECT * FROM charger ORDER BY charger_id LIMIT 400) c, generate_series(0, 2) e, generate_series(1, 50) n`
    yield* sql`INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, ocpp_version, security_profile, remote_address)
      SELECT c.charger_id, ${now}::timestamptz + n * interval '1 hour', n, c.organisation_id, '1.6', 0, '192.0.2.7'
      FROM (SELECT * FROM charger ORDER BY charger_id LIMIT 20) c, generate_series(1, 2000) n`
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, completed_at)
      SELECT gen_random_uuid(), c.organisation_id, c.charger_id, CASE WHEN n = 1 THEN 'ChangeAvailability' ELSE 'Reset' END, 'Accepted',
        '{"availability": "Operative", "place": {"evseId": 0, "connectorId": 0}}', '{}', 'operator', ${now}, ${now}
      FROM charger c, generate_series(1, 4) n`
    yield* sql`INSERT INTO session_price (session_id, organisation_id, based_on, differs, price)
      SELECT id, organisation_id, ${now}, ${oneOf(sql, 500, 0)}, json_build_object('currency', 'EUR', 'exclVat', CASE WHEN ${oneOf(sql, 500, 0)} THEN 1 ELSE 0 END,
        'inclVat', 0, 'periods', '{}'::text[]) FROM session`
    // A tenth has been held once; few still are, for each of the three reasons.
    yield* sql`UPDATE session SET held_reason = 'RegisterFell' WHERE ${oneOf(sql, 10, 1)} OR ${oneOf(sql, 500, 2)}`
    yield* sql`UPDATE session SET ended_at = NULL, closed_as_of = updated_at WHERE ${oneOf(sql, 500, 3)}`
    yield* sql`INSERT INTO session_review (session_id, organisation_id, updated_at, released_at, held_reason)
      SELECT id, organisation_id, ${now}, CASE WHEN ${oneOf(sql, 10, 1)} THEN ${now}::timestamptz END,
        CASE WHEN ${oneOf(sql, 500, 4)} THEN 'DurationImplausible' END FROM session`
    yield* sql`INSERT INTO cdr (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, body, issued_at)
      SELECT gen_random_uuid(), organisation_id, row_number() OVER (PARTITION BY organisation_id), id, 0, charger_id, site_id, ${now}, ${now},
        ${JSON.stringify(sealed)}::text::jsonb, ${now} FROM session`
    // One fact in a hundred is ours: a reader of the feed skips the others.
    yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), CASE WHEN n % 100 = 0 THEN ${ours.id}::uuid ELSE ${theirs.id}::uuid END,
        'TokenCreated', 'token:' || n, ${now}, ${now}, json_build_object('after', json_build_object('uid', n::text))
      FROM generate_series(1, 20000) n`
    // Each organisation has a few webhooks.
    yield* sql`INSERT INTO organisation (id, name, country_code, party_id, created_at)
      SELECT gen_random_uuid(), 'Other', 'QX', 'H' || n, ${now} FROM generate_series(1, 120) n`
    yield* sql`INSERT INTO subscription (id, organisation_id, kind, active, position)
      SELECT gen_random_uuid(), o.id, 'webhook', true, 0 FROM organisation o, generate_series(1, 50) n`
    // So many that reading all of them costs far more than a page, whichever half of the ids it needs.
    yield* sql`INSERT INTO subscription (id, organisation_id, kind, active, position)
      SELECT gen_random_uuid(), ${theirs.id}::uuid, 'partner', true, 0 FROM generate_series(1, 20000) n`
    yield* sql`INSERT INTO webhook (id, organisation_id, url, secret, created_at, updated_at)
      SELECT id, organisation_id, 'https://hooks.example/', '', ${now}, ${now} FROM subscription WHERE kind = 'webhook'`
    yield* sql`INSERT INTO webhook_delivered (webhook_id, slot, organisation_id, item_id, event_id, type, position, tries, http_status, due_at,
        delivered_at)
      SELECT w.id, n, w.organisation_id, gen_random_uuid(), n::text, 'token.changed', n, 1, 204, ${now}, ${now}
      FROM (SELECT * FROM webhook WHERE organisation_id = ${ours.id}) w, generate_series(1, 400) n`
    yield* sql`INSERT INTO subscription_object (subscription_id, organisation_id, kind, object_id, lane, item_id, position, since, due_at,
        next_at, parked_at)
      SELECT w.id, w.organisation_id, 'event', n::text, n::text, gen_random_uuid(), n, n, ${now}, CASE WHEN n % 2 = 0 THEN ${now}::timestamptz END,
        CASE WHEN n % 2 = 1 THEN ${now}::timestamptz END
      FROM (SELECT * FROM webhook WHERE organisation_id = ${ours.id}) w, generate_series(1, 400) n`
    yield* sql`ANALYZE`
  })

/** A table read whole, except those that have only a handful of rows here. */
const wholeTable =
  /Seq Scan on (?!(?:organisation|node|connection|charger_configuration|charger_seen|charger_equipment|charger_evse|membership|role|operator|reservation|session_roaming)\b)/

const expectIndexed = (statements: ReadonlyArray<SentStatement>, index?: string) =>
  Effect.gen(function* () {
    for (const statement of statements) {
      const plan = yield* planOf(statement)
      expect(plan).not.toMatch(wholeTable)
      expect(plan).not.toMatch(/^(?:Limit\n\s+->\s+)?Sort$/m)
    }
    if (index !== undefined) expect(yield* planOf(statements.at(-1) ?? { text: "", values: [] })).toContain(index)
  })

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(repositories, driver.layer), { excludeTestServices: true, timeout: "120 seconds" })(
    `Plans on ${driver.name}`,
    (it) => {
      let ours: TestOrganisation

      it.effect("are asked of a database with rows", () =>
        Effect.gen(function* () {
          ours = yield* anOrganisation
          yield* fill(ours, yield* anOrganisation)
        })
      )

      it.effect("pages of sites, tokens and keys are read along their key", () =>
        Effect.gen(function* () {
          const sites = yield* Sites
          const tokens = yield* Tokens
          const access = yield* Access
          const lists: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, string]> = [
            [sites.list(ours.id, { limit: 50 }), "site_organisation"],
            [tokens.list(ours.id, { limit: 50 }), "token_pkey"],
            [access.listKeys(ours.id, { limit: 50 }), "api_key_organisation"]
          ]
          for (const [list, index] of lists) yield* expectIndexed(yield* statementsOf(list), index)
          const { nextCursor } = yield* sites.list(ours.id, { limit: 50 })
          const next = sites.list(ours.id, { limit: 50, cursor: nextCursor ?? "" })
          yield* expectIndexed(yield* statementsOf(next), "site_organisation")
        })
      )

      it.effect(
        "pages of chargers, of the organisation or a site, are read along their key with their connectors",
        () =>
          Effect.gen(function* () {
            const chargers = yield* Chargers
            const page = yield* chargers.list(ours.id, { limit: 50 })
            const siteId = page.items[0]?.siteId
            yield* expectIndexed(yield* statementsOf(chargers.list(ours.id, { limit: 50 })), "charger_organisation")
            const next = chargers.list(ours.id, { limit: 50, cursor: page.nextCursor ?? "" })
            yield* expectIndexed(yield* statementsOf(next), "charger_organisation")
            yield* expectIndexed(yield* statementsOf(chargers.list(ours.id, { limit: 50, siteId })), "charger_site")
            const chargerId = page.items[0]?.chargerId ?? ""
            yield* expectIndexed(yield* statementsOf(chargers.get(ours.id, chargerId)))
          })
      )

      it.effect(
        "pages of charger rows, of the organisation or a site, are read along their key with connectors and sessions",
        () =>
          Effect.gen(function* () {
            const chargers = yield* Chargers
            const page = yield* chargers.summaries(ours.id, { limit: 50 })
            const rows = (more: object) => statementsOf(chargers.summaries(ours.id, { limit: 50, ...more }))
            yield* expectIndexed(yield* rows({}), "charger_organisation")
            yield* expectIndexed(yield* rows({ cursor: page.nextCursor ?? "" }), "charger_organisation")
            yield* expectIndexed(yield* rows({ siteId: page.items[0]?.siteId }), "charger_site")
          })
      )

      it.effect("pages of configuration drifts are read along an index, which is also used to count them", () =>
        Effect.gen(function* () {
          const drifts = yield* Drifts
          const work = yield* Work
          const index = "configuration_drift_organisation"
          const { nextCursor } = yield* drifts.list(ours.id, { limit: 50 })
          for (const more of [{}, { cursor: nextCursor ?? "" }]) {
            yield* expectIndexed(yield* statementsOf(drifts.list(ours.id, { limit: 50, ...more })), index)
          }
          // Those of an organisation that has half of all may be read sequentially, up to the number that is counted.
          const { id: others } = yield* anOrganisation
          yield* expectIndexed(yield* statementsOf(work.counts(others, ["configurationDrifts"])), index)
        })
      )

      it.effect("pages of charge detail records are read along their number, whatever the filter", () =>
        Effect.gen(function* () {
          const cdrs = yield* Cdrs
          const page = yield* cdrs.list(ours.id, { limit: 50 })
          const { chargerId, id, sessionId, siteId } = page.items[0]!
          yield* expectIndexed(yield* statementsOf(cdrs.list(ours.id, { limit: 50 })), "cdr_organisation_id_number_key")
          const next = cdrs.list(ours.id, { limit: 50, cursor: page.nextCursor ?? "" })
          yield* expectIndexed(yield* statementsOf(next), "cdr_organisation_id_number_key")
          yield* expectIndexed(yield* statementsOf(cdrs.list(ours.id, { limit: 50, siteId })), "cdr_site")
          yield* expectIndexed(yield* statementsOf(cdrs.list(ours.id, { limit: 50, chargerId })), "cdr_charger")
          yield* expectIndexed(yield* statementsOf(cdrs.get(ours.id, id)), "cdr_organisation_id on cdr")
          const dated = { limit: 50, from: noon - 1, to: noon + 1 }
          yield* expectIndexed(yield* statementsOf(cdrs.list(ours.id, dated)), "cdr_started")
          const [ofSession] = yield* statementsOf(cdrs.list(ours.id, { limit: 50, sessionId }))
          assert.include(yield* planOf(ofSession!), "cdr_of_session")
        })
      )

      it.effect("pages of sessions are read newest first along an index, whatever the filter", () =>
        Effect.gen(function* () {
          const sessions = yield* Sessions
          const page = yield* sessions.list(ours.id, { limit: 50 })
          const one = page.items[0]
          const list = (filter: Parameters<typeof sessions.list>[1]) => statementsOf(sessions.list(ours.id, filter))
          yield* expectIndexed(yield* list({ limit: 50 }), "session_organisation")
          yield* expectIndexed(yield* list({ limit: 50, cursor: page.nextCursor ?? "" }), "session_organisation")
          yield* expectIndexed(yield* list({ limit: 50, from: noon, to: noon + 1 }), "session_started")
          yield* expectIndexed(yield* list({ limit: 50, status: "COMPLETED" }), "session_organisation")
          for (const statement of yield* list({ limit: 50, chargerId: one?.chargerId })) {
            expect(yield* planOf(statement)).toContain("session_charger")
          }
          const running = { chargerId: one?.chargerId, transactionId: one?.transactionId, status: "ACTIVE" } as const
          for (const statement of yield* list({ limit: 1, ...running })) {
            expect(yield* planOf(statement)).toContain("session_charger_id_transaction_id_key")
          }
          for (const statement of yield* list({ limit: 50, status: "ACTIVE" })) {
            expect(yield* planOf(statement)).not.toMatch(wholeTable)
          }
          const second = (filter: SessionFilter) =>
            Effect.map(sessions.list(ours.id, { limit: 1, ...filter }), ({ nextCursor }) => ({
              cursor: nextCursor ?? ""
            }))
          const [afterHeld, afterDiffering] = [yield* second({ held: true }), yield* second({ needsCorrection: true })]
          for (const more of [{}, afterHeld, { from: noon }]) {
            const [held] = yield* list({ limit: 50, held: true, ...more })
            assert(held !== undefined)
            const plan = yield* planOf(held)
            expect(plan).not.toMatch(wholeTable)
            expect(plan).toContain("session_held")
            expect(plan).toContain("session_review_held")
            // Each is looked up, without reading all sessions to find them.
            expect(plan).toMatch(/\bid = ANY \(/)
          }
          for (const more of [{}, afterDiffering, { from: noon }]) {
            yield* expectIndexed(yield* list({ limit: 50, needsCorrection: true, ...more }), "session_price_differing")
          }
          yield* expectIndexed(yield* list({ limit: 50, held: false }), "session_organisation")
          yield* expectIndexed(yield* list({ limit: 50, needsCorrection: false }), "session_organisation")
          yield* expectIndexed(yield* statementsOf(sessions.readings(ours.id, one?.id ?? "", { limit: 50 })))
        })
      )

      it.effect("a charger's history and the uptime of a month are read along their keys", () =>
        Effect.gen(function* () {
          const history = yield* ChargerHistory
          const chargers = yield* Chargers
          const { items } = yield* chargers.list(ours.id, { limit: 50 })
          const chargerId = items[0]?.chargerId ?? ""
          const connectors = (more: object) => history.connectors(ours.id, chargerId, { limit: 50, ...more })
          const { nextCursor } = yield* connectors({})
          assert(nextCursor !== null)
          for (const more of [
            {},
            { cursor: nextCursor },
            { from: noon, to: noon + 1 },
            { evseId: 1, connectorId: 1 }
          ]) {
            const [statement] = yield* statementsOf(connectors(more))
            const plan = statement === undefined ? "" : yield* planOf(statement)
            expect(plan).not.toMatch(wholeTable)
            // At most a page for each of the charger's connectors is sorted, and each of them is read in order.
            expect(plan).toMatch(/Limit\n\s+->\s+Index Scan Backward using connector_history_pkey/)
          }
          const connections = (more: object) => history.connections(ours.id, chargerId, { limit: 50, ...more })
          const cursor = (yield* connections({})).nextCursor ?? ""
          yield* expectIndexed(yield* statementsOf(connections({})), "connection_history_pkey")
          yield* expectIndexed(yield* statementsOf(connections({ cursor })), "connection_history_pkey")
          const uptime = (more: object) =>
            history.uptime(ours.id, { limit: 50, month: "2026-05", ...more }, noon + 90 * 24 * 60 * 60 * 1000)
          const after = (yield* uptime({})).nextCursor ?? ""
          // Years of availability changes before the month, of which only the last one counts.
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, completed_at)
            SELECT gen_random_uuid(), ${ours.id}, ${chargerId}, 'ChangeAvailability', 'Accepted',
              '{"place": {"evseId": 1, "connectorId": 1}, "availability": "Operative"}', '{}', 'operator', t, t
            FROM generate_series(${new Date(noon)}::timestamptz - interval '700 days', ${new Date(noon)}, interval '1 day') t`
          const [, , , , one] = yield* statementsOf(uptime({ chargerId, month: "2026-07" }))
          expect(one === undefined ? Infinity : yield* rowsReadBy(one)).toBeLessThan(10)
          for (const more of [{}, { cursor: after }, { siteId: items[0]?.siteId }, { chargerId }]) {
            const [, page, statuses, connected, orders] = yield* statementsOf(uptime(more))
            assert(page !== undefined && statuses !== undefined && connected !== undefined && orders !== undefined)
            // The few connectors of one charger may be sorted, if the planner prefers it; a list of them may not.
            if ("chargerId" in more) expect(yield* planOf(page)).not.toMatch(wholeTable)
            else yield* expectIndexed([page])
            expect(yield* planOf(statuses)).toContain("connector_history_pkey")
            // Of the rows between the beginning and the end, only the troubles are read.
            expect(yield* planOf(statuses)).toContain("connector_history_troubled")
            expect(yield* planOf(connected)).toContain("connection_history_pkey")
            expect(yield* planOf(orders)).toContain("command_availability")
            for (const one of [statuses, connected, orders]) expect(yield* planOf(one)).not.toMatch(wholeTable)
          }
          const range = { from: noon, to: noon + 24 * 60 * 60 * 1000, stepMillis: 60 * 60 * 1000 }
          for (const more of [{}, { siteId: items[0]?.siteId }, { chargerId }]) {
            const [list, statuses, connected, orders] = yield* statementsOf(
              history.availability(ours.id, { ...range, ...more }, range.to)
            )
            assert(list !== undefined && statuses !== undefined && connected !== undefined && orders !== undefined)
            for (const one of [statuses, connected, orders]) expect(yield* planOf(one)).not.toMatch(wholeTable)
            expect(yield* planOf(statuses)).toContain("connector_history_troubled")
          }
        })
      )

      it.effect(
        "search finds cards, sessions and records by an index of their beginnings, and attempts by their card's",
        () =>
          Effect.gen(function* () {
            const search = yield* Search
            const page = yield* (yield* Sessions).list(ours.id, { limit: 1 })
            const id = page.items[0]?.id.slice(0, 13) ?? ""
            const wanted = {
              token: "token_uid_begins",
              session: "session_transaction_begins",
              cdr: "cdr_organisation_id on cdr"
            } as const
            for (const kind of ["token", "session", "cdr"] as const) {
              const [statement] = yield* statementsOf(search.find(ours.id, kind === "token" ? "card20" : id, [kind]))
              assert(statement !== undefined)
              const plan = yield* planOf(statement)
              expect(plan).not.toMatch(wholeTable)
              expect(plan).toContain(wanted[kind])
            }
            const authorizations = yield* Authorizations
            const card = { tokenUid: "Card2", chargerId: undefined }
            const [attempts] = yield* statementsOf(authorizations.attempts(ours.id, card, 20))
            assert(attempts !== undefined)
            const plan = yield* planOf(attempts)
            expect(plan).not.toMatch(wholeTable)
            expect(plan).toContain("journal_authorizations")
            expect(plan).toContain("session_token")
          })
      )

      it.effect("a caller, a card and a session are each found by an index", () =>
        Effect.gen(function* () {
          const sessions = yield* Sessions
          const tokens = yield* Tokens
          // The fibers that look up keys belong to the layer, so it is built where statements are recorded.
          const lookUp = Effect.gen(function* () {
            const { findKey } = yield* Effect.provide(Access, yield* Layer.build(Layer.fresh(AccessStorage.layer)))
            yield* findKey("many1")
          }).pipe(Effect.scoped)
          yield* expectIndexed(yield* statementsOf(lookUp), "api_key_public_id_key")
          const [card] = yield* statementsOf(tokens.get(ours.id, "Card2"))
          assert(card !== undefined)
          // Both indexes have the uid; the planner uses either.
          expect(yield* planOf(card)).toMatch(/token_pkey|token_uid_begins/)
          const page = yield* sessions.list(ours.id, { limit: 1 })
          yield* expectIndexed(yield* statementsOf(sessions.get(ours.id, page.items[0]?.id ?? "")))
        })
      )

      it.effect("webhooks, their deliveries and the feed are read along their keys", () =>
        Effect.gen(function* () {
          const [events, webhooks] = [yield* Events, yield* Webhooks]
          const page = yield* webhooks.list(ours.id, { limit: 20 })
          const id = page.items[0]?.id ?? ""
          yield* expectIndexed(yield* statementsOf(webhooks.list(ours.id, { limit: 20 })), "webhook_organisation")
          const next = webhooks.list(ours.id, { limit: 20, cursor: page.nextCursor ?? "" })
          yield* expectIndexed(yield* statementsOf(next), "webhook_organisation")
          for (const status of [undefined, "Pending", "Parked", "Delivered"] as const) {
            for (const statement of yield* statementsOf(webhooks.deliveries(ours.id, id, { limit: 50, status }))) {
              // Only one webhook's rows are sorted: a bounded queue, and a ring.
              expect(yield* planOf(statement)).not.toMatch(wholeTable)
            }
          }
          for (const position of [0, 15_000]) {
            const after = { position, index: undefined }
            for (const more of [{}, { chargerId: "C1" }, { siteId: id }, { types: ["token.changed"] as const }]) {
              const [statement] = yield* statementsOf(events.page(ours.id, { after, limit: 5, ...more }))
              assert(statement !== undefined)
              const plan = yield* planOf(statement)
              expect(plan).not.toMatch(wholeTable)
              expect(plan).toContain("journal_pkey")
            }
          }
        })
      )

      it.effect("a series of a site or charger does not search all earlier sessions for long ones", () =>
        Effect.gen(function* () {
          const [chargers, sql] = [yield* Chargers, yield* SqlClient.SqlClient]
          const { items } = yield* chargers.list(ours.id, { limit: 1 })
          assert(items[0] !== undefined)
          const { chargerId, siteId } = items[0]
          const hourly = sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid,
              token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh, created_at, updated_at)
            SELECT gen_random_uuid(), ${ours.id}, ${chargerId}, ${siteId}, 1, 1, 'hour' || n, '1.6', 'Card', 'hourly', 'COMPLETED', 'Accepted',
              'LocalToken', t, t, t + interval '30 minutes', 0, t, t
            FROM generate_series(1, 3000) n CROSS JOIN LATERAL (SELECT ${new Date(noon)}::timestamptz - n * interval '1 hour' AS t) x`
          // Without the triggers, which would each search the earlier sessions.
          const without = Effect.andThen(sql`SET LOCAL session_replication_role = replica`, hourly)
          yield* sql.withTransaction(without)
          yield* sql`ANALYZE session`
          const hour = 60 * 60 * 1000
          const range = { from: noon - 12 * hour, to: noon - 6 * hour }
          for (const scope of [{ siteId }, { chargerId }]) {
            for (const statement of yield* statementsOf(chargers.sessionWindows(ours.id, { ...range, ...scope }))) {
              expect(yield* rowsReadBy(statement)).toBeLessThan(150)
            }
          }
        })
      )

      it.effect("today's sessions and the running ones are counted without reading all sessions", () =>
        Effect.gen(function* () {
          const chargers = yield* Chargers
          const [, figures] = yield* statementsOf(chargers.statistics(ours.id, noon + 36 * 60 * 60 * 1000))
          const plan = figures === undefined ? "" : yield* planOf(figures)
          // Running sessions by any index that contains them; only the overall total reads all sessions.
          expect(plan).toMatch(/session_(?:open|charger_open|ended)/)
          expect((plan.match(/Seq Scan on session\b/g) ?? []).length).toBeLessThanOrEqual(1)
        })
      )
    }
  )
}
