/**
 * How PostgreSQL plans the authorization of a card and the lists of the few invalid and reserved sessions: along small indexes, however many
 * reservations a charger has had and however many sessions an organisation.
 */
import { assert, expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Authorizations } from "../../src/domain/token/Authorizations.ts"
import { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import { limits } from "../../src/Config.ts"
import { drivers } from "../support/databases.ts"
import { noon, seedChargers, type Seeded } from "../support/journalFacts.ts"
import { repositories } from "../support/repositories.ts"
import { planOf, rowsReadBy, statementsOf } from "../support/statements.ts"

const options = { ...limits.directory, nodeId: "plans" }

/**
 * The years of a busy charger: ten thousand reservations, one of them active, and thirty thousand sessions, few of them invalid or reserved. Two
 * hundred partners have twenty thousand cards, and pairs of them have the same ones.
 */
const fill = ({ organisationId, siteId }: Seeded) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = new Date(noon)
    yield* sql`INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, expires_at, status,
        created_at, updated_at)
      SELECT gen_random_uuid(), ${organisationId}::uuid, 'P-1', n, 1, 'Card' || n, ${now}::timestamptz - n * interval '1 hour' + interval '90 minutes',
        CASE WHEN n % 3 = 0 THEN 'Used' ELSE 'Active' END, ${now}, ${now}
      FROM generate_series(1, 10000) n`
    yield* sql`INSERT INTO token (organisation_id, uid_key, uid, type, status, created_at, updated_at)
      SELECT ${organisationId}::uuid, 'card' || n, 'Card' || n, 'RFID', 'Accepted', ${now}, ${now} FROM generate_series(1, 10000) n`
    yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
        token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh,
        created_at, updated_at, reservation_only)
      SELECT gen_random_uuid(), ${organisationId}::uuid, 'P-1', ${siteId}::uuid, 1, 1, n::text, '1.6', 'Card' || n, 'card' || n,
        CASE WHEN n % 500 = 0 THEN 'INVALID' WHEN n % 500 = 1 THEN 'RESERVATION' ELSE 'COMPLETED' END, 'Accepted', 'LocalToken', ${now}, ${now},
        CASE WHEN n % 50 = 2 THEN NULL ELSE ${now}::timestamptz END, 0, ${now}, ${now}, n % 500 = 1
      FROM generate_series(1, 30000) n`
    yield* sql`INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
      SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${organisationId}::uuid, 'Partner', 'Registered',
        jsonb_build_object('askUnknownTokens', n % 100 = 1), ${now}, ${now} FROM generate_series(1, 200) n`
    yield* sql`INSERT INTO roaming_token (organisation_id, uid_key, type_key, country_code, party_id, partner_id, uid, type, contract_id, issuer,
        valid, whitelist, last_updated, revision, created_at, updated_at)
      SELECT ${organisationId}::uuid, 'card' || n % 10000, 'RFID', 'DE', 'P' || n % 200,
        ('00000000-0000-7000-8000-' || lpad((n % 200 + 1)::text, 12, '0'))::uuid, 'Card' || n % 10000, 'RFID', 'C' || n, 'Example', true,
        'ALLOWED', ${now}, 1, ${now}, ${now} FROM generate_series(1, 20000) n ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at)
      SELECT ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid, ${organisationId}::uuid, 'P-1', 'RemoteStart', 'Accepted', '{}', '{}',
        'partner', ${now} FROM generate_series(1, 10000) n`
    yield* sql`INSERT INTO partner_command (command_id, organisation_id, partner_id, kind, version, response_url, correlation_id, created_at)
      SELECT c.id, c.organisation_id, '00000000-0000-7000-8000-000000000001', 'StartSession', '2.2.1', '', '', c.created_at FROM command c`
    yield* sql`INSERT INTO token_grant (command_id, organisation_id, charger_id, evse_id, uid_key, roaming, created_at, expires_at)
      SELECT c.id, c.organisation_id, c.charger_id, 1, 'card' || c.turn, '{}', c.created_at, c.created_at + interval '20 minutes' FROM command c
      WHERE c.turn <> 7`
    yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      SELECT gen_random_uuid(), ${organisationId}::uuid, 'Site', 'UTC', ${now}, ${now} FROM generate_series(1, 2000) n`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
      SELECT 'Q-' || n, ${organisationId}::uuid, ${siteId}::uuid, 'Charger', 0, ${now}, ${now} FROM generate_series(1, 2000) n`
    yield* sql`INSERT INTO tariff (id, organisation_id, version, body, created_at, updated_at)
      SELECT ('00000000-0000-7000-a000-' || lpad(n::text, 12, '0'))::uuid, ${organisationId}::uuid, n, '{}', ${now}, ${now}
      FROM generate_series(1, 2000) n`
    yield* sql`INSERT INTO tariff_assignment (organisation_id, scope, target, evse_id, connector_id, tariff_id, created_at)
      SELECT ${organisationId}::uuid, 'connector', 'P-' || n % 200, 1 + n / 200, 1, ('00000000-0000-7000-a000-' || lpad(n::text, 12, '0'))::uuid, ${now}
      FROM generate_series(1, 2000) n`
    yield* sql`ANALYZE`
  })

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(repositories, driver.layer), { excludeTestServices: true, timeout: "120 seconds" })(
    `Plans of authorisation on ${driver.name}`,
    (it) => {
      let ours: Seeded

      it.effect("are asked of a database with rows", () =>
        Effect.gen(function* () {
          ours = yield* seedChargers(["P-1"])
          yield* fill(ours)
        })
      )

      it.effect(
        "a card is found with its sessions, partners' cards and the charger's reservations in one statement, along indexes alone",
        () =>
          Effect.gen(function* () {
            const start = { place: { evseId: 1, connectorId: 1 }, sentSince: noon }
            const wanted = { ...ours, chargerId: "P-1", tokenUid: "Card7", at: noon, start }
            // The fiber that sends the query belongs to the layer, so the layer is built where statements are recorded.
            const statements = yield* statementsOf(
              Effect.gen(function* () {
                const context = yield* Layer.build(ChargerDirectoryRepository.layer(options))
                const { findToken } = yield* Effect.provide(ChargerDirectory, context)
                const found = yield* findToken(wanted)
                expect([found.reservations.length, found.roaming.length, found.askable?.length]).toEqual([1, 1, 2])
                expect(found.start?.tariffs.map(({ version }) => version)).toEqual([1])
              }).pipe(Effect.scoped)
            )
            expect(statements).toHaveLength(1)
            const [plan = ""] = yield* Effect.forEach(statements, planOf)
            const indices = [
              "token_pkey",
              "reservation_in_force",
              "session_open",
              "roaming_token_pkey",
              "token_grant_uid",
              "command_unfollowed",
              "site_pkey",
              "tariff_assignment_pkey",
              "tariff_pkey"
            ]
            for (const index of indices) expect(plan).toContain(index)
            // An organisation's partners and their parties are so few that they are read whole, and so are the stamps, one for each organisation.
            expect(plan).not.toMatch(/Seq Scan on (?!partner(_party)?\b|token_stamp\b)/)
          })
      )

      it.effect("conflicting cards are listed along their key, a page at a time", () =>
        Effect.gen(function* () {
          const tokens = yield* RoamingTokens
          const list = tokens.conflicts(ours.organisationId, { limit: 50 })
          const plans = yield* Effect.forEach(yield* statementsOf(list), planOf)
          expect(plans).toHaveLength(2)
          for (const plan of plans) {
            expect(plan).toContain("roaming_token_pkey")
            expect(plan).not.toMatch(/Seq Scan on (?!partner(_party)?\b)/)
          }
          expect(plans[0]).not.toMatch(/Sort\b/)
        })
      )

      it.effect("the answers to a card are read from its newest attempts, however often it was used", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { organisationId, siteId } = ours
          const at = sql`${new Date(noon)}::timestamptz + n * interval '1 minute'`
          const id = sql`(lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7000a000' || lpad(to_hex(n), 12, '0'))::uuid`
          // Every fifth is a reservation with a cost, and the newest start was reported ten hours after it began.
          yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
              token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh,
              created_at, updated_at, reservation_only)
            SELECT ${id}, ${organisationId}::uuid, 'USED', ${siteId}::uuid, 1, 1, n::text, '1.6', 'Used', 'used', 'COMPLETED', 'Accepted', 'LocalToken',
              ${at}, CASE WHEN n = 3000 THEN ${at} - interval '10 hours' ELSE ${at} END, ${at}, 0, ${at}, ${at}, n % 5 = 1
            FROM generate_series(1, 3000) n`
          yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
            SELECT substring(sha256(convert_to('used' || n, 'UTF8')) for 16), ${organisationId}::uuid, 'TokenAuthorized', 'charger:USED', ${at}, ${at},
              '{"tokenUid": "Used", "authorization": {"status": "Blocked", "source": "LocalToken"}}'
            FROM generate_series(1, 2500) n`
          yield* sql`VACUUM (ANALYZE) session, journal`
          const { attempts } = yield* Authorizations
          const card = { tokenUid: "USED", chargerId: undefined }
          const newest = yield* attempts(organisationId, card, 20)
          const starts = newest.map((one) => (one.at - noon) / 60_000)
          expect(starts).toEqual(Array.from({ length: 25 }, (_, n) => 3000 - n).filter((n) => n % 5 !== 1))
          expect((yield* attempts(organisationId, card, 500))[400]).toMatchObject({
            kind: "Authorize",
            status: "Blocked"
          })
          const here = yield* attempts(organisationId, { ...card, chargerId: "USED" }, 20)
          expect(here).toEqual(newest)
          expect(yield* attempts(organisationId, { ...card, chargerId: "P-1" }, 20)).toEqual([])
          const [statement] = yield* statementsOf(attempts(organisationId, card, 20))
          assert(statement !== undefined)
          // A thousand ids from an index, and the rows that are shown.
          expect(yield* rowsReadBy(statement)).toBeLessThan(1_100)
        })
      )

      it.effect("statuses that few sessions have are listed along an index of those sessions alone", () =>
        Effect.gen(function* () {
          const sessions = yield* Sessions
          for (const [status, index] of [
            ["INVALID", "session_invalid"],
            ["RESERVATION", "session_reserved"]
          ] as const) {
            const [statement] = yield* statementsOf(sessions.list(ours.organisationId, { limit: 50, status }))
            const plan = statement === undefined ? "" : yield* planOf(statement)
            expect(plan).toContain(index)
            expect(plan).not.toMatch(/Seq Scan on session\b/)
          }
        })
      )
    }
  )
}
