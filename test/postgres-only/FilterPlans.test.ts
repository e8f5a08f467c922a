/**
 * How many rows PostgreSQL reads for the repositories' statements of a filtered page, as it counts itself: those of some pages, however many are
 * before and behind the matching ones. The wanted rows are the oldest.
 */
import { assert, expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type CdrFilter, Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { type ChargerFilter, Chargers, type SummaryFilter } from "../../src/domain/charger/Chargers.ts"
import { type SessionFilter, Sessions } from "../../src/domain/session/Sessions.ts"
import { type TokenFilter, Tokens } from "../../src/domain/token/Tokens.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { drivers } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { rowsReadBy, type SentStatement, statementsOf } from "../support/statements.ts"

const rows = 40_000
const fleet = 2_000
const cards = 10_000
const minute = 60_000

/** The oldest sessions, of a card, charger, site and partner that had none since. */
const old = 60
const first = noon + old * minute

const idOf = (n: number) => uuid7(noon, new Uint8Array(10).fill(n))
const [oldSite, site, oldPartner, partner] = [idOf(1), idOf(2), idOf(3), idOf(4)]

const fill = (ours: TestOrganisation, theirs: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const start = new Date(noon)
    const at = sql`${start}::timestamptz + n * interval '1 minute'`
    // Ids are in order of time, like those of the service.
    const id = sql`(lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7000b000' || lpad(to_hex(n), 12, '0'))::uuid`
    const isOld = sql`n <= ${old}::int`
    yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
        token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh,
        created_at, updated_at, partner_id)
      SELECT ${id}, CASE WHEN n % 8 = 0 THEN ${theirs.id}::uuid ELSE ${ours.id}::uuid END,
        CASE WHEN ${isOld} THEN 'OLD' ELSE 'C' || n % 100 END, CASE WHEN ${isOld} THEN ${oldSite}::uuid ELSE ${site}::uuid END, 1, 1, n::text,
        '1.6', 'Card', CASE WHEN ${isOld} THEN 'old' WHEN n % 2 = 0 THEN 'fleet' ELSE 'card' || n % 1000 END,
        CASE WHEN n <= 40 THEN 'INVALID' WHEN n % 4000 = 1 THEN 'ACTIVE' ELSE 'COMPLETED' END, 'Accepted', 'RoamingToken', ${start}, ${at},
        CASE WHEN n % 4000 = 1 THEN NULL ELSE ${at} END, 0, ${start}, ${start},
        CASE WHEN ${isOld} THEN ${oldPartner}::uuid WHEN n % 3 = 0 THEN ${partner}::uuid END
      FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO cdr (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, body, issued_at,
        partner_id, token_key)
      SELECT gen_random_uuid(), organisation_id, row_number() OVER (PARTITION BY organisation_id ORDER BY id), id, 0, charger_id, site_id,
        started_at, started_at, '{}', started_at, partner_id, token_key
      FROM session WHERE status = 'COMPLETED'`
    yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      SELECT x.id, ${ours.id}, 'Site', 'UTC', ${start}, ${start} FROM (VALUES (${oldSite}::uuid), (${site}::uuid)) x(id)`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, model, firmware_version, created_at, updated_at)
      SELECT 'F' || n, ${ours.id}, CASE WHEN n <= 5 THEN ${oldSite}::uuid ELSE ${site}::uuid END, 'Charger ' || n, 0, 'M' || n % 500,
        '1.' || n % 500, ${start}, ${start} FROM generate_series(1, ${fleet}) n`
    yield* sql`INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, status_at, heard_at)
      SELECT charger_id, e, 1, CASE WHEN charger_id IN ('F7', 'F9') THEN 'Faulted' ELSE 'Available' END, 'Available', ${start}, ${start}
      FROM charger, generate_series(0, 2) e`
    yield* sql`INSERT INTO node (node_id, started_at, lease_until) VALUES ('n', ${start}, now() + interval '1 hour')`
    yield* sql`INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address,
        connected_at, closed_at)
      SELECT charger_id, organisation_id, 'n', 1, '1.6', 0, '', ${start}, CASE WHEN charger_id IN ('F7', 'F9') THEN now() END FROM charger`
    yield* sql`INSERT INTO token (organisation_id, uid_key, uid, type, status, created_at, updated_at)
      SELECT ${ours.id}, 'card' || n, 'Card' || n, 'RFID', CASE WHEN n % 2000 = 7 THEN 'Blocked' ELSE 'Accepted' END, ${start}, ${start}
      FROM generate_series(1, ${cards}) n`
    yield* sql`ANALYZE`
  })

const readFor = (statements: ReadonlyArray<SentStatement>) => {
  const [statement] = statements
  assert(statement !== undefined && statements.length === 1)
  return rowsReadBy(statement)
}

/** Filters whose page reads more than `most` rows, with the number of rows. */
const tooMuch = <F, E, R>(
  filters: ReadonlyArray<F>,
  most: number,
  list: (filter: F & { readonly limit: number }) => Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const found: Array<readonly [F, number]> = []
    for (const filter of filters) {
      const read = yield* readFor(yield* statementsOf(list({ ...filter, limit: 50 })))
      if (read > most) found.push([filter, Math.round(read)])
    }
    return found
  })

const long = { from: noon, to: noon + rows * minute }
const march = { from: noon, to: first }

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(repositories, driver.layer), { excludeTestServices: true, timeout: "120 seconds" })(
    `Plans of filtered lists on ${driver.name}`,
    (it) => {
      let ours: TestOrganisation

      it.effect("are asked of a database with rows", () =>
        Effect.gen(function* () {
          ours = yield* anOrganisation
          yield* fill(ours, yield* anOrganisation)
        })
      )

      it.effect("no filter of sessions reads older rows than it needs", () =>
        Effect.gen(function* () {
          const sessions = yield* Sessions
          const filters: ReadonlyArray<SessionFilter> = [
            march,
            { to: first },
            { from: noon },
            { tokenUid: "OLD" },
            { tokenUid: "old", ...long },
            { tokenUid: "fleet", ...march },
            { tokenUid: "fleet", chargerId: "OLD" },
            { tokenUid: "unknown" },
            { tokenUid: "old", status: "COMPLETED" },
            { tokenUid: "fleet", status: "ACTIVE" },
            { tokenUid: "fleet", status: "INVALID" },
            { siteId: oldSite },
            { siteId: oldSite, ...long },
            { siteId: site, to: first + 100 * minute },
            { siteId: site, status: "ACTIVE" },
            { siteId: site, held: true },
            { chargerId: "OLD" },
            { chargerId: "OLD", ...long },
            { chargerId: "C7", to: first + 1000 * minute },
            { partnerId: oldPartner },
            { partnerId: oldPartner, ...long },
            { partnerId: partner, to: first + 100 * minute },
            { status: "PENDING" },
            { status: "RESERVATION" },
            { status: "INVALID" },
            { status: "ACTIVE", ...long },
            { needsCorrection: true, ...long }
          ]
          // The records have empty bodies, so that only the rows that are read count.
          const list = (filter: SessionFilter & { readonly limit: number }) =>
            Effect.exit(sessions.list(ours.id, filter))
          expect(yield* tooMuch(filters, 1500, list)).toEqual([])
        })
      )

      it.effect("no filter of charge detail records reads older rows than it needs", () =>
        Effect.gen(function* () {
          const cdrs = yield* Cdrs
          const filters: ReadonlyArray<CdrFilter> = [
            march,
            { to: first },
            { tokenUid: "OLD" },
            { tokenUid: "old", ...long },
            { tokenUid: "fleet", chargerId: "OLD" },
            { tokenUid: "unknown" },
            { siteId: oldSite },
            { siteId: oldSite, ...long },
            { siteId: site, to: first + 100 * minute },
            { chargerId: "OLD" },
            { chargerId: "OLD", ...long },
            { chargerId: "C7", to: first + 1000 * minute },
            { partnerId: oldPartner },
            { partnerId: oldPartner, ...long },
            { partnerId: partner, to: first + 100 * minute },
            { sessionId: idOf(9) },
            { sessionId: idOf(9), ...long }
          ]
          const list = (filter: CdrFilter & { readonly limit: number }) => Effect.exit(cdrs.list(ours.id, filter))
          expect(yield* tooMuch(filters, 400, list)).toEqual([])
        })
      )

      it.effect(
        "tokens are found at once by status, and by text like chargers in one pass over the organisation's own",
        () =>
          Effect.gen(function* () {
            const [chargers, tokens] = [yield* Chargers, yield* Tokens]
            const ofTokens = (filters: ReadonlyArray<TokenFilter>, most: number) =>
              tooMuch(filters, most, (filter) => tokens.list(ours.id, filter))
            expect(yield* ofTokens([{ status: "Blocked" }, { status: "Expired" }], 100)).toEqual([])
            expect(yield* ofTokens([{ text: "unknown" }, { text: "9999" }], cards)).toEqual([])
            const filters: ReadonlyArray<ChargerFilter> = [
              { siteId: oldSite },
              { model: "M7" },
              { firmwareVersion: "1.7" },
              { text: "Charger 777" },
              { text: "unknown" },
              { connected: false },
              { status: "Faulted" },
              { connected: false, status: "Faulted", siteId: site }
            ]
            // Each charger, its connection and its connectors are read; nothing else of those that do not match.
            expect(yield* tooMuch(filters, 7 * fleet, (filter) => chargers.list(ours.id, filter))).toEqual([])
            expect(yield* tooMuch(filters.slice(0, 5), 2 * fleet, (filter) => chargers.list(ours.id, filter))).toEqual(
              []
            )
            // A row's state is in no index; it is read like the statuses above.
            const ofRows: ReadonlyArray<SummaryFilter> = [
              { states: ["Reserved"] },
              { states: ["Offline"] },
              { connected: false },
              { firmwareVersion: "1.7" },
              { text: "unknown" },
              { siteId: oldSite },
              { states: ["Faulted"], siteId: site }
            ]
            expect(yield* tooMuch(ofRows, 8 * fleet, (filter) => chargers.summaries(ours.id, filter))).toEqual([])
          })
      )
    }
  )
}
