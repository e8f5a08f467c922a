/** How PostgreSQL plans the lists of partners and the look-up of a token's owner: along an index up to the end of the page, as in `ListPlans`. */
import { expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Exchanges } from "../../src/domain/roaming/Exchanges.ts"
import { HubClients } from "../../src/domain/roaming/HubClients.ts"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import * as ExchangesRepository from "../../src/storage/roaming/Exchanges.ts"
import { forgetLoud } from "../../src/storage/roaming/ExchangeRetention.ts"
import { drivers } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { planOf, statementsOf } from "../support/statements.ts"

const rows = 6000

const log = ExchangesRepository.layer({
  maxWaitingChars: 1_000,
  maxBatch: 10,
  maxBatchChars: 1_000_000,
  flushEveryMillis: 3_600_000,
  retentionDays: 14,
  maxPerPartner: 1_000_000
})

const fill = (ours: TestOrganisation, theirs: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = new Date(noon)
    const owner = sql`CASE WHEN n % 2 = 0 THEN ${ours.id}::uuid ELSE ${theirs.id}::uuid END`
    yield* sql`INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
      SELECT gen_random_uuid(), ${owner}, 'P', 'Invited', '{}', ${now}, ${now} FROM generate_series(1, ${rows}) n`
    yield* sql`INSERT INTO partner_party (organisation_id, partner_id, country_code, party_id, role, expected)
      SELECT organisation_id, id, 'DE', id::text, 'EMSP', true FROM partner`
    yield* sql`INSERT INTO partner_token (verifier, partner_id, organisation_id, use, created_at)
      SELECT decode(md5(id::text), 'hex'), id, organisation_id, 'Access', ${now} FROM partner`
    yield* sql`INSERT INTO exchange (organisation_id, partner_id, at, direction, module, method, path, http_status, failed, millis, request_id,
        correlation_id)
      SELECT p.organisation_id, p.id, ${now}::timestamptz + n * interval '1 second', 'in', 'tokens', 'PUT', '/', 200, n % 100 = 0, 1, 'r', 'c'
      FROM (SELECT * FROM partner ORDER BY id LIMIT 10) p, generate_series(1, 2000) n`
    yield* sql`INSERT INTO exchange_health (organisation_id, partner_id, direction, module, successes, failures)
      SELECT organisation_id, partner_id, 'in', 'tokens', count(*), 0 FROM exchange GROUP BY organisation_id, partner_id`
    yield* sql`INSERT INTO partner_client (organisation_id, partner_id, country_code, party_id, role, status, last_updated)
      SELECT p.organisation_id, p.id, 'DE', lpad(n::text, 4, '0'), 'EMSP', 'CONNECTED', ${now}
      FROM (SELECT * FROM partner ORDER BY id LIMIT 20) p, generate_series(1, 500) n`
    yield* sql`ANALYZE`
    const [one] = yield* sql<{ readonly id: string }>`
      SELECT p.id FROM partner p WHERE p.organisation_id = ${ours.id} AND EXISTS (SELECT 1 FROM exchange e WHERE e.partner_id = p.id) LIMIT 1`
    return one?.id ?? ""
  })

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(Layer.mergeAll(repositories, log), driver.layer), {
    excludeTestServices: true,
    timeout: "120 seconds"
  })(`Plans of partners on ${driver.name}`, (it) => {
    it.effect("pages and look-ups use an index", () =>
      Effect.gen(function* () {
        const ours = yield* anOrganisation
        const partnerId = yield* fill(ours, yield* anOrganisation)
        const clients = yield* HubClients
        const exchanges = yield* Exchanges
        const partners = yield* Partners
        const page = yield* exchanges.search(ours.id, partnerId, { limit: 50 })
        expect(page.items).toHaveLength(50)
        const cursor = page.nextCursor ?? ""
        const plans: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, string]> = [
          [partners.list(ours.id, { limit: 50 }), "partner_organisation"],
          [partners.get(ours.id, partnerId), "Index Scan"],
          [partners.bearer([new Uint8Array(16), new Uint8Array(32)], noon), "partner_token_pkey"],
          [exchanges.search(ours.id, partnerId, { limit: 50 }), "exchange_partner"],
          [exchanges.search(ours.id, partnerId, { limit: 50, cursor }), "exchange_partner"],
          [exchanges.search(ours.id, partnerId, { limit: 50, from: noon, failed: true }), "exchange_partner"],
          [clients.list(ours.id, partnerId, { limit: 50 }), "partner_client_pkey"]
        ]
        for (const [list, index] of plans) {
          for (const statement of yield* statementsOf(list)) {
            const plan = yield* planOf(statement)
            expect(plan).toContain(index)
            expect(plan).not.toMatch(/Seq Scan on (?:partner|exchange|partner_\w+)\b/)
          }
        }
        const sql = yield* SqlClient.SqlClient
        const sweep = (yield* statementsOf(forgetLoud(sql, 100))).filter(({ text }) => /FROM exchange e\b/.test(text))
        // For each of ten partners: where its oldest row to keep is, and the rows before it.
        expect(sweep).toHaveLength(20)
        for (const statement of sweep) {
          const plan = yield* planOf(statement)
          expect(plan).toContain("exchange_partner")
          expect(plan).not.toMatch(/Seq Scan on exchange\b/)
        }
      })
    )
  })
}
